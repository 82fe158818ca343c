//! Lists, structs and maps: one line for the grid, indented text for the drawer, both bounded.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields};
use lakeglass_api::cells::Cell;

use super::text::{head, visible};

/// How deep, how many values of one list or map, and how many in all are shown.
const DEPTH: usize = 32;
const ITEMS: usize = 100;
const VALUES: usize = 1_000;
/// Characters of the line, and of the text.
const SUMMARY: usize = 160;
const FULL: usize = 16 << 10;

/// A value cut to what is shown of it.
enum Node {
    Leaf(String),
    List {
        items: Vec<Node>,
        more: usize,
    },
    Struct {
        fields: Vec<(String, Node)>,
        more: usize,
    },
    /// Keys keep their order, and may repeat.
    Map {
        entries: Vec<(Node, Node)>,
        more: usize,
    },
}

/// What may still be shown, and whether something was not.
struct Budget {
    values: usize,
    cut: bool,
}

pub(super) fn cell(array: &dyn Array, row: usize) -> Cell {
    let mut budget = Budget { values: VALUES, cut: false };
    let node = node(array, None, row, 0, &mut budget);
    let mut line = String::new();
    one_line(&node, &mut line);
    let summary = match head(&line, SUMMARY, SUMMARY * 4) {
        whole if whole.len() == line.len() => line,
        part => format!("{part}…"),
    };
    let mut full = String::new();
    indented(&node, 0, &mut full);
    if full.len() > FULL {
        budget.cut = true;
        full = format!("{}\n…", head(&full, usize::MAX, FULL));
    }
    Cell::Nested { summary, full, cut: budget.cut }
}

fn node(array: &dyn Array, field: Option<&Field>, row: usize, depth: usize, budget: &mut Budget) -> Node {
    if array.is_null(row) {
        budget.values = budget.values.saturating_sub(1);
        return Node::Leaf("null".to_owned());
    }
    if depth >= DEPTH || budget.values == 0 {
        budget.cut = true;
        return Node::Leaf("…".to_owned());
    }
    match array.data_type() {
        DataType::List(item) => list(&array.as_list::<i32>().value(row), item, depth, budget),
        DataType::LargeList(item) => list(&array.as_list::<i64>().value(row), item, depth, budget),
        DataType::ListView(item) => list(&array.as_list_view::<i32>().value(row), item, depth, budget),
        DataType::LargeListView(item) => list(&array.as_list_view::<i64>().value(row), item, depth, budget),
        DataType::FixedSizeList(item, _) => list(&array.as_fixed_size_list().value(row), item, depth, budget),
        DataType::Struct(fields) => structure(array.as_struct().columns(), fields, row, depth, budget),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let shown = entries.len().min(ITEMS);
            let (keys, values) = (entries.column(0), entries.column(1));
            let pairs = (0..shown)
                .map(|at| {
                    (node(keys, None, at, depth + 1, budget), node(values, None, at, depth + 1, budget))
                })
                .collect();
            let more = entries.len() - shown;
            budget.cut |= more > 0;
            Node::Map { entries: pairs, more }
        }
        data_type => {
            budget.values -= 1;
            let unnamed = Field::new("", data_type.clone(), true);
            let value = super::cell(array, field.unwrap_or(&unnamed), row);
            Node::Leaf(leaf(value, budget))
        }
    }
}

fn list(values: &ArrayRef, item: &Field, depth: usize, budget: &mut Budget) -> Node {
    let shown = values.len().min(ITEMS).min(budget.values);
    let items = (0..shown).map(|at| node(values, Some(item), at, depth + 1, budget)).collect();
    let more = values.len() - shown;
    budget.cut |= more > 0;
    Node::List { items, more }
}

fn structure(columns: &[ArrayRef], fields: &Fields, row: usize, depth: usize, budget: &mut Budget) -> Node {
    let shown = columns.len().min(ITEMS);
    let fields = fields
        .iter()
        .zip(columns)
        .take(shown)
        .map(|(field, column)| {
            let name = visible(head(field.name(), 64, 256)).into_owned();
            (name, node(column, Some(field), row, depth + 1, budget))
        })
        .collect();
    let more = columns.len() - shown;
    budget.cut |= more > 0;
    Node::Struct { fields, more }
}

/// A plain value in a line: text in quotes, so that "null" is no null.
fn leaf(value: Cell, budget: &mut Budget) -> String {
    match value {
        Cell::Null => "null".to_owned(),
        Cell::Number { text }
        | Cell::Special { text }
        | Cell::Time { text, .. }
        | Cell::Json { text, .. } => text,
        Cell::Text { text, cut_from } => {
            budget.cut |= cut_from.is_some();
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            if cut_from.is_some() { format!("\"{quoted}…\"") } else { format!("\"{quoted}\"") }
        }
        Cell::Binary { length, head, .. } => {
            if length > 32 {
                format!("{head}… ({length} bytes)")
            } else {
                head
            }
        }
        Cell::Vector { dimension, norm, .. } => format!("vector of {dimension}, norm {norm}"),
        Cell::Nested { summary, cut, .. } => {
            budget.cut |= cut;
            summary
        }
    }
}

fn one_line(node: &Node, out: &mut String) {
    // What does not fit on the line need not be written.
    if out.len() > SUMMARY * 8 {
        return;
    }
    match node {
        Node::Leaf(text) => out.push_str(text),
        Node::List { items, more } => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                one_line(item, out);
            }
            and_more(*more, items.is_empty(), out);
            out.push(']');
        }
        Node::Struct { fields, more } => {
            out.push('{');
            for (at, (name, value)) in fields.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                let _ = write!(out, "{name}: ");
                one_line(value, out);
            }
            and_more(*more, fields.is_empty(), out);
            out.push('}');
        }
        Node::Map { entries, more } => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                one_line(key, out);
                out.push_str(" → ");
                one_line(value, out);
            }
            and_more(*more, entries.is_empty(), out);
            out.push('}');
        }
    }
}

fn and_more(more: usize, first: bool, out: &mut String) {
    if more > 0 {
        let _ = write!(out, "{}and {more} more", if first { "" } else { ", " });
    }
}

fn indented(node: &Node, depth: usize, out: &mut String) {
    if out.len() > FULL {
        return;
    }
    let pad = |depth: usize| "  ".repeat(depth);
    match node {
        Node::Leaf(text) => out.push_str(text),
        Node::List { items, more } if items.is_empty() && *more == 0 => out.push_str("[]"),
        Node::Struct { fields, more } if fields.is_empty() && *more == 0 => out.push_str("{}"),
        Node::Map { entries, more } if entries.is_empty() && *more == 0 => out.push_str("{}"),
        Node::List { items, more } => {
            out.push('[');
            for item in items {
                let _ = write!(out, "\n{}", pad(depth + 1));
                indented(item, depth + 1, out);
            }
            lines_more(*more, &pad(depth + 1), out);
            let _ = write!(out, "\n{}]", pad(depth));
        }
        Node::Struct { fields, more } => {
            out.push('{');
            for (name, value) in fields {
                let _ = write!(out, "\n{}{name}: ", pad(depth + 1));
                indented(value, depth + 1, out);
            }
            lines_more(*more, &pad(depth + 1), out);
            let _ = write!(out, "\n{}}}", pad(depth));
        }
        Node::Map { entries, more } => {
            out.push('{');
            for (key, value) in entries {
                let _ = write!(out, "\n{}", pad(depth + 1));
                indented(key, depth + 1, out);
                out.push_str(" → ");
                indented(value, depth + 1, out);
            }
            lines_more(*more, &pad(depth + 1), out);
            let _ = write!(out, "\n{}}}", pad(depth));
        }
    }
}

fn lines_more(more: usize, pad: &str, out: &mut String) {
    if more > 0 {
        let _ = write!(out, "\n{pad}and {more} more");
    }
}
