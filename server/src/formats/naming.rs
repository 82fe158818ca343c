//! The name that a found table gets from its place.

use lakeglass_api::{BucketName, NamespacePath, TableName, TableRef};

/// The namespace of tables that lie at the bucket's root.
const ROOT_NAMESPACE: &str = "default";

/// `x.csv` at the root is `default` / `x.csv`; `a/b/x.csv` is `a.b` / `x.csv`. A folder that the
/// catalog laid out itself, `a.b/t`, is `a.b` / `t`. Characters that names may not hold become `_`.
/// The rule that was broken, when even so there is none.
pub(super) fn table_at(bucket: &BucketName, path: &str) -> Result<TableRef, String> {
    let (folders, name) = path.rsplit_once('/').map_or(("", path), |(folders, name)| (folders, name));
    let namespace = if folders.is_empty() {
        NamespacePath::new([ROOT_NAMESPACE])
    } else {
        let parts = folders.split('/').flat_map(|folder| folder.split('.')).filter(|part| !part.is_empty());
        NamespacePath::new(parts.map(|part| plain(part, false)))
    };
    let namespace = namespace.map_err(|error| format!("Its folders make no namespace. {error}"))?;
    if namespace.is_root() {
        return Err("Its folders make no namespace".to_owned());
    }
    let table: TableName =
        plain(name, true).parse().map_err(|error| format!("Its name makes no table. {error}"))?;
    Ok(TableRef { bucket: bucket.clone(), namespace, table })
}

fn plain(text: &str, dots: bool) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || (dots && c == '.');
    let mut made = String::with_capacity(text.len());
    for c in text.chars() {
        if keep(c) {
            made.push(c);
        } else if !made.ends_with('_') {
            made.push('_');
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_names() {
        let bucket: BucketName = "files".parse().unwrap();
        for (path, name) in [
            ("x.csv", "files$default$x.csv"),
            ("a/b/x.csv", "files$a$b$x.csv"),
            ("sales.eu/orders", "files$sales$eu$orders"),
            ("Sales 2026 (final).csv", "files$default$Sales_2026_final_.csv"),
            ("år/<b>.csv", "files$_r$_b_.csv"),
        ] {
            assert_eq!(table_at(&bucket, path).unwrap().to_string(), name, "{path}");
        }
        let deep = format!("{}x.csv", "a/".repeat(9));
        for bad in [deep.as_str(), &"x".repeat(129), "../x.csv"] {
            assert!(table_at(&bucket, bad).is_err(), "{bad}");
        }
    }
}
