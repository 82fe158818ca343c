//! Looks at rows, counted per principal and table.
//!
//! The first look in a minute is written at once, so that a crash loses no one's presence; those that
//! follow within the minute become one record with their number.

use std::collections::HashMap;
use std::collections::hash_map;
use std::sync::Mutex;

use super::Entry;

/// The action that is counted.
pub(super) const ACTION: &str = "rows.preview";

const WINDOW_MS: i64 = 60_000;
/// Most pairs counted at a time; beyond it looks are written one by one.
const MAX_PAIRS: usize = 10_000;

/// Kind and row of the principal, and the table.
type Key = (&'static str, i64, String);

#[derive(Debug, Default)]
pub(super) struct Looks {
    windows: Mutex<HashMap<Key, Window>>,
}

#[derive(Debug)]
struct Window {
    opened_ms: i64,
    /// The latest look since the first, with how many there were.
    more: Option<Entry>,
}

impl Looks {
    /// True when this look opens a window (write it); else it was counted.
    pub(super) fn is_first(&self, entry: &Entry) -> bool {
        let mut windows = self.windows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let full = windows.len() >= MAX_PAIRS;
        match windows.entry(key(entry)) {
            hash_map::Entry::Vacant(vacant) => {
                if !full {
                    vacant.insert(Window { opened_ms: entry.at_ms, more: None });
                }
                true
            }
            hash_map::Entry::Occupied(mut window) => {
                let more = &mut window.get_mut().more;
                let count = more.as_ref().map_or(0, |last| last.count);
                let mut latest = entry.clone();
                latest.count = count.saturating_add(1);
                *more = Some(latest);
                false
            }
        }
    }

    /// Closes windows whose minute is over and gives what they counted.
    pub(super) fn take(&self, now_ms: i64, everything: bool) -> Vec<Entry> {
        let mut windows = self.windows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut done = Vec::new();
        windows.retain(|_, window| {
            let over = everything || now_ms - window.opened_ms >= WINDOW_MS;
            if over {
                done.extend(window.more.take());
            }
            !over
        });
        done
    }
}

fn key(entry: &Entry) -> Key {
    (entry.actor_kind.as_str(), entry.actor_id, entry.object.clone())
}
