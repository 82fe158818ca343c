//! The chain: each record's hash covers its fields and the hash before it.

use sha2::{Digest as _, Sha256};
use sqlx::SqlitePool;

use super::Verified;
use super::store::{self, Row};

/// What the first record's hash covers in place of one before it.
pub(super) const GENESIS: [u8; 32] = [0; 32];

/// Records read at a time while verifying.
const PAGE: i64 = 1000;

/// SHA-256 over the hash before and each field, fields preceded by their length so that text cannot
/// move from one into the next.
pub(super) fn hash(previous: &[u8], row: &Row) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(previous);
    for number in [row.id, row.at_ms, row.actor_id, row.count] {
        digest.update(number.to_le_bytes());
    }
    // An absent address differs from an empty one.
    digest.update([u8::from(row.address.is_some())]);
    let texts = [
        row.actor_kind.as_str(),
        &row.actor,
        row.address.as_deref().unwrap_or_default(),
        &row.action,
        &row.object,
        &row.outcome,
        &row.detail,
        &row.request_id,
    ];
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    digest.finalize().into()
}

/// Walks the chain from its start.
pub(super) async fn verify(pool: &SqlitePool) -> Result<Verified, sqlx::Error> {
    let mut previous = GENESIS.to_vec();
    let mut last = 0;
    let mut records = 0;
    let broken = loop {
        let page = store::after(pool, last, PAGE).await?;
        let Some(reason) = walk(&page, &mut previous, &mut last, &mut records) else {
            if page.is_empty() {
                let highest = store::highest(pool).await?.unwrap_or(0);
                break (highest > last)
                    .then(|| (last + 1, format!("records {} to {highest} are gone", last + 1)));
            }
            continue;
        };
        break Some(reason);
    };
    Ok(Verified { records, head: hex::encode(&previous), broken })
}

/// Checks one page; the first fault ends it.
fn walk(page: &[Row], previous: &mut Vec<u8>, last: &mut i64, records: &mut u64) -> Option<(i64, String)> {
    for row in page {
        if row.id != *last + 1 {
            return Some((*last + 1, format!("records {} to {} are gone", *last + 1, row.id - 1)));
        }
        if hash(previous, row).as_slice() != row.hash {
            return Some((row.id, "it was changed after it was written".to_owned()));
        }
        previous.clone_from(&row.hash);
        *last = row.id;
        *records += 1;
    }
    None
}
