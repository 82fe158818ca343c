//! Tests on real datasets in temporary folders; what is read is compared with what was written.

mod changes;
mod conditions;
mod confined;
mod described;
mod queries;
mod support;
mod write_read;
