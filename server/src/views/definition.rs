//! A view's query: its text as clients send it, and as the engine takes it.

use lakeglass_api::{BucketName, NamespacePath, TableRef};
use lakeglass_ports::{Projection, TableQuery, VersionRef};
use serde::{Deserialize, Serialize};

use super::{Error, Result};

/// Bytes of a definition; it is kept as a property of the view.
const LONGEST: usize = 4_096;
/// Columns of a view.
const MOST_COLUMNS: usize = 1_000;

/// A query over one table, as JSON: `{"table": ["bucket", "namespace", "table"], "columns": ["a"]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The source, in the view's own bucket.
    pub table: Vec<String>,
    /// Names, or pairs of a new name and a SQL expression over columns. None: all columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Columns>,
    /// A SQL predicate over the source's columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// None: the newest when the view is filled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "columns are a list of names, or a list of pairs [name, expression]")]
pub enum Columns {
    Names(Vec<String>),
    Expressions(Vec<(String, String)>),
}

impl Definition {
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > LONGEST {
            return Err(wrong(format!("Use at most {LONGEST} bytes for the query of a view")));
        }
        let definition: Self = serde_json::from_str(text).map_err(|error| {
            wrong(format!(
                "The query of a view is JSON with a table and, if wanted, columns, filter, limit, offset, and a version, branch or tag: {error}"
            ))
        })?;
        let columns = match &definition.columns {
            None => 1,
            Some(Columns::Names(names)) => names.len(),
            Some(Columns::Expressions(pairs)) => pairs.len(),
        };
        if columns == 0 || columns > MOST_COLUMNS {
            return Err(wrong(format!("A view has 1 to {MOST_COLUMNS} columns; leave columns out for all")));
        }
        if definition.tag.is_some() && (definition.version.is_some() || definition.branch.is_some()) {
            return Err(wrong("A tag cannot be combined with a version or a branch".to_owned()));
        }
        Ok(definition)
    }

    /// The source table, which is in the view's bucket.
    pub fn source(&self, bucket: &BucketName) -> Result<TableRef> {
        let bad = || wrong("The query's table is a list: bucket, namespace, table".to_owned());
        let [first, namespace @ .., table] = self.table.as_slice() else { return Err(bad()) };
        if first != bucket.as_str() {
            return Err(wrong(format!("The query's table must be in the bucket of the view, {bucket}")));
        }
        if namespace.is_empty() {
            return Err(bad());
        }
        Ok(TableRef {
            bucket: bucket.clone(),
            namespace: NamespacePath::new(namespace.iter().cloned()).map_err(|_| bad())?,
            table: table.parse().map_err(|_| bad())?,
        })
    }

    /// `version` wins over the definition's own, on the same branch.
    pub fn query(&self, version: Option<u64>) -> TableQuery {
        let number = version.or(self.version).map(|version| version.to_string());
        let branch = self.branch.clone().filter(|name| !name.is_empty() && name != "main");
        let at = match (&self.tag, branch, number) {
            (Some(tag), _, None) => VersionRef::Tag(tag.clone()),
            (_, Some(branch), number) => VersionRef::Branch(branch, number),
            (_, None, Some(number)) => VersionRef::Version(number),
            (None, None, None) => VersionRef::Latest,
        };
        TableQuery {
            at,
            projection: match &self.columns {
                None => Projection::All,
                Some(Columns::Names(names)) => Projection::Columns(names.clone()),
                Some(Columns::Expressions(pairs)) => Projection::Aliases(pairs.clone()),
            },
            filter: self.filter.clone().filter(|filter| !filter.trim().is_empty()),
            prefilter: true,
            vector: None,
            full_text: None,
            limit: self.limit,
            offset: self.offset.unwrap_or(0),
            with_row_id: false,
        }
    }
}

fn wrong(rule: String) -> Error {
    Error::Definition(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_says_source_columns_and_version() {
        let text = r#"{"table": ["lake", "a", "b", "t"], "columns": [["double", "x * 2"]], "filter": "x > 1",
            "branch": "main", "version": 3}"#;
        let definition = Definition::parse(text).unwrap();
        let source = definition.source(&"lake".parse().unwrap()).unwrap();
        assert_eq!(source.to_string(), "lake$a$b$t");
        let query = definition.query(None);
        assert_eq!(query.at, VersionRef::Version("3".to_owned()));
        assert_eq!(query.projection, Projection::Aliases(vec![("double".to_owned(), "x * 2".to_owned())]));
        assert_eq!(definition.query(Some(9)).at, VersionRef::Version("9".to_owned()));
        let kept = serde_json::to_string(&definition).unwrap();
        assert_eq!(Definition::parse(&kept).unwrap(), definition);
    }

    #[test]
    fn what_a_view_cannot_be_is_refused() {
        for bad in [
            "SELECT 1",
            r#"{"table": ["lake", "a", "t"], "order_by": "x"}"#,
            r#"{"table": ["lake", "a", "t"], "columns": []}"#,
            r#"{"table": ["lake", "a", "t"], "tag": "x", "version": 1}"#,
            r#"{"columns": ["a"]}"#,
        ] {
            assert!(matches!(Definition::parse(bad), Err(Error::Definition(_))), "{bad}");
        }
        let elsewhere = Definition::parse(r#"{"table": ["other", "a", "t"]}"#).unwrap();
        assert!(elsewhere.source(&"lake".parse().unwrap()).is_err());
        let shallow = Definition::parse(r#"{"table": ["lake", "t"]}"#).unwrap();
        assert!(shallow.source(&"lake".parse().unwrap()).is_err());
    }
}
