//! Pages of names. The catalog's own pages are smaller than what clients ask for at once.

use lakeglass_api::{ListQuery, Page};

use super::call::Parameters;
use crate::Problem;

/// The most names in one answer; what follows is behind a page token.
const LARGEST_PAGE: usize = 1000;
/// The most that the catalog gives at once.
const STEP: usize = 500;

/// Collects one answer's names and the token of the next, from `limit` and `page_token`: asks the
/// caller for one page after another, until there are enough.
///
/// A loop in each handler rather than a closure here: the future of a borrowing async closure cannot
/// be shown to be `Send`.
#[derive(Debug)]
pub(super) struct Walk {
    wanted: usize,
    after: Option<String>,
    names: Vec<String>,
    over: bool,
}

impl Walk {
    pub(super) fn new(parameters: &Parameters) -> Result<Self, Problem> {
        Ok(Self {
            wanted: parameters.limit()?.unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE),
            after: parameters.get("page_token").map(str::to_owned),
            names: Vec::new(),
            over: false,
        })
    }

    /// The page to fetch next; none when there are enough names, or no more.
    pub(super) fn query(&self) -> Option<ListQuery> {
        let step = (self.wanted - self.names.len()).min(STEP);
        let query =
            ListQuery { after: self.after.clone(), limit: u32::try_from(step).ok(), ..ListQuery::default() };
        (!self.over).then_some(query)
    }

    pub(super) fn take(&mut self, page: Page<String>) {
        self.names.extend(page.items);
        self.after = page.next;
        self.over = self.after.is_none() || self.names.len() >= self.wanted;
    }

    /// The names, and the token of the next answer.
    pub(super) fn end(self) -> (Vec<String>, Option<String>) {
        (self.names, self.after)
    }
}

/// One page of a list that is complete and in order of its names: the page token is the name after
/// which to go on.
pub(super) fn by_name<T>(
    mut items: Vec<T>,
    name: impl Fn(&T) -> &String,
    parameters: &Parameters,
) -> Result<(Vec<T>, Option<String>), Problem> {
    let wanted = parameters.limit()?.unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE);
    if let Some(after) = parameters.get("page_token") {
        items.retain(|item| name(item).as_str() > after);
    }
    let more = items.len() > wanted;
    items.truncate(wanted);
    let next = items.last().filter(|_| more).map(|item| name(item).clone());
    Ok((items, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of `total` numbers, whose tokens are the number to go on from.
    fn page(total: usize, query: &ListQuery) -> Page<String> {
        let from: usize = query.after.as_ref().map_or(0, |token| token.parse().unwrap());
        let to = total.min(from + query.limit.unwrap() as usize);
        let items = (from..to).map(|n| n.to_string()).collect();
        Page { items, next: (to < total).then(|| to.to_string()), total: None }
    }

    fn walk(total: usize, limit: Option<usize>) -> Vec<Vec<String>> {
        let (mut pages, mut token) = (Vec::new(), String::new());
        loop {
            let limit = limit.map(|limit| format!("limit={limit}&")).unwrap_or_default();
            let parameters = Parameters::parse(&format!("{limit}page_token={token}"));
            let mut walk = Walk::new(&parameters).unwrap();
            while let Some(query) = walk.query() {
                walk.take(page(total, &query));
            }
            let (names, next) = walk.end();
            pages.push(names);
            match next {
                Some(next) => token = next,
                None => return pages,
            }
        }
    }

    #[test]
    fn a_complete_list_is_paged_by_name() {
        let all: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        let (mut seen, mut token, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let parameters = Parameters::parse(&format!("limit=2&page_token={token}"));
            let (page, next) = by_name(all.clone(), |name| name, &parameters).unwrap();
            seen.extend(page);
            pages += 1;
            match next {
                Some(next) => token = next,
                None => break,
            }
        }
        assert_eq!((seen, pages), (all, 3));
    }

    #[test]
    fn a_walk_sees_everything_once_at_any_page_size() {
        let all: Vec<String> = (0..2600).map(|n| n.to_string()).collect();
        for (limit, pages) in [(Some(999), 3), (Some(700), 4), (Some(100_000), 3), (None, 3)] {
            let walked = walk(2600, limit);
            assert_eq!(walked.len(), pages, "{limit:?}");
            assert_eq!(walked.concat(), all, "{limit:?}");
        }
        assert_eq!(walk(0, None), [Vec::<String>::new()]);
        assert_eq!(walk(3, Some(1)).len(), 3);
    }
}
