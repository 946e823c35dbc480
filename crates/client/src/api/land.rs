//! Land that diagrams share, and the classes of evaluation maps they lie on.

use crate::{Project, Result};
use geodesign::model::operations::LAND;
use geodesign::model::{LandOfDiagrams, LandQuestion};

impl Project {
    /// Returns the hectares that pairs of diagrams share, and each diagram's hectares per class of its system's evaluation map. The
    /// service computes them; nothing is written.
    pub async fn land(&self, question: &LandQuestion) -> Result<LandOfDiagrams> {
        self.post(LAND.at(self.in_project()), question).await
    }
}
