//! The land of diagrams: the land that they share, and the classes of evaluation maps on which they lie.

use serde::{Deserialize, Deserializer, Serialize};

use super::diagram::ids_only;
use super::ids::DiagramId;
use crate::costs::CountedLand;
use crate::json::objects;

/// Diagrams whose land is requested. The body of `POST projects/{projectid}/land/`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LandQuestion {
    /// Pairs of diagrams whose shared land is requested.
    #[serde(default, deserialize_with = "pairs")]
    pub pairs: Vec<[DiagramId; 2]>,
    /// Diagrams whose land in each class is requested.
    #[serde(default, deserialize_with = "ids_only")]
    pub classes_of: Vec<DiagramId>,
    /// The land that counts: `all`, or `inside` for the part inside the study area; `all` if it is missing.
    #[serde(default, skip_serializing_if = "CountedLand::is_all")]
    pub land: CountedLand,
}

/// Reads pairs of ids that are integers, never text.
fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<[DiagramId; 2]>, D::Error> {
    Ok(Vec::<[i64; 2]>::deserialize(deserializer)?.into_iter().map(|pair| pair.map(DiagramId)).collect())
}

/// The land of diagrams in hectares, each place of a diagram once. Edges are geodesics. Lines and points have no land.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LandOfDiagrams {
    /// Hectares that each pair shares, in the order of the pairs. 0 for less than 100 cm², which rounding leaves between neighbours.
    pub shared_ha: Vec<f64>,
    /// The land of each diagram, in the order of the request.
    #[serde(deserialize_with = "objects")]
    pub classes: Vec<ClassedLand>,
}

/// The land of a diagram, and the part of it in each class of the evaluation map of its system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClassedLand {
    pub diagramid: DiagramId,
    /// Hectares.
    pub area_ha: f64,
    /// The land in each class, from where change is least wanted to where it is most wanted. Where two classes overlap, both count. Null if
    /// the system has no such map.
    pub evaluation: Option<Vec<LandInClass>>,
    /// Hectares outside all classes. Null if the system has no evaluation map.
    pub outside_ha: Option<f64>,
    /// Hectares outside the study area. Null if the project has no boundaries.
    pub outside_study_area_ha: Option<f64>,
}

impl ClassedLand {
    /// The land of a diagram whose system has no evaluation map.
    pub fn without_map(diagramid: DiagramId, area_ha: f64) -> Self {
        ClassedLand { diagramid, area_ha, evaluation: None, outside_ha: None, outside_study_area_ha: None }
    }
}

/// Land in a class of an evaluation map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LandInClass {
    /// The class, such as `green` or `red`.
    pub areatype: String,
    /// Hectares.
    pub area_ha: f64,
}
