//! What can be said of an index before it is built: its name, its column, and whether the column, the
//! rows and the parameters fit its kind.

use arrow_schema::{DataType, Field};
use lakeglass_ports::{Error, IndexRequest, Result, is_json};
use lance::Dataset;
use lance::index::DatasetIndexExt;
use lance_core::datatypes::format_field_path;
use lance_index::IndexType;

use super::{kinds, list, params};
use crate::error::map;
use crate::query::is_vector;

/// Bytes of an index's name.
const LONGEST_NAME: usize = 200;

/// An index that can be built.
pub(super) struct Plan {
    pub(super) name: String,
    /// The column's canonical path.
    pub(super) column: String,
    pub(super) word: &'static str,
    pub(super) kind: IndexType,
    pub(super) data_type: DataType,
    /// Live rows now.
    pub(super) rows: u64,
}

pub(super) async fn plan(dataset: &Dataset, request: &IndexRequest) -> Result<Plan> {
    let (word, kind) = kinds::parse(&request.kind)?;
    let missing = || Error::NoSuchColumn(request.column.chars().take(200).collect());
    let path = dataset.schema().resolve_case_insensitive(&request.column).ok_or_else(missing)?;
    let names: Vec<&str> = path.iter().map(|field| field.name.as_str()).collect();
    let column = format_field_path(&names);
    let field = path.last().map(|field| Field::from(*field)).ok_or_else(missing)?;
    check_type(word, kind, &column, &field)?;
    let rows = dataset.count_rows(None).await.map_err(map)? as u64;
    let plan = Plan {
        name: name(dataset, request, &names, &column, word).await?,
        column,
        word,
        kind,
        data_type: field.data_type().clone(),
        rows,
    };
    params::of(&plan, request).map(drop)?;
    Ok(plan)
}

fn check_type(word: &str, kind: IndexType, column: &str, field: &Field) -> Result<()> {
    let data_type = field.data_type();
    let plain = !data_type.is_nested();
    let fits = match kind {
        _ if kind.is_vector() => is_vector(data_type),
        IndexType::LabelList => item(data_type).is_some_and(|item| !item.is_nested()),
        IndexType::Inverted => is_text(data_type) || item(data_type).is_some_and(is_text) || is_json(field),
        IndexType::NGram => is_text(data_type),
        IndexType::Fm => is_text(data_type) || data_type.is_binary(),
        _ => plain,
    };
    let needs = match kind {
        _ if kind.is_vector() => "vectors: a fixed-size list of floating-point numbers",
        IndexType::LabelList => "lists of plain values",
        IndexType::Inverted => "text, or lists of text",
        IndexType::NGram => "text",
        IndexType::Fm => "text or bytes",
        _ => "plain values",
    };
    if fits {
        return Ok(());
    }
    let holds = lakeglass_ports::type_words(field);
    Err(Error::InvalidRequest(format!("{word} is for {needs}, and column {column} holds {holds}")))
}

fn item(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => Some(item.data_type()),
        _ => None,
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The name asked for, or the column's with `_idx`: made unique among indices of other columns and kinds.
async fn name(
    dataset: &Dataset,
    request: &IndexRequest,
    names: &[&str],
    column: &str,
    word: &str,
) -> Result<String> {
    let known = list::described(dataset).await?;
    let same = |name: &str| {
        let found = known.iter().find(|one| one.index.name() == name);
        found.map(|one| one.columns == [column] && kinds::word(one.index.index_type()) == word)
    };
    let given = request.name.as_deref().filter(|name| !name.is_empty());
    let name = if let Some(name) = given {
        if name.len() > LONGEST_NAME || name.chars().any(char::is_control) || name.starts_with("__") {
            return Err(Error::InvalidRequest(format!(
                "An index's name has at most {LONGEST_NAME} bytes, no control characters, and does not begin with __"
            )));
        }
        name.to_owned()
    } else {
        let base =
            if names.iter().any(|name| name.contains('.')) { column.to_owned() } else { names.join(".") };
        let tries = (1_u32..).map(|number| match number {
            1 => format!("{base}_idx"),
            _ => format!("{base}_idx_{number}"),
        });
        // Ends: there are fewer indices than numbers.
        let free = tries.take(1_000).find(|name| same(name) != Some(false));
        free.ok_or_else(|| Error::InvalidRequest("Give the index a name".to_owned()))?
    };
    let taken = !dataset.load_indices_by_name(&name).await.map_err(map)?.is_empty();
    if taken && !request.replace {
        return Err(Error::IndexExists(name));
    }
    let other_column = known.iter().any(|one| one.index.name() == name && one.columns != [column]);
    if other_column {
        return Err(Error::IndexExists(format!("{name} of another column")));
    }
    Ok(name)
}
