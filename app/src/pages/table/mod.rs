//! A table's pages, one module a tab.
