//! What engines implement, so that the server links none of them.
//!
//! [`Describer`] answers questions about tables of a format; native Lance and every plugin implement
//! it. [`TableEngine`] writes and queries Lance; [`TableChanges`], [`TableInspection`], [`TableReferences`] and
//! [`TableIndices`] are parts of it. Arrow is what both hand over. [`Names`] resolves attached buckets.

mod changes;
mod describer;
mod engine;
mod error;
mod full_text;
mod indices;
mod inspection;
mod location;
mod names;
mod references;
mod words;

pub use changes::{
    ColumnChange, ColumnSource, FieldMetadata, FieldMetadataChange, Merge, Merged, NewColumn, TableChanges,
    WhenMatched, WhenNotMatchedBySource,
};
pub use describer::{
    Candidate, Capabilities, Claim, Condition, ConditionValue, Costed, Describer, Detection, FormatInfo,
    OptionSpec, Preview, PreviewRequest, Subject, VersionPage, VersionRef,
};
pub use engine::{
    BatchStream, CreateMode, InsertMode, Projection, TableEngine, TableQuery, VectorQuery, Written,
};
pub use error::{Error, Result};
pub use full_text::{FullText, TextMatch, TextQuery};
pub use indices::{
    IndexPlan, IndexProgress, IndexProgressSink, IndexRecord, IndexRequest, TableIndices, TextOptions,
    VectorOptions,
};
pub use inspection::{FragmentLengths, TableInspection, TableStats};
pub use lakeglass_api::Operator;
pub use location::{Grant, TableLocation};
pub use names::{NameMode, NamePage, Names, NamesError, NamesResult, Placed};
pub use references::{
    BranchRecord, ManifestNaming, NewVersion, TableReferences, TagRecord, TransactionName, TransactionRecord,
    VersionRange, VersionRecord, VersionRecords, VersionsRequest,
};
pub use words::{is_blob, is_json, is_uuid, type_words};
