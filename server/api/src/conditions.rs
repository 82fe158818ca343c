//! The comparisons that a condition on rows can make, and the names that addresses and REST give them.

/// How a column's value is compared. An engine evaluates it over typed values; it never becomes SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Text contains, case as it is.
    Contains,
    StartsWith,
    In,
    IsNull,
    IsNotNull,
}

impl Operator {
    pub const ALL: [Self; 11] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Contains,
        Self::StartsWith,
        Self::In,
        Self::IsNull,
        Self::IsNotNull,
    ];

    /// Its name in an address.
    pub fn code(self) -> &'static str {
        match self {
            Self::Equal => "eq",
            Self::NotEqual => "ne",
            Self::Less => "lt",
            Self::LessOrEqual => "le",
            Self::Greater => "gt",
            Self::GreaterOrEqual => "ge",
            Self::Contains => "contains",
            Self::StartsWith => "starts",
            Self::In => "in",
            Self::IsNull => "null",
            Self::IsNotNull => "not-null",
        }
    }

    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.code() == code)
    }

    /// Whether something is compared with; the null tests need nothing.
    pub fn takes_value(self) -> bool {
        !matches!(self, Self::IsNull | Self::IsNotNull)
    }
}

/// The values of an "is one of" as they are typed: between commas, without the space around them.
pub fn typed_values(text: &str) -> Vec<String> {
    text.split(',').map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::Operator;

    #[test]
    fn every_operator_is_found_by_its_name() {
        for operator in Operator::ALL {
            assert_eq!(Operator::parse(operator.code()), Some(operator));
        }
        assert_eq!(Operator::parse("like"), None);
    }
}
