//! Records of delimited text, one at a time, in bounded memory.

use lakeglass_describer_sdk::{Error, ObjectReader, at};

/// A longer record means an unbalanced quote far more often than a long record.
const MAX_RECORD: usize = 4 << 20;
pub(crate) const MAX_COLUMNS: usize = 10_000;

/// What the text is read from: bytes at hand, then the rest of the object.
pub(crate) struct Source<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) tail: Option<ObjectReader<'a>>,
    /// The head is only the start of something longer that is not read: its last record is cut.
    pub(crate) cut: bool,
}

/// Parses records as they are asked for.
pub(crate) struct Records<'a> {
    core: csv_core::Reader,
    source: Source<'a>,
    output: Vec<u8>,
    ends: Vec<usize>,
    /// Bytes consumed up to the end of the last record given.
    consumed: u64,
}

/// The cells of one record, unquoted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'r> {
    data: &'r [u8],
    ends: &'r [usize],
}

impl<'r> Record<'r> {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&'r [u8]> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(&self.data[start..end])
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = &'r [u8]> {
        let this = *self;
        (0..this.len()).filter_map(move |index| this.get(index))
    }
}

impl<'a> Records<'a> {
    pub(crate) fn new(source: Source<'a>, delimiter: u8) -> Self {
        Self {
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            source,
            output: vec![0; 4096],
            ends: vec![0; 64],
            consumed: 0,
        }
    }

    /// Bytes up to the end of the last record given.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The next record; none at the end. Blank lines are no records.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>, Error> {
        let (mut out, mut end, mut taken) = (0, 0, 0);
        loop {
            let from_head = !self.source.head.is_empty();
            let input = match &mut self.source.tail {
                _ if from_head => self.source.head,
                Some(tail) => {
                    let path = tail.meta().path.clone();
                    tail.fill().map_err(at(&path))?
                }
                None => &[],
            };
            if input.is_empty() && self.source.cut {
                return Ok(None);
            }
            let (result, read, wrote, ended) =
                self.core.read_record(input, &mut self.output[out..], &mut self.ends[end..]);
            out += wrote;
            end += ended;
            taken += read as u64;
            if from_head {
                self.source.head = &self.source.head[read..];
            } else if let Some(tail) = &mut self.source.tail {
                tail.consume(read);
            }
            match result {
                csv_core::ReadRecordResult::InputEmpty => {}
                csv_core::ReadRecordResult::OutputFull => {
                    if self.output.len() >= MAX_RECORD {
                        return Err(self.too_long());
                    }
                    self.output.resize(self.output.len() * 2, 0);
                }
                csv_core::ReadRecordResult::OutputEndsFull => {
                    if self.ends.len() > MAX_COLUMNS {
                        return Err(Error::Unsupported(format!("a record of more than {MAX_COLUMNS} cells")));
                    }
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                csv_core::ReadRecordResult::Record => break,
                csv_core::ReadRecordResult::End => return Ok(None),
            }
        }
        self.consumed += taken;
        Ok(Some(Record { data: &self.output[..out], ends: &self.ends[..end] }))
    }

    fn too_long(&self) -> Error {
        Error::Corrupt((
            None,
            format!(
                "A record before line {} is longer than {} MiB: a quote may be missing",
                self.core.line(),
                MAX_RECORD >> 20
            ),
        ))
    }
}
