//! What is wrong with the geometries that were priced. They are measured as they are, so their cost may be wrong.

use std::collections::HashMap;

use super::report::CostReport;
use crate::features::GeometryProblem;

impl CostReport {
    /// The same report with the [problems](crate::features::FeatureCollection::problems) of the geometries. Looking for them takes
    /// longer than pricing.
    pub fn check(mut self) -> Self {
        let mut problems: HashMap<i64, Vec<GeometryProblem>> = HashMap::new();
        for problem in self.features.problems() {
            if let Some(id) = problem.diagram_id {
                problems.entry(id).or_default().push(problem);
            }
        }
        for diagram in &mut self.diagrams {
            diagram.geometry_problem = problems.get(&diagram.diagramid).and_then(|problems| describe(problems));
        }
        self.checked = true;
        self
    }

    /// The number of diagrams whose geometry is not valid; `None` if the geometries were not [checked](Self::check).
    pub fn invalid(&self) -> Option<i64> {
        let invalid = self.diagrams.iter().filter(|diagram| diagram.geometry_problem.is_some());
        self.checked.then(|| invalid.count() as i64)
    }
}

/// The first problem, and in how many other features of the diagram there are more.
fn describe(problems: &[GeometryProblem]) -> Option<String> {
    let (first, others) = problems.split_first()?;
    match others.len() {
        0 => Some(first.fault.to_string()),
        1 => Some(format!("{} (and 1 other feature)", first.fault)),
        count => Some(format!("{} (and {count} other features)", first.fault)),
    }
}
