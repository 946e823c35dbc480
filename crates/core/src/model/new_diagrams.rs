//! Diagrams to be added to a system.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::diagram::{CostType, FeatureType, FundingType, InvalidDiagram, check_title};
use super::drawn_geometry::DrawnGeometry;
use super::feature::{Feature, GeojsonCollection, VolumeInformation};
use super::fields::{JsonObject, optional_integer_only};
use super::ids::DiagramId;
use super::on_constraints::OnConstraints;
use super::storeys::Storeys;
use crate::json::{object, optional_object};
use geodesign_geometry::json::CowStr;
use geodesign_geometry::{Measure, overlapping};

/// A diagram to be added, with its geometries. The body of `POST systems/{sysid}/add/project/` and `…/add/policy/`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DrawnDiagram {
    #[serde(deserialize_with = "object")]
    #[cfg_attr(feature = "openapi", schema(value_type = super::DrawnFeaturesSchema))]
    pub geometry: DrawnFeatures,
    pub featuretype: FeatureType,
    /// The title.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub description: String,
    /// Funding; `pu` if it is missing.
    #[serde(default)]
    pub fundingtype: FundingType,
    /// Any fields. `storeys_above_ground` and `storeys_below_ground` are whole numbers, from which floors are counted.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_object")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub building_data: Option<JsonObject>,
}

/// The properties of a drawn feature that the service keeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DrawnProperties {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_information: Option<VolumeInformation>,
    /// The names of the first other properties that were sent.
    #[serde(skip)]
    pub not_kept: Vec<String>,
}

/// Number and length of dropped property names that a warning lists.
pub const MAX_NOT_KEPT: usize = 8;
const MAX_NAME_CHARS: usize = 40;

/// Reads an object only, wherever the properties are.
impl<'de> Deserialize<'de> for DrawnProperties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Properties;

        impl<'de> Visitor<'de> for Properties {
            type Value = DrawnProperties;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DrawnProperties, A::Error> {
                let (mut volume, mut not_kept) = (None, Vec::new());
                while let Some(CowStr(name)) = map.next_key()? {
                    if name == "volume_information" {
                        if volume.is_some() {
                            return Err(A::Error::duplicate_field("volume_information"));
                        }
                        volume = Some(map.next_value::<OptionalObject<VolumeInformation>>()?.0);
                        continue;
                    }
                    if not_kept.len() < MAX_NOT_KEPT {
                        not_kept.push(name.chars().take(MAX_NAME_CHARS).collect());
                    }
                    map.next_value::<IgnoredAny>()?;
                }
                Ok(DrawnProperties { volume_information: volume.flatten(), not_kept })
            }
        }

        deserializer.deserialize_map(Properties)
    }
}

struct OptionalObject<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OptionalObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        optional_object(deserializer).map(OptionalObject)
    }
}

/// The features of a diagram to be added.
pub type DrawnFeatures = GeojsonCollection<Option<DrawnProperties>, DrawnGeometry>;

impl DrawnFeatures {
    pub fn from_geometries(geometries: impl IntoIterator<Item = DrawnGeometry>) -> Self {
        geometries.into_iter().map(|geometry| Feature::new(None, geometry)).collect()
    }

    /// Two features that cover the same land, which would be measured and priced twice.
    pub fn same_land(&self) -> Option<(usize, usize)> {
        if self.features.len() < 2 {
            return None;
        }
        let geometries: Vec<_> = self.features.iter().map(|feature| Some(feature.geometry.geometry())).collect();
        overlapping(&geometries, 1).first().copied()
    }

    /// The names of properties that were sent and are not kept.
    pub fn not_kept(&self) -> BTreeSet<&str> {
        let properties = self.features.iter().filter_map(|feature| feature.properties.as_ref());
        let mut names = BTreeSet::new();
        for name in properties.flat_map(|properties| &properties.not_kept) {
            if names.len() == MAX_NOT_KEPT {
                break;
            }
            names.insert(name.as_str());
        }
        names
    }

    /// The position of two points, which would be priced twice.
    fn same_place(&self) -> Option<[f64; 2]> {
        let mut places = HashSet::new();
        let mut found = None;
        for feature in &self.features {
            feature.geometry.geometry().for_each_shape(&mut |shape| {
                let twice = shape.lon_lats().find(|(x, y)| !places.insert([x.to_bits(), y.to_bits()]));
                found = found.or(twice);
            });
        }
        found.map(|(longitude, latitude)| [longitude, latitude])
    }

    /// The type of all features; an error if there are none, or if they are of several types.
    pub fn feature_type(&self) -> Result<FeatureType, InvalidDiagram> {
        let mut types = self.features.iter().map(|feature| feature.geometry.feature_type());
        let first = types.next().ok_or(InvalidDiagram::NoFeatures)?;
        match types.position(|other| other != first) {
            None => Ok(first),
            Some(after_first) => Err(InvalidDiagram::MixedFeatureTypes { first, other: after_first + 1 }),
        }
    }
}

impl<P> GeojsonCollection<P, DrawnGeometry> {
    /// The area of all polygons and the length of all lines.
    pub fn measure(&self) -> Measure {
        let mut sum = Measure::default();
        self.features.iter().for_each(|feature| sum += feature.geometry.measure());
        sum
    }
}

impl DrawnDiagram {
    /// Checks the rules that the types of the fields do not express. Programs for the public platform call their points polygons.
    pub fn check(&self) -> Result<(), InvalidDiagram> {
        check_title(&self.description)?;
        self.building_data.as_ref().map(Storeys::of).transpose()?;
        match check_drawn(&self.geometry)? {
            drawn if drawn == self.featuretype => Ok(()),
            FeatureType::Point if self.featuretype == FeatureType::Polygon => Ok(()),
            drawn => Err(InvalidDiagram::OtherFeatureType { featuretype: self.featuretype, drawn }),
        }
    }
}

/// Checks the heights of features, that all are of one type, and that no two points lie at one place; returns their type.
pub fn check_drawn(geometry: &DrawnFeatures) -> Result<FeatureType, InvalidDiagram> {
    for (index, feature) in geometry.features.iter().enumerate() {
        if let Some(volume) = feature.properties.as_ref().and_then(|properties| properties.volume_information) {
            volume.check().map_err(|source| InvalidDiagram::Heights { feature: index, source })?;
        }
    }
    let feature_type = geometry.feature_type()?;
    let twice = if feature_type == FeatureType::Point { geometry.same_place() } else { None };
    twice.map_or(Ok(feature_type), |place| Err(InvalidDiagram::SamePlace(place)))
}

// The metadata are of type `O`.
/// A diagram to be added whose geometries are in a file on the web. The body of `POST systems/{sysid}/add/external/project/` and
/// `…/policy/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExternalDiagram<O = JsonObject> {
    /// The address of a FlatGeobuf file or a Cloud Optimized GeoTIFF.
    #[cfg_attr(feature = "openapi", schema(pattern = "^https?://[^\\s/]+"))]
    pub url: String,
    /// `fgb-layer`, `cogs`, or another that the service knows.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub layer_type: String,
    pub featuretype: FeatureType,
    /// The title.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub description: String,
    /// Funding; `pu` if it is missing.
    #[serde(default)]
    pub fundingtype: FundingType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub additional_metadata: Option<O>,
    /// An integer; `cost_type` says whether it is a total or a rate.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_integer_only")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0))]
    pub cost: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_type: Option<CostType>,
}

impl ExternalDiagram {
    /// The layer type of a FlatGeobuf file.
    pub const FLATGEOBUF: &'static str = "fgb-layer";
}

impl<O> ExternalDiagram<O> {
    /// Checks the rules that the types of the fields do not express.
    pub fn check(&self) -> Result<(), InvalidDiagram> {
        check_title(&self.description)?;
        let host = ["https://", "http://"].iter().find_map(|scheme| self.url.strip_prefix(scheme));
        let host = host.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        if host.is_none_or(str::is_empty) {
            return Err(InvalidDiagram::Url(self.url.clone()));
        }
        if self.url.contains(char::is_whitespace) {
            return Err(InvalidDiagram::UrlWithSpace(self.url.clone()));
        }
        if self.layer_type.trim().is_empty() {
            return Err(InvalidDiagram::NoLayerType);
        }
        match (self.cost, self.cost_type) {
            (Some(cost), _) if cost < 0 => Err(InvalidDiagram::NegativeCost(cost)),
            (Some(cost), None) if cost != 0 => Err(InvalidDiagram::NoCostType),
            _ => Ok(()),
        }
    }
}

/// The response to a request that adds a diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AddedDiagram {
    /// The diagram's id; text in JSON.
    #[serde(serialize_with = "as_text_in_json")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^[0-9]+$"))]
    pub diagram_id: DiagramId,
    /// The cell of the diagram in the grid of its system, such as `A1`.
    pub grid_location: Option<String>,
    pub status: Option<String>,
    /// The part on the project's constraints, where nothing can change. Absent if the project has none, and on other services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<OnConstraints>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Writes an id as text in JSON. In Python, ids are integers.
fn as_text_in_json<S: Serializer>(id: &DiagramId, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() { serializer.collect_str(id) } else { id.serialize(serializer) }
}
