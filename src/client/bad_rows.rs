//! Rows of a service that cannot be read as they are, or that have a wrong value. They stay, without what cannot be read; a warning
//! names them, unless the client is strict.

use super::error::shown;
use crate::features::FeatureCollection;
use crate::json::Gap;

/// The most rows that a warning names.
const MAX_NAMED: usize = 5;

/// The target of the events that warn of bad rows.
pub const BAD_ROWS: &str = concat!(env!("CARGO_CRATE_NAME"), "::client::bad_rows");

/// What a warning or an error says of rows, which are described. `None` if there are none.
pub(super) fn summary(rows: &[String]) -> Option<String> {
    let named = rows.get(..rows.len().min(MAX_NAMED)).filter(|named| !named.is_empty())?.join("; ");
    let more = rows.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let count = if rows.len() == 1 { "1 bad row".to_owned() } else { format!("{} bad rows", rows.len()) };
    Some(shown(&format!("{count}: {named}{more}")))
}

/// What is wrong with the rows of a collection.
pub(super) fn of_features(features: &FeatureCollection) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut latest = None;
    for problem in features.row_problems() {
        let name = match problem.diagram_id {
            Some(id) => format!("diagram {id}"),
            None => format!("row {}", problem.row),
        };
        match rows.last_mut().filter(|_| latest.as_ref() == Some(&name)) {
            Some(row) => row.push_str(&format!(", {}", problem.reason)),
            None => rows.push(format!("{name}: {}", problem.reason)),
        }
        latest = Some(name);
    }
    rows
}

/// What is missing in a list.
pub(super) fn of_list(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().map(|Gap { path, problem }| format!("{path}: {problem}")).collect()
}
