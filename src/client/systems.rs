//! Systems, their diagrams and their evaluation maps.

use super::{Project, Result};
use crate::features::FeatureCollection;
use crate::model::{DiagramId, DiagramIds, SystemDetail, SystemId};

impl Project {
    /// `GET …/systems/`. The list names and colours the systems; [`Project::system`] has their figures.
    pub async fn systems(&self) -> Result<Vec<SystemDetail>> {
        self.list("systems/").await
    }

    /// `GET …/systems/{sysid}/`: one system with its cost, budget and target area.
    pub async fn system(&self, id: SystemId) -> Result<SystemDetail> {
        self.get(format!("systems/{id}/")).await
    }

    /// Every system with its figures: the list, then each system, concurrently.
    pub async fn system_details(&self) -> Result<Vec<SystemDetail>> {
        let ids: Vec<SystemId> = self.systems().await?.into_iter().map(|system| system.item.id).collect();
        self.for_each(ids, |project, id| async move { project.system(id).await }).await
    }

    /// `GET …/systems/{sysid}/diagrams/`
    pub async fn system_diagram_ids(&self, id: SystemId) -> Result<Vec<DiagramId>> {
        Ok(self.get::<DiagramIds>(format!("systems/{id}/diagrams/")).await?.diagrams)
    }

    /// `GET …/systems/{sysid}/evaluation/`: where the system is wanted, and where not.
    pub async fn evaluation(&self, id: SystemId) -> Result<FeatureCollection> {
        self.features(format!("systems/{id}/evaluation/")).await
    }
}
