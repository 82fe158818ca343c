//! Sequential reading of one object, with a window that grows as reading goes on.

use crate::store::Store;
use crate::{ObjectMeta, StoreError};

const FIRST_WINDOW: u32 = 256 << 10;
const LARGEST_WINDOW: u32 = 4 << 20;

/// Hands out an object's bytes in order. Each request reads twice as much as the one before, up to
/// 4 MiB, so that a short look stays cheap and a long one needs few requests. The object is pinned by
/// its etag: a change between two requests is [`StoreError::Changed`], never a torn answer.
pub struct ObjectReader<'a> {
    store: &'a dyn Store,
    meta: ObjectMeta,
    /// Where the next request starts.
    next: u64,
    window: u32,
    buffer: Vec<u8>,
    at: usize,
}

impl std::fmt::Debug for ObjectReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectReader")
            .field("path", &self.meta.path)
            .field("position", &self.position())
            .finish_non_exhaustive()
    }
}

impl<'a> ObjectReader<'a> {
    /// Starts at the beginning; asks the store what the object is.
    pub fn open(store: &'a dyn Store, path: &str) -> Result<Self, StoreError> {
        Ok(Self::from(store, store.head(path)?, 0))
    }

    /// Starts at `offset` of an object already known.
    pub fn from(store: &'a dyn Store, meta: ObjectMeta, offset: u64) -> Self {
        Self { store, meta, next: offset, window: FIRST_WINDOW, buffer: Vec::new(), at: 0 }
    }

    pub fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// Offset of the byte that [`fill`](Self::fill) gives first.
    pub fn position(&self) -> u64 {
        self.next - (self.buffer.len() - self.at) as u64
    }

    /// Continues at `offset`; free when it lies within what was read ahead.
    pub fn seek(&mut self, offset: u64) {
        let start = self.next - self.buffer.len() as u64;
        if (start..=self.next).contains(&offset) {
            #[expect(clippy::cast_possible_truncation, reason = "within the buffer")]
            let at = (offset - start) as usize;
            self.at = at;
        } else {
            self.buffer.clear();
            self.at = 0;
            self.next = offset;
            self.window = FIRST_WINDOW;
        }
    }

    /// The bytes at hand, reading more when there are none. Empty at the end of the object.
    pub fn fill(&mut self) -> Result<&[u8], StoreError> {
        if self.at == self.buffer.len() && self.next < self.meta.size {
            let (_, bytes) =
                self.store.read_span(&self.meta.path, self.next, self.window, self.meta.etag.as_deref())?;
            if bytes.is_empty() {
                // The store says there is less than it said before.
                return Err(StoreError::Changed);
            }
            self.next += bytes.len() as u64;
            self.buffer = bytes;
            self.at = 0;
            self.window = (self.window * 2).min(LARGEST_WINDOW);
        }
        Ok(&self.buffer[self.at..])
    }

    /// Says that `count` bytes of [`fill`](Self::fill) are dealt with.
    pub fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.buffer.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FolderStore;

    #[test]
    fn every_byte_comes_once_in_order_and_seeking_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(folder.path().join("a.bin"), &bytes).unwrap();
        let store = FolderStore::new(folder.path());
        let mut reader = ObjectReader::open(&store, "a.bin").unwrap();
        let mut seen = Vec::new();
        loop {
            let part = reader.fill().unwrap();
            if part.is_empty() {
                break;
            }
            let take = part.len().min(100_000);
            seen.extend_from_slice(&part[..take]);
            reader.consume(take);
        }
        assert!(seen == bytes);
        reader.seek(10);
        assert_eq!(reader.position(), 10);
        assert_eq!(reader.fill().unwrap()[0], 10);
    }

    #[test]
    fn an_object_that_changes_between_requests_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        std::fs::write(&path, vec![1; 1_000_000]).unwrap();
        let store = FolderStore::new(folder.path());
        let mut reader = ObjectReader::open(&store, "a.bin").unwrap();
        let first = reader.fill().unwrap().len();
        reader.consume(first);
        std::fs::write(&path, vec![2; 1_000_001]).unwrap();
        assert_eq!(reader.fill().unwrap_err(), StoreError::Changed);
    }
}
