//! New projects, as they are sent to the service.

use std::collections::HashMap;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::bounds::{Bounds, BoundsError, Center};
use super::fields::integer_only;
use super::ids::{ProjectId, Uuid};
use super::project::{InvalidTag, NewTag};
use super::service::Message;
use crate::json::{DecodeError, decode_object, objects};

/// At most this many systems in a project that is created by a request.
pub const MAX_SYSTEMS: usize = 9;

/// A project to be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewProject {
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub project_title: String,
    #[serde(default)]
    pub project_description: String,
    pub map_bounds: Bounds,
    pub map_center: Center,
    #[serde(deserialize_with = "integer_only")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 30))]
    pub zoom_level: i64,
    #[cfg_attr(feature = "openapi", schema(max_items = 9))]
    #[serde(deserialize_with = "objects")]
    pub systems: Vec<NewSystem>,
    #[serde(default, deserialize_with = "objects")]
    pub tags: Vec<NewTag>,
    #[serde(default)]
    pub plugins: Vec<Uuid>,
}

/// A system of a project to be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewSystem {
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub name: String,
    /// A short name.
    #[serde(default)]
    pub tag: String,
    /// The description if `verbose_description` is empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub display: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verbose_description: String,
    /// `#RRGGBB`.
    #[cfg_attr(feature = "openapi", schema(pattern = "^#[0-9A-Fa-f]{6}$"))]
    pub color: String,
    /// The cost of a project per hectare, or per kilometre if it has only lines. An integer.
    #[serde(default, deserialize_with = "integer_only")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0))]
    pub cost: i64,
}

/// The body of `POST projects/create/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectCreation {
    /// A code issued by an administrator.
    pub creation_code: String,
    #[serde(flatten)]
    pub project: NewProject,
}

/// The body of `POST projects/create-igc-project/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LinkedProjectCreation {
    /// The id of a project of the companion planning platform.
    pub gpl_project_id: String,
    #[serde(flatten)]
    pub project: NewProject,
}

impl<'de> Deserialize<'de> for ProjectCreation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Permission {
            creation_code: String,
        }

        let (Permission { creation_code }, project) = both_parts(deserializer)?;
        Ok(ProjectCreation { creation_code, project })
    }
}

impl<'de> Deserialize<'de> for LinkedProjectCreation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Permission {
            gpl_project_id: String,
        }

        let (Permission { gpl_project_id }, project) = both_parts(deserializer)?;
        Ok(LinkedProjectCreation { gpl_project_id, project })
    }
}

/// Reads two structs from the fields of one object. The code that serde derives for a flattened field would keep all unknown fields in
/// memory, as values, until the end.
fn both_parts<'de, D, A, B>(deserializer: D) -> Result<(A, B), D::Error>
where
    D: Deserializer<'de>,
    A: DeserializeOwned,
    B: DeserializeOwned,
{
    let text = Box::<RawValue>::deserialize(deserializer)?;
    let text = text.get().as_bytes();
    let told = |error: DecodeError| D::Error::custom(error.in_plain_words(text));
    Ok((decode_object(text).map_err(told)?, decode_object(text).map_err(told)?))
}

/// Text before the id in the embedded service's response to the creation of a project.
const ID_FOLLOWS: &str = "its id is ";

/// Returns the embedded service's message about a new project.
pub fn creation_message(id: &ProjectId) -> Message {
    Message { message: format!("The project was created; {ID_FOLLOWS}{id}.") }
}

/// Returns the id in such a message; `None` for the messages of other services.
pub fn created_project(message: &str) -> Option<ProjectId> {
    let (_, id) = message.rsplit_once(ID_FOLLOWS)?;
    id.trim_end_matches('.').parse().ok()
}

impl NewSystem {
    /// `verbose_description`, or `display` if that is empty: clients may send either.
    pub fn description(&self) -> &str {
        if self.verbose_description.is_empty() { &self.display } else { &self.verbose_description }
    }
}

impl NewProject {
    /// The centre of the map. Clients send longitude and latitude in either order; the order that lies inside the bounds is taken.
    pub fn center(&self) -> Center {
        let (given, swapped) = (self.map_center, self.map_center.swapped());
        if !self.map_bounds.contain(given) && self.map_bounds.contain(swapped) { swapped } else { given }
    }

    /// Checks the rules that the types of the fields do not express.
    pub fn check(&self) -> Result<(), InvalidProject> {
        self.check_with_at_most(MAX_SYSTEMS)
    }

    /// Like [`check`](Self::check), with another limit on the number of systems.
    pub fn check_with_at_most(&self, max_systems: usize) -> Result<(), InvalidProject> {
        if self.project_title.trim().is_empty() {
            return Err(InvalidProject::NoTitle);
        }
        self.map_bounds.check()?;
        self.center().check()?;
        if !(0..=30).contains(&self.zoom_level) {
            return Err(InvalidProject::ZoomLevel(self.zoom_level));
        }
        let count = self.systems.len();
        if count > max_systems {
            return Err(InvalidProject::TooManySystems { count, max_systems });
        }
        for (index, system) in self.systems.iter().enumerate() {
            system.check().map_err(|source| InvalidProject::System { index, source })?;
        }
        let mut tag_of_code = HashMap::new();
        for (index, tag) in self.tags.iter().enumerate() {
            tag.check().map_err(|source| InvalidProject::Tag { index, source })?;
            if tag.code.is_empty() {
                continue;
            }
            let other: &str = tag_of_code.entry(tag.code.as_str()).or_insert(&tag.tag);
            if other != tag.tag {
                return Err(InvalidProject::SharedTagCode { index, code: tag.code.clone(), other: other.to_owned() });
            }
        }
        Ok(())
    }
}

impl NewSystem {
    fn check(&self) -> Result<(), InvalidSystem> {
        if self.name.trim().is_empty() {
            return Err(InvalidSystem::NoName);
        }
        if !is_color(&self.color) {
            return Err(InvalidSystem::Color(self.color.clone()));
        }
        if self.cost < 0 {
            return Err(InvalidSystem::NegativeCost(self.cost));
        }
        Ok(())
    }
}

/// Reasons why a project cannot be created.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidProject {
    #[error("project_title is empty; give the project a title")]
    NoTitle,
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    #[error("zoom_level {0} is not between 0 and 30")]
    ZoomLevel(i64),
    #[error("{count} systems are too many; a project can have at most {max_systems}")]
    TooManySystems { count: usize, max_systems: usize },
    #[error("systems[{index}]: {source}")]
    System { index: usize, source: InvalidSystem },
    #[error("tags[{index}]: {source}")]
    Tag { index: usize, source: InvalidTag },
    #[error("tags[{index}]: the tag {other:?} has the same code {code:?}; change one of them")]
    SharedTagCode { index: usize, code: String, other: String },
}

/// Reasons why a system cannot be created.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSystem {
    #[error("name is empty; give the system a name")]
    NoName,
    #[error("color {0:?} is not of the form #RRGGBB")]
    Color(String),
    #[error("cost {0} is less than 0")]
    NegativeCost(i64),
}

/// True if a text is a colour of the form `#RRGGBB`.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
