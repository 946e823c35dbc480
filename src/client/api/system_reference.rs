//! Which system a user means, who may give its id, its name or its tag.

use crate::client::{Error, Project, Result};
use crate::model::{SystemDetail, SystemId};

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
    /// The id of a system. Names and tags are looked up in the list of systems, for which an id needs no request.
    pub async fn find_system(&self, system: &SystemReference) -> Result<SystemId> {
        match system {
            SystemReference::Id(id) => Ok(*id),
            SystemReference::Name(_) => self.find_listed_system(system).await,
        }
    }

    /// The id of a system that is in the list of systems.
    pub async fn find_listed_system(&self, system: &SystemReference) -> Result<SystemId> {
        let systems = self.systems().await?;
        match system.among(&systems) {
            // Services may leave the tags out of the list.
            Err(UnclearSystem::Unknown { .. }) if systems.iter().any(|system| system.tag.is_none()) => {
                system.among(&self.system_details().await?).map_err(Error::input)
            }
            found => found.map_err(Error::input),
        }
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
