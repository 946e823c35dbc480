//! Systems, their diagrams and their evaluation maps.

use std::collections::HashMap;

use crate::client::{Error, Project, Result};
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

    /// Every system with its cost, budget and target area: reads the list, then each system, concurrently. If an earlier list is
    /// cached, its systems are read at the same time as the list.
    pub async fn system_details(&self) -> Result<Vec<SystemDetail>> {
        let likely = self.cached_list::<SystemDetail>(SYSTEMS.at(self.in_project())).await?.unwrap_or_default();
        let likely = likely.into_iter().map(|system| system.item.id).collect();
        let (listed, likely) = tokio::try_join!(self.systems(), Box::pin(self.systems_that_exist(likely)))?;
        let mut details: HashMap<SystemId, SystemDetail> =
            likely.into_iter().flatten().map(|system| (system.item.id, system)).collect();
        let ids: Vec<SystemId> = listed.into_iter().map(|system| system.item.id).collect();
        let missing = ids.iter().copied().filter(|id| !details.contains_key(id)).collect();
        let missing = self.for_each(missing, |project, id| async move { project.system(id).await }, || {}).await?;
        details.extend(missing.into_iter().map(|system| (system.item.id, system)));
        Ok(ids.iter().filter_map(|id| details.remove(id)).collect())
    }

    /// The systems of these ids; `None` for one that the project does not have.
    async fn systems_that_exist(&self, ids: Vec<SystemId>) -> Result<Vec<Option<SystemDetail>>> {
        let read = |project: Project, id| async move {
            match project.system(id).await {
                Err(Error::Api { status: 404, .. }) => Ok(None),
                system => system.map(Some),
            }
        };
        self.for_each(ids, read, || {}).await
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
