//! The script that starts the islands.
//!
//! Ours rather than the framework's: it names hashed files, lets one broken island fail alone, and
//! says in one line when the browser's part could not start. It also moves focus to the heading
//! after a change of page, before anything else is loaded.

use leptos::prelude::*;

use super::Assets;

const FOCUS: &str = r#"
if (document.activeElement === document.body && !location.hash && document.referrer.startsWith(location.origin + "/"))
  document.querySelector("[role=alert][tabindex], h1[tabindex]")?.focus({ preventScroll: true });
"#;

const START: &str = r#"
const boot = async () => {
  const app = await import(JS);
  await app.default({ module_or_path: WASM });
  app.hydrate();
  for (const island of document.querySelectorAll("leptos-island")) {
    try {
      island.parentElement.closest("leptos-children")?.$$on_hydrate?.();
      app[island.dataset.component](island);
    } catch (error) { console.error(error); }
  }
};
boot().catch((error) => { console.error(error); document.getElementById("boot-notice").hidden = false; });
"#;

/// Preloads and the boot script, for the head.
pub(super) fn scripts(assets: &Assets, nonce: &str) -> AnyView {
    let (Some(js), Some(wasm)) = (assets.js.clone(), assets.wasm.clone()) else {
        return view! { <script type="module" nonce=nonce.to_owned() inner_html=FOCUS></script> }.into_any();
    };
    let script = format!("const JS={},WASM={};{FOCUS}{START}", literal(&js), literal(&wasm));
    view! {
        <link rel="modulepreload" href=js nonce=nonce.to_owned() crossorigin="anonymous"/>
        <link rel="preload" href=wasm r#as="fetch" r#type="application/wasm" crossorigin="anonymous"/>
        <script type="module" nonce=nonce.to_owned() inner_html=script></script>
    }
    .into_any()
}

/// A JavaScript string that cannot close the script element.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn a_path_cannot_leave_its_string_or_the_script() {
        assert_eq!(literal("a\"b</script>"), r#""a\"b\u003c/script>""#);
    }
}
