//! The words that sort cases: where one comes from, what it belongs to, what it needs.

use serde::{Deserialize, Serialize};

/// Where a case comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The specification says so: in an operation's text, a model, the REST pages or the table of errors.
    Specification,
    /// The specification is silent or ambiguous; released clients need it, or data would be lost.
    Rule,
    /// How Lakeglass names and bounds things. Not asked of servers that do it differently.
    Own,
}

/// What the cases of one file have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    Namespaces,
    Tables,
    Rows,
    Query,
    Columns,
    Versions,
    Tags,
    Branches,
    Indices,
    Transactions,
    Views,
    Errors,
    Limits,
    Concurrency,
}

/// What a case needs of the server, or of those who run the suite, to mean anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Namespaces inside the namespaces that hold tables.
    Nesting,
    /// Making namespaces directly below the root (no `--root` was given).
    Top,
    /// The server says that it names and bounds things as Lakeglass does.
    Own,
    /// The owner sends credentials, so that leaving them out means something.
    Credentials,
    /// Credentials of somebody who may read and not write.
    Reader,
    /// Credentials of somebody who may see nothing.
    Stranger,
    /// The configured largest Arrow body.
    ArrowLimit,
}
