//! The data itself. Loading it into a running server is an integration test.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type};

use super::load::{digit_plan, penguin_plan};
use super::steps::{Plan, Step};
use super::{digits, penguins};

#[test]
fn digits_are_whole() {
    let all = digits::all().unwrap();
    assert_eq!(all.num_rows(), 1797);
    let vectors = all.column_by_name("vector").unwrap().as_fixed_size_list();
    let first = vectors.value(0);
    // The third pixel of the first digit has 5 of 16.
    assert_eq!(first.as_primitive::<Float32Type>().value(2).to_bits(), (5.0_f32 / 16.0).to_bits());
    assert_eq!(all.column_by_name("label").unwrap().as_primitive::<Int32Type>().value(1), 1);
    let image = all.column_by_name("image").unwrap().as_binary::<i32>().value(0);
    assert_eq!(infer::get(image).unwrap().mime_type(), "image/png");
    assert_eq!(&image[16..24], &[0, 0, 0, 32, 0, 0, 0, 32]);
}

#[test]
fn missing_measurements_are_null() {
    let first = penguins::season(2007).unwrap();
    assert_eq!(first.num_rows(), 110);
    let mass = first.column_by_name("body_mass_g").unwrap();
    assert!(mass.is_null(3) && mass.is_valid(2));
    assert!(penguins::raw_file().unwrap().starts_with(b"studyName,Sample Number"));
}

#[test]
fn every_stage_begins_where_the_one_before_ends() {
    for plan in [penguin_plan().unwrap(), digit_plan().unwrap()] {
        let Plan { stages, end, .. } = plan;
        let mut rows = 0;
        for (index, stage) in stages.iter().enumerate() {
            assert_eq!(stage.at, (index > 0).then_some(rows));
            for (step, last) in stage.steps.iter().zip((1..).map(|n| n == stage.steps.len())) {
                match step {
                    Step::Append(batch) => rows += batch.num_rows() as u64,
                    Step::Delete("body_mass_g IS NULL") => rows -= 2,
                    Step::Delete(_) => rows -= 10,
                    Step::Tag(_) | Step::Index { .. } => {}
                }
                // Only the last step of a stage changes rows, so that every other may be repeated.
                assert_eq!(matches!(step, Step::Append(_) | Step::Delete(_)), last);
            }
        }
        assert_eq!(rows, end);
    }
}
