//! What goes wrong with people and keys, and how it leaves the server.

use http::StatusCode;

use super::Denied;
use crate::problem::Problem;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("The users database cannot be read or written")]
    Database(#[from] sqlx::Error),
    #[error("The system's random generator failed")]
    Random(#[source] getrandom::Error),
    #[error("The password could not be hashed: {0}")]
    Hash(argon2::password_hash::Error),
    #[error("Hashing was cut short")]
    Stopped(#[from] tokio::task::JoinError),
    #[error("Too many sign-ins at once. Try again in a few seconds")]
    Busy,
    /// Same text for an unknown user, a wrong password and a disabled user.
    #[error("The name or the password is wrong")]
    WrongCredentials,
    /// Wait this many seconds.
    #[error("Too many attempts. Try again in {0} s")]
    Throttled(u64),
    #[error("The API token is unknown, expired or revoked")]
    BadToken,
    #[error(
        "The set-up link is wrong, used or expired. Run `lakeglass setup-link` on the server for a new one"
    )]
    BadSetupLink,
    #[error("This server is already set up. Use `lakeglass user set-password` for a forgotten password")]
    AlreadySetUp,
    #[error("There is no user {0}")]
    NoSuchUser(String),
    #[error("There is no such token")]
    NoSuchToken,
    #[error("There is no such session")]
    NoSuchSession,
    #[error("There is already a user {0}")]
    UserExists(String),
    #[error("{0} is the last admin who can sign in. Make another admin first")]
    LastAdmin(String),
    /// A field of the request, and the rule it broke.
    #[error("{rule}")]
    Invalid { field: &'static str, rule: String },
}

impl Error {
    pub(super) fn invalid(field: &'static str, rule: impl Into<String>) -> Self {
        Self::Invalid { field, rule: rule.into() }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        match error {
            Error::Denied(denied) => denied.into(),
            Error::Database(_) | Error::Random(_) | Error::Hash(_) | Error::Stopped(_) => {
                Self::internal(error)
            }
            Error::Busy => Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail).retry_after(2),
            Error::WrongCredentials => Self::new(StatusCode::BAD_REQUEST, "wrong-credentials", detail),
            Error::Throttled(seconds) => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "throttled", detail).retry_after(seconds)
            }
            Error::BadToken => Self::new(StatusCode::UNAUTHORIZED, "bad-token", detail),
            Error::BadSetupLink => Self::forbidden(detail),
            Error::AlreadySetUp | Error::NoSuchUser(_) | Error::NoSuchToken | Error::NoSuchSession => {
                Self::not_found(detail)
            }
            Error::UserExists(_) => Self::conflict("user-exists", detail),
            Error::LastAdmin(_) => Self::conflict("last-admin", detail),
            Error::Invalid { field, ref rule } => Self::invalid(detail).field(field, rule.clone()),
        }
    }
}
