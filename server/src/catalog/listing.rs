//! Keyset paging: opaque tokens, and the window they open in a sorted list.
//!
//! A token holds the last row's sort value and id, so a page costs the same wherever it starts, and a
//! walk visits every row that stays in place exactly once, whatever is written meanwhile.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use lakeglass_api::{ListQuery, Page};
use serde::{Deserialize, Serialize};
use sqlx::{QueryBuilder, Sqlite};

use super::error::{Error, Result};

/// Rows of a page, when not said.
const DEFAULT_LIMIT: u32 = 50;
const LARGEST_LIMIT: u32 = 500;

/// The value that a list is sorted by, of one row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Key {
    Number(i64),
    Text(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct Token {
    /// Sort column, `-` before it when descending.
    s: String,
    k: Key,
    i: i64,
}

/// A column that a list can be sorted by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortColumn {
    /// As callers write it.
    pub(crate) name: &'static str,
    /// The expression, never null, that an index holds.
    pub(crate) sql: &'static str,
    pub(crate) text: bool,
}

/// A checked request for one page.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) search: Option<String>,
    pub(crate) column: SortColumn,
    descending: bool,
    after: Option<(Key, i64)>,
    limit: u32,
}

impl Window {
    /// Checks a query against the columns of a list, the first of which is the default.
    pub(crate) fn new(query: &ListQuery, columns: &[SortColumn]) -> Result<Self> {
        let wanted = query.sort.as_deref().filter(|sort| !sort.is_empty()).unwrap_or(columns[0].name);
        let Some(&column) = columns.iter().find(|column| column.name == wanted) else {
            let names: Vec<_> = columns.iter().map(|column| column.name).collect();
            return Err(Error::invalid("sort", format!("This list sorts by {}", names.join(", "))));
        };
        let mut window = Self {
            search: query
                .search
                .clone()
                .map(|text| text.trim().to_lowercase())
                .filter(|text| !text.is_empty()),
            column,
            descending: query.descending,
            after: None,
            limit: query.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, LARGEST_LIMIT),
        };
        if let Some(text) = query.after.as_deref().filter(|text| !text.is_empty()) {
            window.after = Some(window.read(text).ok_or_else(|| {
                Error::invalid("after", "This is not the next of a page of this list, sorted this way")
            })?);
        }
        Ok(window)
    }

    fn sort(&self) -> String {
        format!("{}{}", if self.descending { "-" } else { "" }, self.column.name)
    }

    fn read(&self, text: &str) -> Option<(Key, i64)> {
        let token: Token = serde_json::from_slice(&BASE64.decode(text).ok()?).ok()?;
        let fits = token.s == self.sort() && matches!(token.k, Key::Text(_)) == self.column.text;
        fits.then_some((token.k, token.i))
    }

    /// Appends the condition, order and limit (one row more than the page, to know whether rows follow).
    pub(crate) fn push(&self, query: &mut QueryBuilder<Sqlite>, id: &'static str) {
        if let Some((key, last)) = &self.after {
            query.push(format_args!(
                " AND ({}, {id}) {} (",
                self.column.sql,
                if self.descending { "<" } else { ">" }
            ));
            match key {
                Key::Number(number) => query.push_bind(*number),
                Key::Text(text) => query.push_bind(text.clone()),
            };
            query.push(", ").push_bind(*last).push(")");
        }
        let direction = if self.descending { "DESC" } else { "ASC" };
        query.push(format_args!(" ORDER BY {} {direction}, {id} {direction} LIMIT ", self.column.sql));
        query.push_bind(i64::from(self.limit) + 1);
    }

    /// Appends the search condition over a lower-case expression.
    pub(crate) fn push_search(&self, query: &mut QueryBuilder<Sqlite>, expression: &'static str) {
        if let Some(search) = &self.search {
            query.push(format_args!(" AND instr({expression}, ")).push_bind(search.clone()).push(") > 0");
        }
    }

    /// Cuts the extra row off and makes the token of the next page.
    pub(crate) fn page<R, T>(
        &self,
        mut rows: Vec<R>,
        total: Option<u64>,
        key: impl Fn(&R) -> (Key, i64),
        convert: impl FnMut(R) -> Result<T>,
    ) -> Result<Page<T>> {
        let limit = self.limit as usize;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = match rows.last() {
            Some(row) if more => {
                let (k, i) = key(row);
                let token = serde_json::to_vec(&Token { s: self.sort(), k, i }).map_err(Error::internal)?;
                Some(BASE64.encode(token))
            }
            _ => None,
        };
        let items = rows.into_iter().map(convert).collect::<Result<_>>()?;
        Ok(Page { items, next, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [SortColumn; 2] = [
        SortColumn { name: "name", sql: "name", text: true },
        SortColumn { name: "rows", sql: "ifnull(row_count, -1)", text: false },
    ];

    fn query(sort: &str, after: Option<String>) -> ListQuery {
        ListQuery { sort: Some(sort.into()), after, limit: Some(1), ..ListQuery::default() }
    }

    #[test]
    fn a_token_opens_only_the_list_it_came_from() {
        let window = Window::new(&query("name", None), &COLUMNS).unwrap();
        let page =
            window.page(vec![("a", 1), ("b", 2)], None, |row| (Key::Text(row.0.into()), row.1), Ok).unwrap();
        assert_eq!(page.items, [("a", 1)]);
        let next = Window::new(&query("name", page.next.clone()), &COLUMNS).unwrap();
        assert_eq!(next.after, Some((Key::Text("a".into()), 1)));
        assert!(Window::new(&query("rows", page.next), &COLUMNS).is_err());
        assert!(Window::new(&query("name", Some("nonsense".into())), &COLUMNS).is_err());
        assert!(Window::new(&query("size", None), &COLUMNS).is_err());
    }

    #[test]
    fn the_last_page_has_no_next() {
        let window = Window::new(&query("rows", None), &COLUMNS).unwrap();
        let page = window.page(vec![7], None, |row| (Key::Number(*row), *row), Ok).unwrap();
        assert_eq!(page.next, None);
    }
}
