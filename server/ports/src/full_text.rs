//! Full-text queries, as the Lance Namespace specification structures them.

/// A full-text query and the columns that parts of it without a column look in.
#[derive(Debug, Clone, PartialEq)]
pub struct FullText {
    pub query: TextQuery,
    /// Empty: every column with a full-text index.
    pub columns: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TextQuery {
    Match(TextMatch),
    /// Terms that follow each other, with at most `slop` other words between.
    Phrase {
        terms: String,
        column: Option<String>,
        slop: u32,
    },
    /// Rows of one query, those that another finds ranked lower by `negative_boost`.
    Boost {
        positive: Box<TextQuery>,
        negative: Box<TextQuery>,
        negative_boost: f32,
    },
    /// The best of several matches, each in a column of its own.
    MultiMatch(Vec<TextMatch>),
    Boolean {
        must: Vec<TextQuery>,
        should: Vec<TextQuery>,
        must_not: Vec<TextQuery>,
    },
}

/// Rows that hold terms.
#[derive(Debug, Clone, PartialEq)]
pub struct TextMatch {
    pub terms: String,
    pub column: Option<String>,
    pub boost: f32,
    /// Letters a term may differ by; none: by the term's length.
    pub fuzziness: Option<u32>,
    /// Terms that a fuzzy one may stand for.
    pub max_expansions: u32,
    /// Letters at the beginning that are not fuzzy.
    pub prefix_length: u32,
    /// Whether every term must be there, not only one.
    pub all_terms: bool,
}

impl TextMatch {
    /// Any of the terms, spelled exactly so.
    pub fn new(terms: impl Into<String>, column: Option<String>) -> Self {
        Self {
            terms: terms.into(),
            column,
            boost: 1.0,
            fuzziness: Some(0),
            max_expansions: 50,
            prefix_length: 0,
            all_terms: false,
        }
    }
}

impl FullText {
    /// Any of the terms, in these columns.
    pub fn terms(terms: impl Into<String>, columns: Vec<String>) -> Self {
        Self { query: TextQuery::Match(TextMatch::new(terms, None)), columns }
    }
}
