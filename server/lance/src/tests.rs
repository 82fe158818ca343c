//! Tests on real datasets in temporary folders; what is read is compared with what was written.

mod changes;
mod columns;
mod computed;
mod conditions;
mod confined;
mod described;
mod indices;
mod merged;
mod plans;
mod queries;
mod references;
mod rewritten;
mod staged;
mod support;
mod write_read;
