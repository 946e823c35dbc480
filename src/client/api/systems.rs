//! Systems, their diagrams and their evaluation maps.

use crate::client::{Error, Project, Result};
use crate::features::FeatureCollection;
use crate::model::{
    DiagramId, DiagramIds, EvaluationFeatures, ImpactFeatures, Status, SystemDetail, SystemId, Username,
};

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
        self.for_each(ids, |project, id| async move { project.system(id).await }, || {}).await
    }

    /// `GET …/systems/{sysid}/diagrams/`
    pub async fn system_diagram_ids(&self, id: SystemId) -> Result<Vec<DiagramId>> {
        Ok(self.get::<DiagramIds>(format!("systems/{id}/diagrams/")).await?.diagrams)
    }

    /// `GET …/systems/{sysid}/evaluation/`: where the system is wanted, and where not.
    pub async fn evaluation(&self, id: SystemId) -> Result<FeatureCollection> {
        self.features(format!("systems/{id}/evaluation/")).await
    }

    /// `POST …/systems/{sysid}/e/map/json/[{username}/]`: sets the evaluation map, in a member's name where one is given.
    pub async fn set_evaluation(
        &self,
        id: SystemId,
        map: &EvaluationFeatures,
        member: Option<&Username>,
    ) -> Result<String> {
        map.check().map_err(|problem| Error::Input(problem.to_string()))?;
        self.set_map(id, 'e', map, member).await
    }

    /// `POST …/systems/{sysid}/i/map/json/[{username}/]`: sets the impact map.
    pub async fn set_impact(&self, id: SystemId, map: &ImpactFeatures, member: Option<&Username>) -> Result<String> {
        map.check_areas().map_err(|problem| Error::Input(problem.to_string()))?;
        self.set_map(id, 'i', map, member).await
    }

    async fn set_map(
        &self,
        id: SystemId,
        map: char,
        features: &impl serde::Serialize,
        member: Option<&Username>,
    ) -> Result<String> {
        let member = member.map(|member| format!("{}/", member.as_segment())).unwrap_or_default();
        Ok(self.post::<Status>(format!("systems/{id}/{map}/map/json/{member}"), features).await?.status)
    }
}
