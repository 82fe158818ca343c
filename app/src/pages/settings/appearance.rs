//! Appearance: the theme and the shortcut keys of this browser.

use leptos::prelude::*;

use super::{Part, above};
use crate::parts::{Choice, Form, Look, hidden, section, select_field, submit};

#[derive(Debug, Clone)]
pub struct Appearance {
    /// Fields `theme` ("system", "light", "dark") and `shortcuts` ("on", "off").
    pub form: Form,
    pub server_admin: bool,
}

pub fn page(data: Appearance) -> AnyView {
    let Appearance { form, server_admin } = data;
    let themes = vec![
        Choice::new("system", "As this device is set"),
        Choice::new("light", "Light"),
        Choice::new("dark", "Dark"),
    ];
    let keys = vec![Choice::new("on", "On"), Choice::new("off", "Off")];
    let body = view! {
        <form class="stack" method="post" action="/preferences">
            {hidden("return_to", "/settings/appearance")}
            {select_field(&form, "theme", "Theme", "Kept in this browser.", themes)}
            {select_field(&form, "shortcuts", "Shortcut keys", "Ctrl or Cmd with K finds anything; / goes to the search of a page.", keys)}
            <div class="row">{submit("Save", Look::Primary, None)}</div>
        </form>
    };
    view! {
        {above(Part::Appearance, server_admin)}
        <div class="stack narrow">{section("Appearance", None, body.into_any())}</div>
    }
    .into_any()
}
