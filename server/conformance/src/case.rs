//! What a case is: state before, one request, what must come back, and what must be true afterwards.

use serde_json::Value;

use crate::Operation;
use crate::request::Request;
pub use crate::words::{Group, Need, Source};

/// One thing that must hold for an answer. Texts and values may hold `{name}`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Check {
    /// Of the JSON value at a pointer; nothing there and null are the same.
    Json(String, Must),
    /// The answer's rows are these, in any order. Columns not named are not looked at.
    Rows(Vec<Value>),
    /// The answer's rows are these, in this order.
    InOrder(Vec<Value>),
    /// The answer has this many rows.
    RowCount(usize),
    /// The answer's columns, in this order.
    Columns(Vec<&'static str>),
    /// The body's text holds this, in any case.
    Says(&'static str),
    /// The body's text does not hold this.
    Silent(String),
    /// The error's message or detail names this field.
    Names(&'static str),
    /// The header there has this value.
    Header(&'static str, String),
    /// The status is this one of the successes.
    Status(u16),
}

/// What must hold for a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Must {
    Be(Value),
    /// As `Be`, unless nothing is there, because the server keeps no such thing.
    BeIfThere(Value),
    Differ(Value),
    /// Be there, and of this shape ([`crate::shapes`]).
    Have(&'static str),
    BeMissing,
    /// A list of exactly these, in any order.
    HoldExactly(Vec<Value>),
    Lack(Value),
    /// A map with exactly these keys.
    HaveKeys(Vec<String>),
    /// A list of at most so many.
    BeAtMost(usize),
    BeAbove(Value),
    BeUnder(Value),
    /// A list whose items fall by this field.
    Fall(&'static str),
}

/// What must come back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expect {
    /// Statuses and codes of which one must come back; none: a success of the operation's shape.
    pub(crate) errors: Vec<(u16, i64)>,
    /// Errors that are as good as a success, because only what is true afterwards matters.
    pub(crate) tolerates: Vec<(u16, i64)>,
    pub(crate) checks: Vec<Check>,
    /// Values of the answer kept for later steps: name and pointer.
    pub(crate) keeps: Vec<(&'static str, &'static str)>,
}

/// A success of the operation's shape.
pub(crate) fn ok() -> Expect {
    Expect { errors: Vec::new(), tolerates: Vec::new(), checks: Vec::new(), keeps: Vec::new() }
}

/// An error of this status and code.
pub(crate) fn error(status: u16, code: i64) -> Expect {
    one_of(&[(status, code)])
}

/// An error of one of these statuses and codes.
pub(crate) fn one_of(errors: &[(u16, i64)]) -> Expect {
    Expect { errors: errors.to_vec(), ..ok() }
}

/// A success or one of these errors: what matters is what is true afterwards.
pub(crate) fn ok_or(errors: &[(u16, i64)]) -> Expect {
    Expect { tolerates: errors.to_vec(), ..ok() }
}

/// A table is missing: where its namespace is missing too, either may be said.
pub(crate) fn no_table() -> Expect {
    one_of(&[(404, 4), (404, 1)])
}

/// Malformed or invalid input.
pub(crate) fn invalid() -> Expect {
    error(400, 13)
}

impl Expect {
    fn and(mut self, check: Check) -> Self {
        self.checks.push(check);
        self
    }

    fn must(self, pointer: &str, must: Must) -> Self {
        self.and(Check::Json(pointer.to_owned(), must))
    }

    /// The value at the pointer is this; an empty pointer is the whole answer.
    pub(crate) fn at(self, pointer: &str, value: impl Into<Value>) -> Self {
        self.must(pointer, Must::Be(value.into()))
    }

    /// The value there is this, unless the server keeps no such thing.
    pub(crate) fn at_or_missing(self, pointer: &str, value: impl Into<Value>) -> Self {
        self.must(pointer, Must::BeIfThere(value.into()))
    }

    pub(crate) fn differs(self, pointer: &str, value: impl Into<Value>) -> Self {
        self.must(pointer, Must::Differ(value.into()))
    }

    pub(crate) fn missing(self, pointer: &str) -> Self {
        self.must(pointer, Must::BeMissing)
    }

    /// The value there is of this shape.
    pub(crate) fn is(self, pointer: &str, shape: &'static str) -> Self {
        self.must(pointer, Must::Have(shape))
    }

    pub(crate) fn exactly(self, pointer: &str, values: &[&str]) -> Self {
        self.must(pointer, Must::HoldExactly(values.iter().map(|text| Value::from(*text)).collect()))
    }

    pub(crate) fn lacks(self, pointer: &str, value: impl Into<Value>) -> Self {
        self.must(pointer, Must::Lack(value.into()))
    }

    pub(crate) fn keys(self, pointer: &str, names: &[&str]) -> Self {
        self.must(pointer, Must::HaveKeys(names.iter().map(|name| (*name).to_owned()).collect()))
    }

    pub(crate) fn at_most(self, pointer: &str, most: usize) -> Self {
        self.must(pointer, Must::BeAtMost(most))
    }

    pub(crate) fn above(self, pointer: &str, value: impl Into<Value>) -> Self {
        self.must(pointer, Must::BeAbove(value.into()))
    }

    pub(crate) fn under(self, pointer: &str, value: impl Into<Value>) -> Self {
        self.must(pointer, Must::BeUnder(value.into()))
    }

    pub(crate) fn falls(self, pointer: &str, field: &'static str) -> Self {
        self.must(pointer, Must::Fall(field))
    }

    /// The answer's rows, in any order, as far as their columns are named: a list of objects.
    pub(crate) fn rows(self, rows: &Value) -> Self {
        self.and(Check::Rows(rows.as_array().cloned().unwrap_or_default()))
    }

    pub(crate) fn in_order(self, rows: &Value) -> Self {
        self.and(Check::InOrder(rows.as_array().cloned().unwrap_or_default()))
    }

    pub(crate) fn row_count(self, count: usize) -> Self {
        self.and(Check::RowCount(count))
    }

    pub(crate) fn columns(self, names: &[&'static str]) -> Self {
        self.and(Check::Columns(names.to_vec()))
    }

    pub(crate) fn says(self, text: &'static str) -> Self {
        self.and(Check::Says(text))
    }

    pub(crate) fn silent(self, text: &str) -> Self {
        self.and(Check::Silent(text.to_owned()))
    }

    pub(crate) fn names(self, field: &'static str) -> Self {
        self.and(Check::Names(field))
    }

    pub(crate) fn header(self, name: &'static str, value: &str) -> Self {
        self.and(Check::Header(name, value.to_owned()))
    }

    pub(crate) fn status(self, status: u16) -> Self {
        self.and(Check::Status(status))
    }

    /// Keeps a value of the answer as `{name}`.
    pub(crate) fn keep(mut self, name: &'static str, pointer: &'static str) -> Self {
        self.keeps.push((name, pointer));
        self
    }
}

/// How many of several requests sent at once must succeed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tally {
    All,
    /// Exactly one; the others get one of these errors.
    One(Vec<(u16, i64)>),
    /// One at least; the others get one of these errors.
    Some(Vec<(u16, i64)>),
}

/// One step of a case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Ask(Request, Expect),
    /// The same state must come true within a few seconds.
    Soon(Request, Expect),
    /// Sent at once, each on a connection of its own.
    Together(Vec<Request>, Tally),
    /// Sent until the connection breaks; no answer is expected.
    Break(Request),
    /// Follows page tokens to the end: the list at `pointer` gives exactly `wanted` and, where `others` is
    /// set, possibly more; no page is longer than `limit`; nothing comes twice. After each page, one of
    /// `between` is sent.
    Walk {
        request: Request,
        pointer: &'static str,
        limit: usize,
        wanted: Vec<String>,
        between: Vec<Request>,
        others: bool,
    },
}

impl Step {
    /// The operation that the step is about.
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Ask(request, _)
            | Self::Soon(request, _)
            | Self::Break(request)
            | Self::Walk { request, .. } => request.operation,
            Self::Together(requests, _) => requests[0].operation,
        }
    }
}

/// A step of the state before: it must succeed.
impl From<Request> for Step {
    fn from(request: Request) -> Self {
        Self::Ask(request, ok())
    }
}

/// One row of the suite.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    pub operation: Operation,
    pub group: Group,
    pub source: Source,
    pub title: String,
    pub(crate) needs: Vec<Need>,
    /// The case makes its own namespace itself.
    pub(crate) bare: bool,
    pub(crate) given: Vec<Step>,
    pub(crate) when: Step,
    pub(crate) after: Vec<Step>,
}

/// A case before its request is known.
#[derive(Debug)]
pub(crate) struct Draft {
    source: Source,
    title: String,
    operation: Option<Operation>,
    needs: Vec<Need>,
    bare: bool,
    given: Vec<Step>,
}

fn draft(source: Source, title: impl Into<String>) -> Draft {
    Draft { source, title: title.into(), operation: None, needs: Vec::new(), bare: false, given: Vec::new() }
}

/// A case that the specification asks for.
pub(crate) fn spec(title: impl Into<String>) -> Draft {
    draft(Source::Specification, title)
}

/// A case of a rule beyond the specification's text.
pub(crate) fn rule(title: impl Into<String>) -> Draft {
    draft(Source::Rule, title)
}

/// A case of how Lakeglass names and bounds things.
pub(crate) fn own(title: impl Into<String>) -> Draft {
    let mut draft = draft(Source::Own, title);
    draft.needs.push(Need::Own);
    draft
}

impl Draft {
    pub(crate) fn needs(mut self, need: Need) -> Self {
        self.needs.push(need);
        self
    }

    /// The case's own namespace is not made before.
    pub(crate) fn bare(self) -> Self {
        Self { bare: true, ..self }
    }

    /// Which operation the case is about, where that is not the one of its main request.
    pub(crate) fn about(self, operation: Operation) -> Self {
        Self { operation: Some(operation), ..self }
    }

    /// State before, made in this order.
    pub(crate) fn given<S: Into<Step>>(mut self, steps: impl IntoIterator<Item = S>) -> Self {
        self.given.extend(steps.into_iter().map(Into::into));
        self
    }

    /// The request that the case is about, and what must come back.
    pub(crate) fn when(self, request: Request, expect: Expect) -> Case {
        self.step(Step::Ask(request, expect))
    }

    pub(crate) fn step(self, when: Step) -> Case {
        let operation = self.operation.unwrap_or_else(|| when.operation());
        let Self { source, title, needs, bare, given, .. } = self;
        // The files' names are their groups; `cases::all` fills them in.
        Case {
            operation,
            group: Group::Namespaces,
            source,
            title,
            needs,
            bare,
            given,
            when,
            after: Vec::new(),
        }
    }
}

impl Case {
    /// What must be true afterwards.
    pub(crate) fn then(mut self, request: Request, expect: Expect) -> Self {
        self.after.push(Step::Ask(request, expect));
        self
    }

    pub(crate) fn then_step(mut self, step: Step) -> Self {
        self.after.push(step);
        self
    }
}
