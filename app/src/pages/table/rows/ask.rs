//! What the address of a rows page asks for. All of its state is here, so that any view of rows can
//! be linked to, reloaded and gone back to.

use lakeglass_api::description::Reference;
use lakeglass_api::{Operator, TableRef};

use crate::links;

/// Rows a page starts with.
pub const DEFAULT_LIMIT: u32 = 50;
/// Conditions that one address may hold.
pub const MAX_FILTERS: usize = 16;

/// An operator in words, for a list to choose from.
pub fn words(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "equals",
        Operator::NotEqual => "is not",
        Operator::Less => "is less than",
        Operator::LessOrEqual => "is at most",
        Operator::Greater => "is greater than",
        Operator::GreaterOrEqual => "is at least",
        Operator::Contains => "contains",
        Operator::StartsWith => "starts with",
        Operator::In => "is one of",
        Operator::IsNull => "is null",
        Operator::IsNotNull => "is not null",
    }
}

/// One condition: a column, reached by names from the top level down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub column: Vec<String>,
    pub op: Operator,
    /// As typed; empty for operators without one. For "is one of", parts between commas.
    pub value: String,
}

impl Filter {
    /// As an address holds it: JSON, so that any name and value survives.
    pub fn encode(&self) -> String {
        serde_json::json!([self.column, self.op.code(), self.value]).to_string()
    }

    pub fn decode(text: &str) -> Option<Self> {
        let (column, op, value): (Vec<String>, String, String) = serde_json::from_str(text).ok()?;
        (!column.is_empty()).then_some(())?;
        Some(Self { column, op: Operator::parse(&op)?, value })
    }
}

/// Which state of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum At {
    #[default]
    Latest,
    Version(String),
    Tag(String),
    /// A branch, at one of its versions or its newest.
    Branch(String, Option<String>),
}

impl At {
    /// As an address holds it; the latest is left out.
    pub fn encode(&self) -> String {
        match self {
            Self::Latest => String::new(),
            Self::Version(version) => format!("version:{version}"),
            Self::Tag(tag) => format!("tag:{tag}"),
            Self::Branch(branch, None) => format!("branch:{branch}"),
            Self::Branch(branch, Some(version)) => format!("branch-at:{version}:{branch}"),
        }
    }

    pub fn decode(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::Latest);
        }
        let (kind, rest) = text.split_once(':')?;
        (!rest.is_empty()).then_some(())?;
        match kind {
            "version" => Some(Self::Version(rest.to_owned())),
            "tag" => Some(Self::Tag(rest.to_owned())),
            "branch" => Some(Self::Branch(rest.to_owned(), None)),
            "branch-at" => {
                let (version, branch) = rest.split_once(':')?;
                Some(Self::Branch(branch.to_owned(), Some(version.to_owned())))
            }
            _ => None,
        }
    }
}

/// The whole question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsAsk {
    /// Columns wanted; empty: all.
    pub columns: Vec<String>,
    pub filters: Vec<Filter>,
    pub at: At,
    pub offset: u64,
    /// 1 to 200.
    pub limit: u32,
    /// Offset of the row shown in full.
    pub row: Option<u64>,
}

impl Default for RowsAsk {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            filters: Vec::new(),
            at: At::Latest,
            offset: 0,
            limit: DEFAULT_LIMIT,
            row: None,
        }
    }
}

impl RowsAsk {
    /// From the query of an address. `Err` names what cannot be understood. A condition typed into
    /// the form (`column`, `op`, `value`) joins those that are there.
    pub fn parse<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut ask = Self::default();
        let (mut column, mut op, mut value) = ("", "", "");
        for (key, text) in pairs {
            match key {
                "show" => ask.columns.push(text.to_owned()),
                "filter" => ask.filters.push(Filter::decode(text).ok_or("This filter cannot be read")?),
                "at" => ask.at = At::decode(text).ok_or("This version cannot be read")?,
                "offset" => ask.offset = text.parse().map_err(|_| "The offset is not a whole number")?,
                "limit" => {
                    let limit: u32 = text.parse().map_err(|_| "The limit is not a whole number")?;
                    ask.limit = limit.clamp(1, 200);
                }
                "row" => ask.row = Some(text.parse().map_err(|_| "The row is not a whole number")?),
                "column" => column = text,
                "op" => op = text,
                "value" => value = text,
                _ => {}
            }
        }
        if !column.is_empty() {
            let column = serde_json::from_str(column).map_err(|_| "This column cannot be read")?;
            let op = Operator::parse(op).ok_or("This comparison does not exist")?;
            let value = if op.takes_value() { value.to_owned() } else { String::new() };
            ask.filters.push(Filter { column, op, value });
            // Another filter, other rows: start from the first.
            ask.offset = 0;
            ask.row = None;
        }
        if ask.filters.len() > MAX_FILTERS {
            return Err(format!("At most {MAX_FILTERS} filters at once"));
        }
        Ok(ask)
    }

    /// The rows of a tag or branch.
    pub fn of_reference(reference: &Reference) -> Self {
        let at = if reference.kind == "branch" {
            At::Branch(reference.name.clone(), None)
        } else {
            At::Tag(reference.name.clone())
        };
        Self { at, ..Self::default() }
    }

    pub fn of_version(version: &str) -> Self {
        Self { at: At::Version(version.to_owned()), ..Self::default() }
    }

    /// The state as names and values, defaults left out: of an address, or of hidden inputs.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        pairs.extend(self.columns.iter().map(|column| ("show", column.clone())));
        pairs.extend(self.filters.iter().map(|filter| ("filter", filter.encode())));
        let at = self.at.encode();
        if !at.is_empty() {
            pairs.push(("at", at));
        }
        if self.offset > 0 {
            pairs.push(("offset", self.offset.to_string()));
        }
        if self.limit != DEFAULT_LIMIT {
            pairs.push(("limit", self.limit.to_string()));
        }
        if let Some(row) = self.row {
            pairs.push(("row", row.to_string()));
        }
        pairs
    }

    /// The address of these rows.
    pub fn href(&self, table: &TableRef) -> String {
        self.below(table, "rows", &[])
    }

    /// The address of one row's details alone, without the frame.
    pub fn part_href(&self, table: &TableRef) -> String {
        self.below(table, "rows", &[("part", "row")])
    }

    /// The address that downloads these rows; `format` is "csv", "json-lines" or "arrow".
    pub fn download_href(&self, table: &TableRef, format: &str) -> String {
        let path = format!("{}/download", links::table_tab(table, "rows"));
        self.at_path(&path, &[("format", format)])
    }

    fn below(&self, table: &TableRef, tab: &str, more: &[(&str, &str)]) -> String {
        self.at_path(&links::table_tab(table, tab), more)
    }

    fn at_path(&self, path: &str, more: &[(&str, &str)]) -> String {
        let pairs = self.pairs();
        let own = pairs.iter().map(|(key, value)| (*key, value.as_str()));
        links::with_query(path, own.chain(more.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<RowsAsk, String> {
        RowsAsk::parse(pairs.iter().copied())
    }

    #[test]
    fn an_address_gives_back_what_made_it() {
        let ask = RowsAsk {
            columns: vec!["a/b?".into(), "<img>".into()],
            filters: vec![Filter {
                column: vec!["s".into(), "x,\"y".into()],
                op: Operator::In,
                value: "1, 2".into(),
            }],
            at: At::Branch("feature/x:1".into(), Some("18446744073709551615".into())),
            offset: 300,
            limit: 200,
            row: Some(312),
        };
        let pairs = ask.pairs();
        let again = RowsAsk::parse(pairs.iter().map(|(k, v)| (*k, v.as_str()))).unwrap();
        assert_eq!(again, ask);
        assert!(RowsAsk::default().pairs().is_empty());
    }

    #[test]
    fn a_typed_condition_joins_the_others_and_starts_from_the_first_row() {
        let first = Filter { column: vec!["a".into()], op: Operator::Greater, value: "1".into() };
        let encoded = first.encode();
        let ask = parse(&[
            ("filter", &encoded),
            ("offset", "100"),
            ("column", "[\"b\"]"),
            ("op", "null"),
            ("value", "ignored"),
        ])
        .unwrap();
        assert_eq!(ask.offset, 0);
        assert_eq!(ask.filters.len(), 2);
        assert_eq!(
            ask.filters[1],
            Filter { column: vec!["b".into()], op: Operator::IsNull, value: String::new() }
        );
    }

    #[test]
    fn nonsense_is_refused_with_its_name_and_limits_are_clamped() {
        assert!(parse(&[("filter", "[1]")]).unwrap_err().contains("filter"));
        assert!(parse(&[("filter", "[[],\"eq\",\"1\"]")]).is_err());
        assert!(parse(&[("at", "moon:1")]).unwrap_err().contains("version"));
        assert!(parse(&[("offset", "-1")]).is_err());
        assert_eq!(parse(&[("limit", "9999")]).unwrap().limit, 200);
        assert_eq!(parse(&[("limit", "0")]).unwrap().limit, 1);
        let filter = Filter { column: vec!["a".into()], op: Operator::Equal, value: String::new() }.encode();
        assert!(parse(&vec![("filter", filter.as_str()); MAX_FILTERS + 1]).is_err());
    }
}
