//! Rows of a service with unreadable parts or wrong values. They stay, without the unreadable parts. A warning names them; if the
//! client is strict, they are an error.

use super::error::shown;
use geodesign::features::{FeatureCollection, Layout, RowProblem};
use geodesign::json::{Gap, Gaps};

/// At most this many rows are named in a warning.
const MAX_NAMED: usize = 5;

/// The target of the events that warn of bad rows.
pub const BAD_ROWS: &str = concat!(env!("CARGO_CRATE_NAME"), "::bad_rows");

/// Rows with problems: the first ones described, and their number.
#[derive(Debug, Default, PartialEq)]
pub struct BadRows {
    named: Vec<String>,
    count: usize,
}

/// Returns one text per row with problems: its name and the reasons. A diagram without an id has been left out, and the reason gives
/// its place.
pub(super) fn described(problems: &[RowProblem], layout: Layout) -> impl Iterator<Item = String> {
    let is_same = |one: &RowProblem, next: &RowProblem| match (one.diagram_id, next.diagram_id) {
        (None, None) => one.row == next.row,
        (one, next) => one == next,
    };
    problems.chunk_by(is_same).map(move |problems| {
        let name = match (problems[0].diagram_id, layout) {
            (Some(id), _) => format!("diagram {id}: "),
            (None, Layout::Diagrams) => String::new(),
            (None, Layout::Collection) => format!("row {}: ", problems[0].row),
        };
        let reasons: Vec<&str> = problems.iter().map(|problem| problem.reason.as_str()).collect();
        format!("{name}{}", reasons.join(", "))
    })
}

impl BadRows {
    /// Describes the first rows only.
    pub(super) fn new<R>(rows: impl IntoIterator<Item = R>, describe: impl Fn(R) -> String) -> Self {
        let mut bad = BadRows::default();
        for row in rows {
            bad.count += 1;
            if bad.named.len() < MAX_NAMED {
                bad.named.push(describe(row));
            }
        }
        bad
    }

    /// Finds the rows of a collection with a problem.
    pub(super) fn of_features(features: &FeatureCollection) -> Self {
        BadRows::new(described(features.row_problems(), features.source().1), |row| row)
    }

    /// Finds the gaps in a list.
    pub(super) fn of_list(gaps: &Gaps) -> Self {
        let described = BadRows::new(gaps.described(), |Gap { path, problem }| format!("{path}: {problem}"));
        BadRows { count: gaps.count(), ..described }
    }

    /// Text of the warning or error; `None` if there are no bad rows.
    pub(super) fn summary(&self) -> Option<String> {
        let more = self.count - self.named.len();
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let count = if self.count == 1 { "1 bad row".to_owned() } else { format!("{} bad rows", self.count) };
        (self.count > 0).then(|| shown(&format!("{count}: {}{more}", self.named.join("; "))))
    }
}
