//! Tests on real datasets in temporary folders; what is read is compared with what was written.

mod changes;
mod columns;
mod computed;
mod conditions;
mod confined;
mod described;
mod merged;
mod plans;
mod queries;
mod rewritten;
mod support;
mod write_read;
