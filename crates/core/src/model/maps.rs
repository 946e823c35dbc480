//! Evaluation and impact maps of a system.

use serde::{Deserialize, Serialize};
use serde::{Deserializer, de::Error};

use super::diagram::FeatureType;
use super::drawn_geometry::DrawnGeometry;
use super::evaluation_classes::evaluation_color;
use super::feature::{Feature, GeojsonCollection};
use super::fields::JsonObject;
use super::ids::SystemId;
use super::object_text::ObjectText;
use crate::json::in_plain_words;

/// Polygons with any properties.
pub type AreaFeatures = GeojsonCollection<Option<JsonObject>, DrawnGeometry>;
/// An evaluation map to be stored.
pub type EvaluationFeatures = GeojsonCollection<EvaluationProperties, DrawnGeometry>;
/// An impact map to be stored.
pub type ImpactFeatures = AreaFeatures;

/// An evaluation map as the body of a request.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct EvaluationFeaturesBody(pub GeojsonCollection<EvaluationText, DrawnGeometry>);

/// An impact map as the body of a request.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct AreaFeaturesBody(pub GeojsonCollection<Option<ObjectText>, DrawnGeometry>);

/// The fields of an evaluation or impact map, in addition to its features.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evaluated {
    pub sysid: SystemId,
}

/// Properties of an area in an evaluation map: how well it suits the system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvaluationProperties {
    /// The class: `red` (existing), `yellow` (not appropriate), `green` (capable), `green2` (suitable) or `green3` (feasible); `red2` is between
    /// the first two, and other texts are allowed.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub areatype: String,
    /// `#RRGGBB`. If it is absent, the service chooses a colour for the `areatype`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl<P> GeojsonCollection<P, DrawnGeometry> {
    /// Checks that all features are polygons.
    pub fn check_areas(&self) -> Result<(), InvalidMap> {
        self.check_types(|drawn| drawn == FeatureType::Polygon, |index, drawn| InvalidMap::NoArea { index, drawn })
    }

    /// Checks that all features are polygons or lines.
    pub fn check_no_points(&self) -> Result<(), InvalidMap> {
        self.check_types(|drawn| drawn != FeatureType::Point, |index, _| InvalidMap::Point { index })
    }

    fn check_types(
        &self,
        allows: fn(FeatureType) -> bool,
        invalid: fn(usize, FeatureType) -> InvalidMap,
    ) -> Result<(), InvalidMap> {
        let mut types = self.features.iter().map(|feature| feature.geometry.feature_type()).enumerate();
        types.find(|(_, drawn)| !allows(*drawn)).map_or(Ok(()), |(index, drawn)| Err(invalid(index, drawn)))
    }
}

impl EvaluationFeatures {
    /// Checks the rules that the types of the fields do not express.
    pub fn check(&self) -> Result<(), InvalidMap> {
        self.check_areas()?;
        match self.features.iter().position(|feature| feature.properties.areatype.trim().is_empty()) {
            Some(index) => Err(InvalidMap::NoAreatype { index }),
            None => Ok(()),
        }
    }

    /// Returns the same map with a colour for every area.
    pub fn colored(&self) -> GeojsonCollection<EvaluationProperties, &DrawnGeometry> {
        let colored = |feature: &'_ Feature<EvaluationProperties, _>| feature.properties.clone().colored();
        self.features.iter().map(|feature| Feature::new(colored(feature), &feature.geometry)).collect()
    }
}

impl EvaluationProperties {
    /// Returns the properties with a colour.
    fn colored(self) -> Self {
        let color = self.color.filter(|color| !color.is_empty());
        let color = color.or_else(|| Some(evaluation_color(&self.areatype).to_owned()));
        EvaluationProperties { color, ..self }
    }
}

/// Properties of an area in an evaluation map that a service receives, as text.
#[derive(Debug, Clone)]
pub struct EvaluationText(ObjectText);

impl EvaluationText {
    pub fn text(&self) -> &ObjectText {
        &self.0
    }
}

impl<'de> Deserialize<'de> for EvaluationText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = ObjectText::deserialize(deserializer)?;
        known_properties(&text).map_err(|error| D::Error::custom(in_plain_words(&error)))?;
        Ok(EvaluationText(text))
    }
}

/// The properties that the service knows, without the others, which may be many.
fn known_properties(text: &ObjectText) -> serde_json::Result<EvaluationProperties> {
    #[derive(Deserialize)]
    struct Known {
        areatype: String,
        #[serde(default)]
        color: Option<String>,
    }

    let Known { areatype, color } = serde_json::from_str(text.text())?;
    Ok(EvaluationProperties { areatype, color, extra: JsonObject::new() })
}

impl GeojsonCollection<EvaluationText, DrawnGeometry> {
    /// The JSON text of the map, with a colour for every area; an error if the map cannot be stored. Only one area's properties are held as
    /// a tree at a time.
    pub fn to_colored_text(&self) -> Result<String, InvalidMap> {
        self.check_areas()?;
        let colored = self.features.iter().enumerate().map(|(index, feature)| {
            let properties = known_properties(feature.properties.text()).expect(READ_BEFORE);
            if properties.areatype.trim().is_empty() {
                return Err(InvalidMap::NoAreatype { index });
            }
            let properties = if properties.color.is_some_and(|color| !color.is_empty()) {
                feature.properties.0.clone()
            } else {
                let all: EvaluationProperties = serde_json::from_str(feature.properties.0.text()).expect(READ_BEFORE);
                serde_json::to_string(&all.colored()).and_then(ObjectText::stored).expect("JSON text can be read")
            };
            Ok(Feature::new(properties, &feature.geometry))
        });
        let colored: GeojsonCollection<ObjectText, &DrawnGeometry> = colored.collect::<Result<_, InvalidMap>>()?;
        Ok(serde_json::to_string(&colored).expect("text of JSON serializes"))
    }
}

const READ_BEFORE: &str = "the text was read when it arrived";

/// Reasons why a map cannot be stored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMap {
    #[error("feature {index} is a {}; a map consists of polygons", drawn.name())]
    NoArea { index: usize, drawn: FeatureType },
    #[error("feature {index} is a point; constraints consist of polygons and lines")]
    Point { index: usize },
    #[error("feature {index} has an empty areatype; write a class such as green (capable)")]
    NoAreatype { index: usize },
}
