//! What a bounded sample of a file's start tells of it.

use lakeglass_describer_sdk::{Count, Error, ObjectMeta, Store, Subject, at};

use crate::dialect::Dialect;
use crate::kind::{Guess, Kind};
use crate::records::{MAX_COLUMNS, Records, Source};

/// How much of a file is looked at, in bytes; a smaller file is read whole.
pub(crate) const SAMPLE: u32 = 4 << 20;

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// The start of a file, without its byte order mark.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) meta: ObjectMeta,
    pub(crate) bytes: Vec<u8>,
    pub(crate) byte_order_mark: bool,
    pub(crate) whole: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) sample: Sample,
    pub(crate) dialect: Dialect,
    pub(crate) columns: Vec<Column>,
    /// Texts that a person says stand for no value.
    pub(crate) missing: Vec<String>,
    pub(crate) sampled_rows: u64,
    pub(crate) short_rows: u64,
    pub(crate) long_rows: u64,
    pub(crate) not_utf8: u64,
    pub(crate) renamed_columns: usize,
    /// Bytes of the header, and of it with the sampled rows.
    header_bytes: u64,
    sampled_bytes: u64,
}

impl Sample {
    fn take(store: &dyn Store, path: &str) -> Result<Self, Error> {
        let (meta, mut bytes) = store.read_span(path, 0, SAMPLE, None).map_err(at(path))?;
        let whole = bytes.len() as u64 >= meta.size;
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(Error::Unsupported("UTF-16 text. Save the file as UTF-8".to_owned()));
        }
        if bytes.contains(&0) {
            return Err(Error::NotThisFormat);
        }
        let byte_order_mark = bytes.starts_with(UTF8_MARK);
        if byte_order_mark {
            bytes.drain(..UTF8_MARK.len());
        }
        Ok(Self { meta, bytes, byte_order_mark, whole })
    }

    /// Where the bytes after the sample start in the object.
    pub(crate) fn end(&self) -> u64 {
        (self.bytes.len() + if self.byte_order_mark { UTF8_MARK.len() } else { 0 }) as u64
    }
}

impl Profile {
    pub(crate) fn take(store: &dyn Store, subject: &Subject) -> Result<Self, Error> {
        let path = subject.single_object()?;
        let sample = Sample::take(store, path)?;
        let dialect = Dialect::find(subject, path, &sample.bytes, sample.whole)?;
        let missing = subject.option("missing").unwrap_or_default();
        let mut profile = Self {
            missing: missing.split('|').filter(|text| !text.is_empty()).map(str::to_owned).collect(),
            dialect,
            columns: Vec::new(),
            sampled_rows: 0,
            short_rows: 0,
            long_rows: 0,
            not_utf8: 0,
            renamed_columns: 0,
            header_bytes: 0,
            sampled_bytes: 0,
            sample,
        };
        profile.read_sample()?;
        Ok(profile)
    }

    /// Live rows: counted when the sample is the file, otherwise estimated from its mean row.
    pub(crate) fn rows(&self) -> Count {
        if self.sample.whole {
            return Count::exact(self.sampled_rows);
        }
        let read = self.sampled_bytes.saturating_sub(self.header_bytes).max(1);
        let all = self.sample.meta.size.saturating_sub(self.header_bytes);
        let rows = u128::from(all) * u128::from(self.sampled_rows) / u128::from(read);
        Count::about(u64::try_from(rows).unwrap_or(u64::MAX))
    }

    fn read_sample(&mut self) -> Result<(), Error> {
        let source = Source { head: &self.sample.bytes, tail: None, cut: !self.sample.whole };
        let mut records = Records::new(source, self.dialect.delimiter);
        let mut names = Vec::new();
        if self.dialect.header
            && let Some(record) = records.next()?
        {
            names = record.cells().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
            self.header_bytes = records.consumed();
        }
        let named = names.len();
        let mut guesses = vec![Guess::default(); named];
        // How many rows have each number of cells; a row's lack is known only when all are read.
        let mut widths = std::collections::BTreeMap::<usize, u64>::new();
        while let Some(record) = records.next()? {
            self.sampled_rows += 1;
            *widths.entry(record.len()).or_default() += 1;
            if !self.dialect.header && record.len() > guesses.len() {
                guesses.resize(record.len().min(MAX_COLUMNS), Guess::default());
            }
            for (guess, cell) in guesses.iter_mut().zip(record.cells()) {
                match std::str::from_utf8(cell) {
                    Ok(cell) if cell.is_empty() || self.missing.iter().any(|text| text == cell) => {}
                    Ok(cell) => guess.see(cell),
                    Err(_) => {
                        self.not_utf8 += 1;
                        guess.see("\u{fffd}");
                    }
                }
            }
        }
        self.sampled_bytes = records.consumed();
        if self.sampled_rows == 0 && self.header_bytes == 0 && !self.sample.whole {
            return Err(Error::Corrupt((
                Some(self.sample.meta.path.clone()),
                format!("No record ends within the first {} MiB", SAMPLE >> 20),
            )));
        }
        let width = guesses.len();
        self.short_rows = widths.range(..width).map(|(_, rows)| rows).sum();
        self.long_rows = widths.range(width + 1..).map(|(_, rows)| rows).sum();
        names.resize(width, String::new());
        let (names, renamed) = distinct(names);
        self.renamed_columns = if self.dialect.header { renamed } else { 0 };
        self.columns = names
            .into_iter()
            .zip(&guesses)
            .map(|(name, guess)| Column { name, kind: guess.kind() })
            .collect();
        Ok(())
    }
}

/// Gives every column a name of its own, and counts those that needed one.
fn distinct(names: Vec<String>) -> (Vec<String>, usize) {
    let mut taken: std::collections::HashSet<String> = names.iter().cloned().collect();
    let mut seen = std::collections::HashSet::new();
    let mut renamed = 0;
    let names = names
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            if !name.is_empty() && seen.insert(name.clone()) {
                return name;
            }
            renamed += 1;
            let base = if name.is_empty() { "column".to_owned() } else { name };
            let mut number = index + 1;
            loop {
                let candidate = format!("{base}_{number}");
                if taken.insert(candidate.clone()) {
                    seen.insert(candidate.clone());
                    return candidate;
                }
                number += 1;
            }
        })
        .collect();
    (names, renamed)
}
