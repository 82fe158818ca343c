//! Identifiers as clients send them: parts joined by a delimiter in the route, a list in the body.

use lakeglass_api::{BucketName, NameError, NamespacePath, TableName, TableRef};

use crate::Problem;

/// What the specification joins parts by when the client does not say.
pub(super) const DEFAULT_DELIMITER: &str = "$";

/// An object's parts from the root down. No parts: the root itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identifier {
    parts: Vec<String>,
    delimiter: String,
    /// How many leading parts came from `x-lancedb-database` and not from the client's own text.
    given: usize,
}

/// What a namespace operation acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Its children are the buckets that the caller may see.
    Root,
    Bucket(BucketName),
    Namespace(BucketName, NamespacePath),
}

impl Identifier {
    /// Reads a route's text. `database` is the remote dialect's header: what the text is relative to.
    pub(super) fn parse(
        text: &str,
        delimiter: Option<&str>,
        database: Option<&str>,
    ) -> Result<Self, Problem> {
        let delimiter = delimiter.unwrap_or(DEFAULT_DELIMITER);
        if delimiter.is_empty() {
            return Err(Problem::invalid("The delimiter must not be empty; leave it out to use $").code(13));
        }
        let split = |text: &str| -> Vec<String> {
            if text == delimiter || text.is_empty() {
                Vec::new()
            } else {
                text.split(delimiter).map(str::to_owned).collect()
            }
        };
        let mut parts: Vec<String> = database
            .filter(|name| !name.is_empty())
            .map(|name| name.split(DEFAULT_DELIMITER).map(str::to_owned).collect())
            .unwrap_or_default();
        let given = parts.len();
        parts.extend(split(text));
        Ok(Self { parts, delimiter: delimiter.to_owned(), given })
    }

    /// The same request's object under another name, none of which the client gave in part.
    pub(super) fn named(self, parts: Vec<String>) -> Self {
        Self { parts, given: 0, ..self }
    }

    pub(super) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The same object, named by a body: refused when it differs from the route.
    pub(super) fn agrees(&self, body: &[String]) -> Result<(), Problem> {
        let own = self.parts.get(self.given..).unwrap_or_default();
        if body == own || body == self.parts {
            Ok(())
        } else {
            Err(Problem::invalid("The id in the body differs from the one in the path; send one of them")
                .code(13))
        }
    }

    /// A list of parts from a body that names another object, as absolute as this identifier.
    pub(super) fn beside(&self, parts: &[String]) -> Vec<String> {
        let database = self.parts.get(..self.given).unwrap_or_default();
        database.iter().chain(parts).cloned().collect()
    }

    /// A full name in the client's own terms: its delimiter, relative to its database.
    pub(super) fn join(&self, table: &TableRef) -> String {
        let parts = table_parts(table);
        parts.get(self.given..).unwrap_or_default().join(&self.delimiter)
    }

    pub(super) fn place(&self) -> Result<Place, NameError> {
        place(&self.parts)
    }

    /// The table named. Tables live in a namespace of a bucket, so at least three parts.
    pub(super) fn table(&self) -> Result<TableRef, BadTable> {
        table(&self.parts)
    }
}

/// Why an identifier names no table that could exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadTable {
    #[error("A table's id has at least three parts: bucket, namespace, table. Tables live in a namespace")]
    Shallow,
    #[error(transparent)]
    Name(NameError),
}

/// The table that a list of parts names.
pub(super) fn table(parts: &[String]) -> Result<TableRef, BadTable> {
    match parts {
        [bucket, namespace @ .., table] if !namespace.is_empty() => Ok(TableRef {
            bucket: bucket.parse().map_err(BadTable::Name)?,
            namespace: NamespacePath::new(namespace.iter().cloned()).map_err(BadTable::Name)?,
            table: table.parse::<TableName>().map_err(BadTable::Name)?,
        }),
        _ => Err(BadTable::Shallow),
    }
}

pub(super) fn place(parts: &[String]) -> Result<Place, NameError> {
    match parts {
        [] => Ok(Place::Root),
        [bucket] => Ok(Place::Bucket(bucket.parse()?)),
        [bucket, path @ ..] => {
            Ok(Place::Namespace(bucket.parse()?, NamespacePath::new(path.iter().cloned())?))
        }
    }
}

/// Bucket, namespace parts and table, from the root down.
pub(super) fn table_parts(table: &TableRef) -> Vec<String> {
    let mut parts = namespace_parts(table);
    parts.push(table.table.as_str().to_owned());
    parts
}

/// Bucket and namespace parts of a table, from the root down.
pub(super) fn namespace_parts(table: &TableRef) -> Vec<String> {
    let mut parts = vec![table.bucket.as_str().to_owned()];
    parts.extend(table.namespace.parts().iter().cloned());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Identifier {
        Identifier::parse(text, None, None).unwrap()
    }

    #[test]
    fn the_delimiter_alone_is_the_root() {
        assert_eq!(parse("$").place(), Ok(Place::Root));
        assert_eq!(Identifier::parse("::", Some("::"), None).unwrap().place(), Ok(Place::Root));
        assert!(Identifier::parse("a", Some(""), None).is_err());
    }

    #[test]
    fn parts_are_split_by_the_clients_own_delimiter() {
        let id = Identifier::parse("sales::eu::orders.v1", Some("::"), None).unwrap();
        let table = id.table().unwrap();
        assert_eq!(table.to_string(), "sales$eu$orders.v1");
        assert_eq!(id.join(&table), "sales::eu::orders.v1");
        assert_eq!(parse("sales").place().unwrap(), Place::Bucket("sales".parse().unwrap()));
        let deep = parse("sales$a$b").place().unwrap();
        assert_eq!(deep, Place::Namespace("sales".parse().unwrap(), NamespacePath::new(["a", "b"]).unwrap()));
    }

    #[test]
    fn a_table_needs_a_namespace_and_a_name_that_fits() {
        assert_eq!(parse("sales$orders").table(), Err(BadTable::Shallow));
        assert_eq!(parse("$").table(), Err(BadTable::Shallow));
        assert!(matches!(parse("sales$eu$or ders").table(), Err(BadTable::Name(_))));
        assert!(matches!(parse("sales$$orders").table(), Err(BadTable::Name(_))));
    }

    #[test]
    fn a_body_may_repeat_the_route_and_nothing_else() {
        let id = parse("sales$eu");
        assert!(id.agrees(&["sales".into(), "eu".into()]).is_ok());
        assert!(id.agrees(&["sales".into(), "us".into()]).is_err());
        assert!(parse("$").agrees(&[]).is_ok());
    }

    #[test]
    fn the_remote_dialect_names_objects_below_its_database() {
        let id = Identifier::parse("orders", None, Some("sales$eu")).unwrap();
        let table = id.table().unwrap();
        assert_eq!(table.to_string(), "sales$eu$orders");
        assert_eq!(id.join(&table), "orders");
        assert!(id.agrees(&["orders".into()]).is_ok());
        assert_eq!(id.beside(&["us".into()]), ["sales", "eu", "us"]);
    }
}
