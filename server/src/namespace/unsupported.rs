//! Operations of the specification that this version does not carry out.

use crate::Problem;
use crate::auth::Actor;

/// 406 with code 0, for a caller that proved who it is; clients read it as "not supported".
pub(super) async fn unsupported(_actor: Actor) -> Problem {
    Problem::new(
        http::StatusCode::NOT_ACCEPTABLE,
        "unsupported",
        "This server does not carry out this operation over HTTP yet. Open the table by the location that \
         describe gives, and do it with the Lance library",
    )
    .code(0)
}
