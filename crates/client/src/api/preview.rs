//! Preview of adding a drawing.

use crate::{Project, Result, SystemReference};
use geodesign::model::operations::PREVIEW;
use geodesign::model::{Preview, PreviewedDrawing};

impl Project {
    /// Returns the effect of adding a drawing to a system: its size, its cost, its faults, and the land that others claim. Nothing is
    /// written.
    pub async fn preview(&self, system: impl Into<SystemReference>, drawing: &PreviewedDrawing) -> Result<Preview> {
        let system = system.into();
        self.post(PREVIEW.at(self.in_system(self.find_system(&system).await?)), drawing).await
    }
}
