//! What guests answer, taken for hostile: capped, cleaned and checked before anything else sees it.

pub(crate) mod arrow;
pub(crate) mod description;
pub(crate) mod error;
pub(crate) mod info;
pub(crate) mod text;
