//! How a person wants the console shown: theme and shortcut keys, kept in cookies of this browser.

use axum::Form;
use axum::response::{AppendHeaders, IntoResponse as _, Redirect, Response};
use http::{HeaderMap, header};
use lakeglass_app::Theme;

use super::session::local_path;
use super::visit::Visit;
use crate::problem::Problem;
use crate::router::{Route, Who};

const THEME: &str = crate::edge::Theme::COOKIE;
const SHORTCUTS: &str = "lakeglass-shortcuts";
/// A year, in seconds.
const KEPT: u32 = 31_536_000;

/// What the cookies say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Looks {
    pub(crate) theme: Theme,
    pub(crate) shortcuts: bool,
}

pub(super) fn routes() -> Vec<Route> {
    vec![Route::form("/preferences", Who::SignedIn, save)]
}

pub(crate) fn read(headers: &HeaderMap) -> Looks {
    let cookie = |wanted: &str| {
        crate::auth::cookies(headers).find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
    };
    Looks {
        theme: Theme::parse(cookie(THEME).as_deref().unwrap_or_default()),
        shortcuts: cookie(SHORTCUTS).as_deref() != Some("off"),
    }
}

/// Sets what the form names and leaves the rest.
async fn save(_visit: Visit, Form(fields): Form<Vec<(String, String)>>) -> Result<Response, Problem> {
    let mut cookies = Vec::new();
    let mut back = "/".to_owned();
    for (name, value) in &fields {
        match (name.as_str(), value.as_str()) {
            ("theme", "system" | "light" | "dark") => cookies.push(cookie(THEME, value)),
            ("shortcuts", "on" | "off") => cookies.push(cookie(SHORTCUTS, value)),
            ("return_to", path) => local_path(Some(path)).clone_into(&mut back),
            ("theme" | "shortcuts", _) => return Err(Problem::invalid("There is no such preference")),
            _ => {}
        }
    }
    let headers = AppendHeaders(cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie)));
    Ok((headers, Redirect::to(&back)).into_response())
}

fn cookie(name: &str, value: &str) -> String {
    format!("{name}={value}; Path=/; Max-Age={KEPT}; SameSite=Lax")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_decide_and_nonsense_is_the_default() {
        let read = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            super::read(&headers)
        };
        let both = read("a=b; lakeglass-theme=dark; lakeglass-shortcuts=off");
        assert_eq!(both, Looks { theme: Theme::Dark, shortcuts: false });
        assert_eq!(read("lakeglass-theme=pink"), Looks { theme: Theme::System, shortcuts: true });
    }
}
