//! What is wrong with the geometries that were priced. They are measured as they are, so their cost may be wrong.

use std::collections::HashMap;

use super::geometry_problem::geometry_problem;
use super::report::CostReport;
use crate::geometry::InvalidGeometry;

impl CostReport {
    /// The same report with the [problems](crate::features::FeatureCollection::problems) of the geometries. Looking for them takes
    /// longer than pricing.
    pub fn check(mut self) -> Self {
        let mut faults: HashMap<i64, Vec<InvalidGeometry>> = HashMap::new();
        for problem in self.features.problems() {
            if let Some(id) = problem.diagram_id {
                faults.entry(id).or_default().push(problem.fault);
            }
        }
        for diagram in &mut self.diagrams {
            if let Some(faults) = faults.get(&diagram.diagramid) {
                diagram.geometry_problem = geometry_problem(faults);
            }
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
