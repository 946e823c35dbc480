//! Systems: their details and maps, and finding the system that a user means by its id, name or tag.

use std::collections::HashMap;

use crate::reference::{Unclear, among};
use crate::{Error, Project, Result, SystemReference, Titled};
use geodesign::model::operations::{
    Endpoint, SET_EVALUATION, SET_EVALUATION_OF_MEMBER, SET_IMPACT, SET_IMPACT_OF_MEMBER, SYSTEMS,
};
use geodesign::model::{EvaluationFeatures, ImpactFeatures, Status, SystemDetail, SystemId, Username};
use http::StatusCode;

impl Project {
    /// Every system with its cost, budget and target area. Reads the list and, if the service leaves figures out of it, each system
    /// concurrently. If such a list is cached, its systems are read at the same time as the list.
    pub(crate) async fn list_with_figures(&self, list: Endpoint) -> Result<Vec<SystemDetail>> {
        let cached = self.cached_list::<SystemDetail>(list.clone()).await?.unwrap_or_default();
        let is_complete = |systems: &[SystemDetail]| systems.iter().all(SystemDetail::has_all_figures);
        let likely = if is_complete(&cached) { Vec::new() } else { cached };
        let likely = likely.into_iter().map(|system| system.item.id).collect();
        let (listed, likely) =
            tokio::try_join!(self.list::<SystemDetail>(list), Box::pin(self.systems_that_exist(likely)))?;
        if is_complete(&listed) {
            return Ok(listed);
        }
        let mut details: HashMap<SystemId, SystemDetail> =
            likely.into_iter().flatten().map(|system| (system.item.id, system)).collect();
        let ids: Vec<SystemId> = listed.into_iter().map(|system| system.item.id).collect();
        let missing = ids.iter().copied().filter(|id| !details.contains_key(id)).collect();
        let missing = self.for_each(missing, |project, id| async move { project.system(id).await }, || {}).await?;
        details.extend(missing.into_iter().map(|system| (system.item.id, system)));
        Ok(ids.iter().filter_map(|id| details.remove(id)).collect())
    }

    /// The systems with these ids; `None` for one that the project does not have.
    async fn systems_that_exist(&self, ids: Vec<SystemId>) -> Result<Vec<Option<SystemDetail>>> {
        let read = |project: Project, id| async move {
            match project.system(id).await {
                Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => Ok(None),
                system => system.map(Some),
            }
        };
        self.for_each(ids, read, || {}).await
    }

    /// Returns the id of a system. Names and tags are looked up in the list of systems; an id needs no request.
    pub async fn find_system(&self, system: &SystemReference) -> Result<SystemId> {
        match system.id_in(self.id(), SystemDetail::KIND.0)? {
            Some(id) => Ok(id),
            None => self.find_listed_system(system).await,
        }
    }

    /// Returns the id of a system, which must be in the list of systems.
    pub async fn find_listed_system(&self, system: &SystemReference) -> Result<SystemId> {
        let systems: Vec<SystemDetail> = self.list(SYSTEMS.at(self.in_project())).await?;
        match among(system, &systems) {
            // Services may leave the tags out of the list.
            Err(Unclear::Unknown { .. }) if systems.iter().any(|system| system.tag.is_none()) => {
                Ok(among(system, &self.systems().await?)?.item.id)
            }
            found => Ok(found?.item.id),
        }
    }

    #[doc = summary!(SET_EVALUATION)]
    ///
    /// With a member, it is set on behalf of that member.
    pub async fn set_evaluation(
        &self,
        id: SystemId,
        map: &EvaluationFeatures,
        member: Option<&Username>,
    ) -> Result<String> {
        map.check().map_err(Error::input)?;
        let endpoint = match member {
            None => SET_EVALUATION.at(self.in_system(id)),
            Some(member) => SET_EVALUATION_OF_MEMBER.at(self.of_member_in_system(member, id)),
        };
        Ok(self.post::<Status>(endpoint, map).await?.status)
    }

    #[doc = summary!(SET_IMPACT)]
    ///
    /// With a member, it is set on behalf of that member.
    pub async fn set_impact(&self, id: SystemId, map: &ImpactFeatures, member: Option<&Username>) -> Result<String> {
        map.check_areas().map_err(Error::input)?;
        let endpoint = match member {
            None => SET_IMPACT.at(self.in_system(id)),
            Some(member) => SET_IMPACT_OF_MEMBER.at(self.of_member_in_system(member, id)),
        };
        Ok(self.post::<Status>(endpoint, map).await?.status)
    }
}
