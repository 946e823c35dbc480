//! What diagrams have in common as land, and on which classes of evaluation maps they lie.

use crate::{Project, Result};
use geodesign::model::operations::LAND;
use geodesign::model::{LandOfDiagrams, LandQuestion};

impl Project {
    /// The hectares that pairs of diagrams have in common, and those of diagrams in each class of the evaluation map of their system.
    /// The service computes them; nothing is written.
    pub async fn land(&self, question: &LandQuestion) -> Result<LandOfDiagrams> {
        self.post(LAND.at(self.in_project()), question).await
    }
}
