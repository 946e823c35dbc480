//! Systems: their details, their maps, and which one a user means, who may give its id, its name or its tag.

use std::collections::HashMap;

use crate::client::{Error, Project, Result};
use crate::model::operations::{
    Endpoint, SET_EVALUATION, SET_EVALUATION_OF_MEMBER, SET_IMPACT, SET_IMPACT_OF_MEMBER, SYSTEMS,
};
use crate::model::{EvaluationFeatures, ImpactFeatures, Status, SystemDetail, SystemId, Username};

/// A system as a user refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemReference {
    Id(SystemId),
    /// Its name or its tag, in upper or lower case.
    Name(String),
}

impl From<SystemId> for SystemReference {
    fn from(id: SystemId) -> Self {
        SystemReference::Id(id)
    }
}

/// Why a reference leads to no system of the project.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum UnclearSystem {
    #[error("there is no system {given}; {}", listing(.systems))]
    Unknown { given: String, systems: Vec<SystemDetail> },
    #[error("several systems are called {name:?}; give the id of one: {}", ids.join(", "))]
    Ambiguous { name: String, ids: Vec<String> },
}

impl Project {
    /// Every system with its cost, budget and target area: reads the list and, of a service that leaves figures out of it, each
    /// system, concurrently. If such a list is cached, its systems are read at the same time as the list.
    pub(super) async fn list_with_figures(&self, list: Endpoint) -> Result<Vec<SystemDetail>> {
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

    /// The id of a system. Names and tags are looked up in the list of systems, for which an id needs no request.
    pub async fn find_system(&self, system: &SystemReference) -> Result<SystemId> {
        match system {
            SystemReference::Id(id) => Ok(*id),
            SystemReference::Name(_) => self.find_listed_system(system).await,
        }
    }

    /// The id of a system that is in the list of systems.
    pub async fn find_listed_system(&self, system: &SystemReference) -> Result<SystemId> {
        let systems: Vec<SystemDetail> = self.list(SYSTEMS.at(self.in_project())).await?;
        match system.among(&systems) {
            // Services may leave the tags out of the list.
            Err(UnclearSystem::Unknown { .. }) if systems.iter().any(|system| system.tag.is_none()) => {
                system.among(&self.systems().await?).map_err(Error::input)
            }
            found => found.map_err(Error::input),
        }
    }

    #[doc = summary!(SET_EVALUATION)]
    ///
    /// With a member, it is set in the name of that member.
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
    /// With a member, it is set in the name of that member.
    pub async fn set_impact(&self, id: SystemId, map: &ImpactFeatures, member: Option<&Username>) -> Result<String> {
        map.check_areas().map_err(Error::input)?;
        let endpoint = match member {
            None => SET_IMPACT.at(self.in_system(id)),
            Some(member) => SET_IMPACT_OF_MEMBER.at(self.of_member_in_system(member, id)),
        };
        Ok(self.post::<Status>(endpoint, map).await?.status)
    }
}

impl SystemReference {
    /// A name counts before a tag that is spelled the same.
    fn among(&self, systems: &[SystemDetail]) -> Result<SystemId, UnclearSystem> {
        let unknown = |given: String| UnclearSystem::Unknown { given, systems: systems.to_vec() };
        let name = match self {
            SystemReference::Id(id) => {
                let is_listed = systems.iter().any(|system| system.item.id == *id);
                return is_listed.then_some(*id).ok_or_else(|| unknown(id.to_string()));
            }
            SystemReference::Name(name) => name.trim(),
        };
        let is_name = |text: &str| text.trim().to_lowercase() == name.to_lowercase();
        let named = systems.iter().filter(|system| is_name(&system.item.name));
        let tagged = systems.iter().filter(|system| system.tag.as_deref().is_some_and(is_name));
        let ids = |systems: Vec<&SystemDetail>| systems.into_iter().map(|system| system.item.id).collect::<Vec<_>>();
        let found = [ids(named.collect()), ids(tagged.collect())].into_iter().find(|ids| !ids.is_empty());
        match found.as_deref() {
            None => Err(unknown(format!("{name:?}"))),
            Some([id]) => Ok(*id),
            Some(ids) => Err(UnclearSystem::Ambiguous {
                name: name.to_owned(),
                ids: ids.iter().map(ToString::to_string).collect(),
            }),
        }
    }
}

/// Ids, names and tags of all systems.
fn listing(systems: &[SystemDetail]) -> String {
    let describe = |system: &SystemDetail| match system.tag.as_deref() {
        None | Some("") => format!("{} {:?}", system.item.id, system.item.name),
        Some(tag) => format!("{} {:?} ({tag})", system.item.id, system.item.name),
    };
    match systems {
        [] => "the project has no systems".to_owned(),
        _ => {
            let described: Vec<String> = systems.iter().map(describe).collect();
            format!("give the id, the name or the tag of one of these: {}", described.join(", "))
        }
    }
}
