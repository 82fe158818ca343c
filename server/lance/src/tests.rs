//! Tests on real datasets in temporary folders; what is read is compared with what was written.

mod support;
mod write_read;
