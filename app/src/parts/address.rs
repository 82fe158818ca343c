//! Paths and URIs, which have no spaces to break a line at.

use leptos::prelude::*;

use crate::text;

/// A location as code that breaks its lines after slashes, and reads and copies as it is.
pub fn address(location: &str) -> AnyView {
    let location = text::visible(location);
    let parts: Vec<_> =
        location.split_inclusive('/').map(|part| view! { {part.to_owned()}<wbr/> }.into_any()).collect();
    view! { <code class="address">{parts}</code> }.into_any()
}
