//! Presence: members who are here now, and outlines of what they draw. Nothing of it is stored.

use serde::{Deserialize, Serialize};

use super::bounds::Center;
use super::dates::DateTime;
use super::edits::InvalidEdit;
use super::fields::JsonObject;
use super::ids::{TeamId, Username};

/// A member who listens to the project's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PresentMember {
    pub username: Username,
    /// The ids of the member's change teams.
    pub cteams: Vec<TeamId>,
    /// Time of arrival; UTC, without a zone.
    pub since: DateTime,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// All members who are here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Presence {
    pub presence: Vec<PresentMember>,
}

/// Number of an outline's points, at most.
const MOST_POINTS: usize = 200;

/// The outline of a drawing in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Outline {
    /// At most 200 points, each with longitude and latitude in degrees; null ends the drawing.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Vec<f64>>>, max_items = 200))]
    pub outline: Option<Vec<[f64; 2]>>,
}

impl Outline {
    pub fn check(&self) -> Result<(), InvalidEdit> {
        let points = self.outline.as_deref().unwrap_or_default();
        if points.len() > MOST_POINTS {
            return Err(InvalidEdit::LongOutline(points.len()));
        }
        let mut places = points.iter().map(|&[longitude, latitude]| Center { longitude, latitude });
        places.try_for_each(|place| place.check().map_err(InvalidEdit::Place))
    }
}

/// The response to an outline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OutlineShown {
    /// False if the project shows no drawings in progress, or if the member is not here.
    pub shown: bool,
}
