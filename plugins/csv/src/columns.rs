//! Cells into Arrow columns of the guessed kinds.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};

use crate::kind::{self, Kind};

/// One column being filled.
pub(crate) enum Column {
    Boolean(BooleanBuilder),
    Integer(Int64Builder),
    Float(Float64Builder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder, bool),
    Text(StringBuilder),
}

impl Column {
    pub(crate) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Boolean => Self::Boolean(BooleanBuilder::new()),
            Kind::Integer => Self::Integer(Int64Builder::new()),
            Kind::Float => Self::Float(Float64Builder::new()),
            Kind::Date => Self::Date(Date32Builder::new()),
            Kind::Timestamp | Kind::Instant => {
                let builder = TimestampMicrosecondBuilder::new().with_data_type(kind.arrow());
                Self::Timestamp(builder, kind == Kind::Instant)
            }
            Kind::Text => Self::Text(StringBuilder::new()),
        }
    }

    /// Adds a cell; none is no value. Answers whether the cell fitted the column's kind: one that does
    /// not becomes no value.
    pub(crate) fn push(&mut self, cell: Option<&str>) -> bool {
        let Some(cell) = cell else {
            self.push_null();
            return true;
        };
        if !matches!(self, Self::Text(_)) && kind::is_missing_word(cell) {
            self.push_null();
            return true;
        }
        let fitted = match self {
            Self::Boolean(builder) => kind::boolean(cell).map(|value| builder.append_value(value)),
            Self::Integer(builder) => kind::integer(cell).map(|value| builder.append_value(value)),
            Self::Float(builder) => kind::float(cell).map(|value| builder.append_value(value)),
            Self::Date(builder) => kind::date(cell).map(|value| builder.append_value(value)),
            Self::Timestamp(builder, zoned) => kind::timestamp(cell)
                .filter(|(_, has_zone)| has_zone == zoned)
                .map(|(value, _)| builder.append_value(value)),
            Self::Text(builder) => {
                builder.append_value(cell);
                Some(())
            }
        };
        if fitted.is_none() {
            self.push_null();
        }
        fitted.is_some()
    }

    fn push_null(&mut self) {
        match self {
            Self::Boolean(builder) => builder.append_null(),
            Self::Integer(builder) => builder.append_null(),
            Self::Float(builder) => builder.append_null(),
            Self::Date(builder) => builder.append_null(),
            Self::Timestamp(builder, _) => builder.append_null(),
            Self::Text(builder) => builder.append_null(),
        }
    }

    pub(crate) fn finish(self) -> ArrayRef {
        match self {
            Self::Boolean(mut builder) => Arc::new(builder.finish()),
            Self::Integer(mut builder) => Arc::new(builder.finish()),
            Self::Float(mut builder) => Arc::new(builder.finish()),
            Self::Date(mut builder) => Arc::new(builder.finish()),
            Self::Timestamp(mut builder, _) => Arc::new(builder.finish()),
            Self::Text(mut builder) => Arc::new(builder.finish()),
        }
    }
}
