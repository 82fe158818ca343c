//! Points at which tests stop the process, to see that nothing is lost.
//!
//! A build with debug assertions aborts at the step that `LAKEGLASS_CRASH_AT` names; a release build
//! has no such switch, so that nothing in an environment can make a deployed server kill itself.

/// A step of a change that was completed. `step` is `change.step`: "create.reserved".
pub(super) async fn point(step: &str) {
    #[cfg(debug_assertions)]
    if std::env::var_os("LAKEGLASS_CRASH_AT").is_some_and(|wanted| wanted == step) {
        std::process::abort();
    }
    #[cfg(test)]
    test::point(step).await;
    #[cfg(not(test))]
    std::future::ready(step).await;
}

#[cfg(test)]
pub(super) mod test {
    use std::sync::Mutex;

    static STOP_AT: Mutex<Option<String>> = Mutex::new(None);

    /// From now on a change that completes this step goes no further, as if the process had ended.
    pub(crate) fn stop_at(step: Option<&str>) {
        *STOP_AT.lock().unwrap() = step.map(str::to_owned);
    }

    pub(super) async fn point(step: &str) {
        let stop = STOP_AT.lock().unwrap().as_deref() == Some(step);
        if stop {
            std::future::pending::<()>().await;
        }
    }
}
