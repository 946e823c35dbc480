//! Systems, their diagrams and their evaluation maps.

use crate::client::{Project, Result};
use crate::features::FeatureCollection;
use crate::model::operations::{EVALUATION, SYSTEM, SYSTEM_DIAGRAM_IDS, SYSTEMS};
use crate::model::{DiagramId, DiagramIds, SystemDetail, SystemId};

impl Project {
    #[doc = summary!(SYSTEMS)]
    ///
    /// [`Project::system`] and [`Project::system_details`] have the figures.
    pub async fn systems(&self) -> Result<Vec<SystemDetail>> {
        self.list(SYSTEMS.at(self.in_project())).await
    }

    #[doc = summary!(SYSTEM)]
    pub async fn system(&self, id: SystemId) -> Result<SystemDetail> {
        self.get(SYSTEM.at(self.in_system(id))).await
    }

    /// Every system with its cost, budget and target area: reads the list, then each system, concurrently.
    pub async fn system_details(&self) -> Result<Vec<SystemDetail>> {
        let ids: Vec<SystemId> = self.systems().await?.into_iter().map(|system| system.item.id).collect();
        self.for_each(ids, |project, id| async move { project.system(id).await }, || {}).await
    }

    #[doc = summary!(SYSTEM_DIAGRAM_IDS)]
    pub async fn system_diagram_ids(&self, id: SystemId) -> Result<Vec<DiagramId>> {
        Ok(self.get::<DiagramIds>(SYSTEM_DIAGRAM_IDS.at(self.in_system(id))).await?.diagrams)
    }

    #[doc = summary!(EVALUATION)]
    pub async fn evaluation(&self, id: SystemId) -> Result<FeatureCollection> {
        self.features(EVALUATION.at(self.in_system(id))).await
    }
}
