//! The faults of a diagram's geometry in words.

use crate::geometry::InvalidGeometry;

/// The first fault of the features of a diagram, and how many other features have one.
pub fn geometry_problem(faults: &[InvalidGeometry]) -> Option<String> {
    let (first, others) = faults.split_first()?;
    match others.len() {
        0 => Some(first.to_string()),
        1 => Some(format!("{first} (and 1 other feature)")),
        count => Some(format!("{first} (and {count} other features)")),
    }
}
