//! Why diagrams cannot be priced.

use std::fmt;

/// Diagrams that cannot be priced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CostError {
    /// `system` is `None` if the diagram has no system at all.
    #[error(
        "diagram {diagram} (\"{description}\") belongs to {}, so it has no price; the project lists the systems {}",
        UnlistedSystem(*.system),
        Ids(.listed)
    )]
    UnlistedSystem { diagram: i64, description: String, system: Option<i64>, listed: Vec<i64> },

    #[error("the project has no diagram {}; Project.diagram_summaries() lists those that it has", Ids(.0))]
    UnknownDiagrams(Vec<i64>),
}

struct UnlistedSystem(Option<i64>);

impl fmt::Display for UnlistedSystem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            Some(id) => write!(f, "system {id}, which the project does not list"),
            None => f.write_str("no system"),
        }
    }
}

/// The first ids of a list, and the number of the others.
struct Ids<'i>(&'i [i64]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const MAX_SHOWN: usize = 20;
        for (index, id) in self.0.iter().take(MAX_SHOWN).enumerate() {
            write!(f, "{}{id}", if index == 0 { "" } else { ", " })?;
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
