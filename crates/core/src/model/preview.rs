//! Preview of adding a drawing to a system.

use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer, Serialize};

use super::diagram::DiagramKind;
use super::feature::GeojsonCollection;
use super::fields::JsonObject;
use super::ids::{DesignId, DiagramId, SystemId, TeamId};
use super::new_diagrams::DrawnProperties;
use super::on_constraints::OnConstraints;
use crate::costs::{Amounts, CountedLand, OutsideLand};
use crate::json::{object, optional_object};
use geodesign_geometry::{Geometry, GeometrySeed};

/// A drawing that may become a diagram. The body of `POST systems/{sysid}/preview/`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PreviewedDrawing {
    #[serde(deserialize_with = "object")]
    #[cfg_attr(feature = "openapi", schema(value_type = super::PreviewedFeaturesSchema))]
    pub geometry: GeojsonCollection<Option<DrawnProperties>, UncheckedGeometry>,
    /// `project` or `policy`; a project if it is missing.
    #[serde(default = "project")]
    pub kind: DiagramKind,
    /// The design with which the drawing may conflict; the member's selection if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_object")]
    pub design: Option<DesignReference>,
    /// The land that counts: `all`, or `inside` for the part inside the study area; `all` if it is missing.
    #[serde(default, skip_serializing_if = "CountedLand::is_all")]
    pub land: CountedLand,
    /// Storeys, as for a new diagram.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_object")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub building_data: Option<JsonObject>,
}

fn project() -> DiagramKind {
    DiagramKind::Project
}

/// A design, by its id and its change team's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignReference {
    pub cteamid: TeamId,
    pub synthesisid: DesignId,
}

/// A geometry of any kind that may have faults; `None` for null.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct UncheckedGeometry(pub Option<Geometry>);

impl<'de> Deserialize<'de> for UncheckedGeometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        GeometrySeed.deserialize(deserializer).map(UncheckedGeometry)
    }
}

/// Effects of adding a drawing. Nothing was written. If there are faults, everything else is null or empty, except for the fault
/// `on_constraints`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Preview {
    /// Reasons why the drawing cannot be added as it is.
    pub faults: Vec<DrawingFault>,
    /// Hectares.
    pub area_ha: Option<f64>,
    /// Kilometres of lines.
    pub length_km: Option<f64>,
    /// The number of points.
    #[serde(default)]
    pub pieces: Option<i64>,
    /// Money per hectare, per kilometre of lines, or for each point. Null if the system has no rate, and for a policy.
    pub rate: Option<f64>,
    /// Money. Null if it is unknown, because the system has no rate.
    pub cost: Option<f64>,
    /// The share of the area, of the length or of the points outside the study area, from 0 to 1.
    pub share_outside: Option<f64>,
    /// The land, the lines and the points in each class of the system's evaluation map, from where change is least wanted to where it is most wanted.
    pub evaluation: Vec<EvaluatedPart>,
    /// Hectares that projects of the selection or the design also claim, each place once. 0 for a policy, which claims no land.
    pub conflicts_ha: Option<f64>,
    /// The projects that claim them.
    pub conflicts: Vec<LandConflict>,
    /// The other systems on whose good land the drawing lies, with the impact of its system on them. Empty for a policy, and if the system
    /// has no impacts; null if the maps are too large to compare.
    #[serde(default)]
    pub good_land: Option<Vec<GoodLand>>,
    /// The part on the project's constraints, where nothing can change. Null if the project has none.
    #[serde(default)]
    pub constraints: Option<OnConstraints>,
    /// Square metres of floor, above the ground and below; null without storeys.
    #[serde(default)]
    pub floor_m2: Option<f64>,
    /// Amounts of its system's quantities, such as homes, by name; null if an amount is unknown. Absent if the system has none.
    #[serde(default, skip_serializing_if = "Amounts::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub quantities: Amounts,
    /// The part outside the study area, if only land inside counts.
    #[serde(flatten)]
    pub outside: Option<OutsideLand>,
}

/// A reason why a drawing cannot be added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DrawingFault {
    /// The feature, counted from 0. Null if the fault is not about a feature.
    pub feature: Option<usize>,
    pub reason: String,
    /// `crosses_itself` if the outline of an area crosses or touches itself; `on_constraints` if a part is on constraints, which the project
    /// refuses; null for any other reason.
    #[serde(default)]
    pub code: Option<String>,
    /// Longitude and latitude. Null if there is no such place.
    pub position: Option<[f64; 2]>,
}

/// The part of a drawing that lies in a class of an evaluation map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvaluatedPart {
    /// The class, such as `green` or `red`.
    pub areatype: String,
    /// Hectares.
    pub area_ha: f64,
    /// Kilometres of lines.
    pub length_km: f64,
    /// The number of points.
    #[serde(default)]
    pub pieces: i64,
}

/// Good land of another system under a drawing: capable, suitable or feasible in the evaluation map of that system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GoodLand {
    /// The other system.
    pub sysid: SystemId,
    /// Hectares, each place once.
    pub area_ha: f64,
    /// The impact of the drawing's system on it, from -2 (much worse) to 2 (much better). 0: none, or nobody assessed it.
    pub impact: i64,
}

/// A project that claims land of a drawing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LandConflict {
    pub diagramid: DiagramId,
    pub sysid: SystemId,
    pub description: Option<String>,
    /// Hectares.
    pub area_ha: f64,
}
