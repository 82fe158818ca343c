//! One module a page: a data struct and the function that shows it.

pub mod table;
