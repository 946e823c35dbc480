//! What makes a new project.

use serde::{Deserialize, Serialize};

use super::numbers::integer_only;
use super::{Bounds, Center, NewTag, Uuid};

/// At most so many systems are in a project.
pub const MAX_SYSTEMS: usize = 9;

/// A project that is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct NewProject {
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub project_title: String,
    #[serde(default)]
    pub project_description: String,
    pub map_bounds: Bounds,
    pub map_center: Center,
    #[serde(deserialize_with = "integer_only")]
    #[cfg_attr(feature = "service", schema(minimum = 0, maximum = 30))]
    pub zoom_level: i64,
    #[cfg_attr(feature = "service", schema(max_items = 9))]
    pub systems: Vec<NewSystem>,
    #[serde(default)]
    pub tags: Vec<NewTag>,
    #[serde(default)]
    pub plugins: Vec<Uuid>,
}

/// A system of a project that is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct NewSystem {
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub name: String,
    /// A short name.
    #[serde(default)]
    pub tag: String,
    /// The description under its second name; both are sent, either is read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub display: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verbose_description: String,
    /// `#RRGGBB`.
    #[cfg_attr(feature = "service", schema(pattern = "^#[0-9A-Fa-f]{6}$"))]
    pub color: String,
    /// Per hectare of a project, or per kilometre of one that has lines only; a whole number.
    #[serde(default, deserialize_with = "integer_only")]
    #[cfg_attr(feature = "service", schema(minimum = 0))]
    pub cost: i64,
}

/// The body of `projects/create/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ProjectCreation {
    /// Issued by an administrator.
    pub creation_code: String,
    #[serde(flatten)]
    pub project: NewProject,
}

/// The body of `projects/create-igc-project/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct LinkedProjectCreation {
    /// A project of the companion planning platform.
    pub gpl_project_id: String,
    #[serde(flatten)]
    pub project: NewProject,
}

impl NewSystem {
    /// The description, under whichever name it came.
    pub fn description(&self) -> &str {
        if self.verbose_description.is_empty() { &self.display } else { &self.verbose_description }
    }
}

impl NewProject {
    /// The middle of the map. Its order is told in two ways; the one that lies on the map is meant.
    pub fn center(&self) -> Center {
        let (given, swapped) = (self.map_center, self.map_center.swapped());
        if !self.map_bounds.contain(given) && self.map_bounds.contain(swapped) { swapped } else { given }
    }

    /// What is wrong with it that its types do not say.
    pub fn check(&self) -> Result<(), String> {
        if self.project_title.trim().is_empty() {
            return Err("project_title is empty; give the project a title".into());
        }
        self.map_bounds.check()?;
        self.center().check()?;
        if !(0..=30).contains(&self.zoom_level) {
            return Err(format!("zoom_level {} is not between 0 and 30", self.zoom_level));
        }
        if self.systems.len() > MAX_SYSTEMS {
            return Err(format!("{} systems are too many; a project has at most {MAX_SYSTEMS}", self.systems.len()));
        }
        for (at, system) in self.systems.iter().enumerate() {
            system.check().map_err(|problem| format!("systems[{at}]: {problem}"))?;
        }
        for (at, tag) in self.tags.iter().enumerate() {
            tag.check().map_err(|problem| format!("tags[{at}]: {problem}"))?;
            let same = self.tags[..at].iter().find(|other| !tag.code.is_empty() && other.code == tag.code);
            if let Some(other) = same.filter(|other| other.tag != tag.tag) {
                return Err(format!(
                    "tags[{at}]: the code {:?} is that of {:?} too; give it another",
                    tag.code, other.tag
                ));
            }
        }
        Ok(())
    }
}

impl NewSystem {
    fn check(&self) -> Result<(), String> {
        if self.name.trim().is_empty() {
            return Err("name is empty; give the system a name".into());
        }
        if !is_color(&self.color) {
            return Err(format!("color {:?} is not of the form #RRGGBB", self.color));
        }
        if self.cost < 0 {
            return Err(format!("cost {} is less than 0", self.cost));
        }
        Ok(())
    }
}

/// Whether a text is `#RRGGBB`.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
