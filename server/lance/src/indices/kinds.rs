//! Kinds of indices, by the specification's words and Lance's.

use lakeglass_ports::{Error, Result};
use lance_index::IndexType;

/// Word of the specification, Lance's type, and other words that clients and Lance use for it.
type Row = (&'static str, IndexType, &'static [&'static str]);

const KINDS: [Row; 15] = [
    ("BTREE", IndexType::BTree, &["SCALAR"]),
    ("BITMAP", IndexType::Bitmap, &[]),
    ("LABEL_LIST", IndexType::LabelList, &["LABELLIST"]),
    ("FTS", IndexType::Inverted, &["INVERTED"]),
    ("NGRAM", IndexType::NGram, &[]),
    ("ZONEMAP", IndexType::ZoneMap, &["ZONE_MAP"]),
    ("BLOOM_FILTER", IndexType::BloomFilter, &["BLOOMFILTER"]),
    ("FM", IndexType::Fm, &["FMINDEX"]),
    ("IVF_FLAT", IndexType::IvfFlat, &[]),
    ("IVF_SQ", IndexType::IvfSq, &[]),
    ("IVF_PQ", IndexType::IvfPq, &[]),
    ("IVF_RQ", IndexType::IvfRq, &[]),
    ("IVF_HNSW_FLAT", IndexType::IvfHnswFlat, &[]),
    ("IVF_HNSW_SQ", IndexType::IvfHnswSq, &[]),
    ("IVF_HNSW_PQ", IndexType::IvfHnswPq, &[]),
];

/// A kind that can be made, by a client's word in any case.
pub(super) fn parse(word: &str) -> Result<(&'static str, IndexType)> {
    find(word).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|row| row.0).collect();
        Error::InvalidRequest(format!("Not an index type. Use one of {}", known.join(", ")))
    })
}

/// The specification's word for what Lance calls an index.
pub(super) fn word(lance: &str) -> String {
    find(lance).map_or_else(|| lance.to_owned(), |(word, _)| word.to_owned())
}

fn find(word: &str) -> Option<(&'static str, IndexType)> {
    let word = word.to_ascii_uppercase().replace('-', "_");
    let row = KINDS.iter().find(|(name, _, others)| *name == word || others.contains(&word.as_str()));
    row.map(|(name, kind, _)| (*name, *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known_by_its_own_and_by_lances_word() {
        for (name, kind, _) in KINDS {
            assert_eq!(parse(&name.to_lowercase()).unwrap(), (name, kind));
            assert_eq!(word(&kind.to_string()), name, "{kind}");
        }
        assert_eq!(word("Unknown"), "Unknown");
        let refused = parse("MAGIC").unwrap_err().to_string();
        assert!(refused.contains("IVF_HNSW_PQ"), "{refused}");
    }
}
