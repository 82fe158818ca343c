//! A page of rows as the query of a URL: the names that the rows page uses in its address, so that one
//! can be turned into the other by its path alone.

use lakeglass_api::conditions::typed_values;
use lakeglass_ports::{Condition, ConditionValue, Operator, VersionRef};
use serde::Deserialize;

use super::{Error, PreviewQuery, Result};

/// Which rows a URL asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct RowsParameters {
    /// A column to show; repeat for more, in the order wanted. All when left out.
    pub show: Vec<String>,
    /// A condition as JSON, `[["column"], "ge", "10"]`: a path of names from the top level down, an
    /// operator (eq, ne, lt, le, gt, ge, contains, starts, in, null, not-null), and a value as text.
    /// `in` takes a list of texts, or one text with commas. Repeat for more; all must hold.
    pub filter: Vec<String>,
    /// `version:7`, `tag:v1`, `branch:trial` or `branch-at:7:trial`. The latest when left out.
    pub at: Option<String>,
    /// Rows to skip.
    pub offset: Option<u64>,
    /// 1 to 200, 50 by default.
    pub limit: Option<u32>,
}

#[derive(Deserialize)]
struct Triple(Vec<String>, String, #[serde(default)] Option<OneOrMany>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl RowsParameters {
    /// The query that these parameters ask for.
    pub fn query(&self) -> Result<PreviewQuery> {
        Ok(PreviewQuery {
            columns: (!self.show.is_empty()).then(|| self.show.clone()),
            filter: self.filter.iter().map(|text| condition(text)).collect::<Result<_>>()?,
            offset: self.offset.unwrap_or(0),
            limit: match self.limit {
                Some(0) => return Err(Error::Invalid("limit", "A limit is 1 to 200".to_owned())),
                Some(limit) => limit,
                None => 0,
            },
            at: at(self.at.as_deref().unwrap_or_default())?,
        })
    }
}

fn condition(text: &str) -> Result<Condition> {
    let rule = "A filter is JSON: [[\"column\"], \"eq\", \"value\"]";
    let invalid = |rule: String| Error::Invalid("filter", rule);
    let Triple(column, word, value) = serde_json::from_str(text).map_err(|_| invalid(rule.to_owned()))?;
    if column.is_empty() {
        return Err(invalid(rule.to_owned()));
    }
    let operator = Operator::parse(&word).ok_or_else(|| {
        invalid(format!("Not an operator. Use one of {}", Operator::ALL.map(Operator::code).join(", ")))
    })?;
    let value = match (operator, value) {
        (Operator::IsNull | Operator::IsNotNull, _) => ConditionValue::None,
        (Operator::In, Some(OneOrMany::Many(values))) => ConditionValue::Many(values),
        (Operator::In, Some(OneOrMany::One(text))) => ConditionValue::Many(typed_values(&text)),
        (_, Some(OneOrMany::One(text))) => ConditionValue::One(text),
        (_, Some(OneOrMany::Many(_))) => return Err(invalid("Only in takes several values".to_owned())),
        (_, None) => return Err(invalid(format!("The operator {word} needs a value"))),
    };
    Ok(Condition { column, operator, value })
}

fn at(text: &str) -> Result<VersionRef> {
    let invalid = || {
        let rule = "Use version:7, tag:name, branch:name or branch-at:7:name";
        Error::Invalid("at", rule.to_owned())
    };
    if text.is_empty() {
        return Ok(VersionRef::Latest);
    }
    let (kind, rest) = text.split_once(':').filter(|(_, rest)| !rest.is_empty()).ok_or_else(invalid)?;
    match kind {
        "version" => Ok(VersionRef::Version(rest.to_owned())),
        "tag" => Ok(VersionRef::Tag(rest.to_owned())),
        "branch" => Ok(VersionRef::Branch(rest.to_owned(), None)),
        "branch-at" => {
            let (version, branch) = rest.split_once(':').ok_or_else(invalid)?;
            Ok(VersionRef::Branch(branch.to_owned(), Some(version.to_owned())))
        }
        _ => Err(invalid()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(filter: &[&str], at: &str) -> Result<PreviewQuery> {
        let filter = filter.iter().map(|&text| text.to_owned()).collect();
        RowsParameters { filter, at: Some(at.to_owned()), ..RowsParameters::default() }.query()
    }

    #[test]
    fn conditions_and_versions_are_read_from_the_address() {
        let filter = [
            r#"[["a","b.c"],"ge","3"]"#,
            r#"[["x"],"in",["1","2,3"]]"#,
            r#"[["y"],"in","1, 2"]"#,
            r#"[["z"],"null"]"#,
        ];
        let query = asked(&filter, "branch-at:7:a:b").unwrap();
        assert_eq!(query.at, VersionRef::Branch("a:b".into(), Some("7".into())));
        assert_eq!(query.filter[0].column, ["a", "b.c"]);
        assert_eq!(query.filter[0].operator, Operator::GreaterOrEqual);
        let values: Vec<&ConditionValue> = query.filter.iter().map(|condition| &condition.value).collect();
        let many =
            |values: &[&str]| ConditionValue::Many(values.iter().map(|&value| value.to_owned()).collect());
        assert_eq!(
            values,
            [
                &ConditionValue::One("3".into()),
                &many(&["1", "2,3"]),
                &many(&["1", "2"]),
                &ConditionValue::None
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_field() {
        let field = |asked: Result<PreviewQuery>| match asked {
            Err(Error::Invalid(field, _)) => field,
            other => panic!("{other:?}"),
        };
        for bad in [
            "",
            "x",
            "[[],\"eq\",\"1\"]",
            "[[\"a\"],\"like\",\"1\"]",
            "[[\"a\"],\"eq\"]",
            "[[\"a\"],\"eq\",[\"1\"]]",
        ] {
            assert_eq!(field(asked(&[bad], "")), "filter", "{bad}");
        }
        for bad in ["7", "version:", "branch-at:7", "commit:1"] {
            assert_eq!(field(asked(&[], bad)), "at", "{bad}");
        }
        let none = RowsParameters { limit: Some(0), ..RowsParameters::default() };
        assert_eq!(field(none.query()), "limit");
    }
}
