//! The address that clients use for a bucket, as lists and panels show it.

use leptos::prelude::*;

use super::address::address;
use super::button::copy;

/// How clients reach a bucket: through the namespace endpoint, or by the location of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// `https://lake.example.com/lance`, or the root's URI.
    pub address: String,
    /// The name to give besides, where the address alone does not say which bucket.
    pub namespace: Option<String>,
    /// "Lance Namespace REST", "Read by location".
    pub served_by: String,
}

impl Endpoint {
    /// One line for a row of a list.
    pub fn line(&self) -> AnyView {
        view! {
            <span class="row keep">
                <code class="clip" title=self.address.clone()>{self.address.clone()}</code>
                {copy(&self.address, "Copy address")}
            </span>
        }
        .into_any()
    }

    /// The box with the address, the namespace and copy buttons.
    pub fn panel(&self) -> AnyView {
        let namespace = self
            .namespace
            .clone()
            .map(|name| view! { <span class="muted">"namespace"</span><code>{name}</code> });
        view! {
            <div class="endpoint">
                {address(&self.address)}
                {namespace}
                <span class="push">{copy(&self.address, "Copy address")}</span>
            </div>
        }
        .into_any()
    }
}
