//! The calls made to attached catalogs, newest last: for admins, in memory, bounded. No bodies.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use lakeglass_api::attached::UpstreamCall;

/// Calls kept for one connection.
const KEPT: usize = 500;
/// Bytes kept of a name that somebody sent.
const LONGEST: usize = 300;

#[derive(Debug, Default)]
pub(crate) struct Calls {
    kept: Mutex<VecDeque<UpstreamCall>>,
}

impl Calls {
    pub(crate) fn push(&self, mut call: UpstreamCall) {
        if call.object.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|at| call.object.is_char_boundary(*at)).unwrap_or(0);
            call.object.truncate(end);
            call.object.push('…');
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(call);
    }

    /// The newest first, at most `limit`.
    pub(crate) fn newest(&self, limit: usize) -> Vec<UpstreamCall> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().take(limit).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_calls_go_and_long_names_are_cut() {
        let calls = Calls::default();
        for at_ms in 0..600 {
            calls.push(UpstreamCall {
                at_ms,
                method: "GET".to_owned(),
                operation: "table/describe".to_owned(),
                object: "ü".repeat(400),
                status: Some(200),
                cause: None,
                elapsed_ms: 1,
                actor: None,
            });
        }
        let newest = calls.newest(10_000);
        assert_eq!((newest.len(), newest[0].at_ms, newest[499].at_ms), (500, 599, 100));
        assert!(newest[0].object.len() <= LONGEST + 3 && newest[0].object.ends_with('…'));
        assert_eq!(calls.newest(2).len(), 2);
    }
}
