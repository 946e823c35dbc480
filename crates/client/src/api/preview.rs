//! What adding a drawing would do.

use crate::{Project, Result, SystemReference};
use geodesign::model::operations::PREVIEW;
use geodesign::model::{Preview, PreviewedDrawing};

impl Project {
    /// What adding a drawing to a system would do: its size, its cost, its faults, and the land that others claim. Nothing is written.
    pub async fn preview(&self, system: impl Into<SystemReference>, drawing: &PreviewedDrawing) -> Result<Preview> {
        let system = system.into();
        self.post(PREVIEW.at(self.in_system(self.find_system(&system).await?)), drawing).await
    }
}
