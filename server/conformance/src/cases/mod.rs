//! The table of cases, one file a group.
//!
//! A case reads from top to bottom: what it asserts and where that comes from, the state before, the
//! request with what must come back, and what must be true afterwards. Objects are named below the case's
//! own namespace, which is made before and removed after.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{Case, Group};
use crate::report::Line;
use crate::{Operation, Options};

mod branches;
mod columns;
mod concurrency;
mod errors;
mod indices;
mod limits;
mod namespaces;
mod namespaces_drop;
mod query;
mod rows;
mod rows_change;
mod tables;
mod tables_describe;
mod tables_move;
mod tags;
mod transactions;
mod versions;
mod views;

/// Every case, in the order of the groups.
pub fn all(options: &Options) -> Vec<Case> {
    let groups = [
        (Group::Namespaces, [namespaces::cases(), namespaces_drop::cases()].concat()),
        (Group::Tables, [tables::cases(), tables_describe::cases(), tables_move::cases()].concat()),
        (Group::Rows, [rows::cases(), rows_change::cases()].concat()),
        (Group::Query, query::cases()),
        (Group::Columns, columns::cases()),
        (Group::Versions, versions::cases()),
        (Group::Tags, tags::cases()),
        (Group::Branches, branches::cases()),
        (Group::Indices, indices::cases()),
        (Group::Transactions, transactions::cases()),
        (Group::Views, views::cases()),
        (Group::Errors, errors::cases()),
        (Group::Limits, limits::cases(options.max_arrow_bytes)),
        (Group::Concurrency, concurrency::cases()),
    ];
    let grouped =
        groups.into_iter().map(|(group, cases)| cases.into_iter().map(move |case| Case { group, ..case }));
    grouped.flatten().collect()
}

/// The groups in the order of the suite, with the operations that each is about in the order of the
/// specification.
pub(crate) fn by_group(lines: &[Line]) -> Vec<(Group, Vec<Operation>)> {
    let mut groups: BTreeMap<Group, BTreeSet<Operation>> = BTreeMap::new();
    for line in lines {
        groups.entry(line.group).or_default().insert(line.operation);
    }
    groups.into_iter().map(|(group, operations)| (group, operations.into_iter().collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Expect, Source, Step};

    fn suite() -> Vec<Case> {
        all(&Options { max_arrow_bytes: Some(1 << 20), ..Options::default() })
    }

    /// A version is made of a manifest in storage, which no request over HTTP can put there.
    const NO_SUCCESS: [Operation; 2] = [Operation::CreateTableVersion, Operation::BatchCreateTableVersions];

    #[test]
    fn every_operation_has_cases_of_success_and_of_failure() {
        let cases = suite();
        for operation in Operation::ALL {
            let own: Vec<&Case> = cases.iter().filter(|case| case.operation == *operation).collect();
            let main = |case: &Case, wanted: fn(&Expect) -> bool| matches!(&case.when, Step::Ask(_, expect) if wanted(expect));
            let name = operation.name();
            let success = own.iter().any(|case| main(case, |expect| expect.errors.is_empty()));
            assert!(success || NO_SUCCESS.contains(operation), "{name}: no success");
            assert!(
                own.iter().any(|case| main(case, |expect| !expect.errors.is_empty())),
                "{name}: no failure"
            );
            assert!(own.iter().any(|case| case.source == Source::Specification), "{name}: no specification");
        }
    }

    #[test]
    fn a_case_is_known_by_its_operation_and_title() {
        let mut seen = BTreeSet::new();
        for case in suite() {
            assert!(
                seen.insert((case.operation, case.title.clone())),
                "{}: {}",
                case.operation.name(),
                case.title
            );
        }
    }

    #[test]
    fn every_code_that_can_be_provoked_from_outside_is_asked_for() {
        let mut codes = BTreeSet::new();
        for case in suite() {
            if let Step::Ask(_, expect) = &case.when {
                codes.extend(expect.errors.iter().map(|(_, code)| *code));
            }
        }
        // 17, 18 and 21 are a server in trouble.
        let wanted: BTreeSet<i64> = (0..=23).filter(|code| ![17, 18, 21].contains(code)).collect();
        assert!(codes.is_superset(&wanted), "{:?}", wanted.difference(&codes).collect::<Vec<_>>());
    }
}
