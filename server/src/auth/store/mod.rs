//! The SQL of people, grants, sessions, tokens and the set-up link.

type Result<T> = std::result::Result<T, sqlx::Error>;

macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        $(const $name: &str = $sql;)*
        /// Every statement here, for the test that prepares them.
        #[cfg(test)]
        pub(super) const ALL: &[&str] = &[$($name),*];
    };
}

mod people;
mod rows;
mod sessions;
mod tokens;

pub(super) use people::*;
pub(super) use rows::*;
pub(super) use sessions::*;
pub(super) use tokens::*;

/// Every statement, for the test that prepares them.
#[cfg(test)]
pub(super) const ALL: [&[&str]; 3] = [people::ALL, sessions::ALL, tokens::ALL];
