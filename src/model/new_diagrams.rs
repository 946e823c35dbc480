//! What adds a diagram to a system, and what comes back.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::numbers::optional_whole;
use super::string_enum::string_enum;
use super::{DiagramId, Feature, FeatureCollection, JsonObject, VolumeInformation};
use crate::geometry::{Geometry, GeometrySeed, Measure, ShapeKind, check};

/// What a diagram is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureType {
    Line,
    Polygon,
}

impl FeatureType {
    pub const NAMES: &'static str = "\"polygon\" or \"line\"";

    pub fn name(self) -> &'static str {
        match self {
            FeatureType::Line => "line",
            FeatureType::Polygon => "polygon",
        }
    }

    /// From its name in any case; a line has several.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "polygon" => Some(FeatureType::Polygon),
            "line" | "polyline" | "linestring" => Some(FeatureType::Line),
            _ => None,
        }
    }
}

/// Who pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FundingType {
    Public,
    PublicPrivate,
    Private,
    Budgeted,
}

impl FundingType {
    pub const NAMES: &'static str = "\"public\", \"public_private\", \"private\" or \"budgeted\"";

    const ALL: [Self; 4] = [Self::Public, Self::PublicPrivate, Self::Private, Self::Budgeted];

    /// As diagrams show it.
    pub fn name(self) -> &'static str {
        match self {
            FundingType::Public => "public",
            FundingType::PublicPrivate => "public_private",
            FundingType::Private => "private",
            FundingType::Budgeted => "budgeted",
        }
    }

    /// As new diagrams are sent with it.
    pub fn code(self) -> &'static str {
        match self {
            FundingType::Public => "pu",
            FundingType::PublicPrivate => "pp",
            FundingType::Private => "pr",
            FundingType::Budgeted => "bu",
        }
    }

    /// From its name, as people write it, or its code.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Self::ALL.into_iter().find(|funding| funding.name() == name || funding.code() == name)
    }
}

/// What the cost of an external diagram means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostType {
    /// The whole amount.
    Total,
    /// Per hectare.
    Unit,
}

impl CostType {
    pub const NAMES: &'static str = "\"total\" or \"unit\"";

    pub fn code(self) -> &'static str {
        match self {
            CostType::Total => "t",
            CostType::Unit => "u",
        }
    }

    /// As the `cost_override_type` of a diagram shows it.
    pub fn override_name(self) -> &'static str {
        match self {
            CostType::Total => "total",
            CostType::Unit => "per hectare.",
        }
    }

    /// From its name or its code.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "t" | "total" => Some(CostType::Total),
            "u" | "unit" => Some(CostType::Unit),
            _ => None,
        }
    }
}

/// A diagram with its geography.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DrawnDiagram {
    #[cfg_attr(feature = "service", schema(value_type = super::DrawnFeaturesSchema))]
    pub geometry: DrawnFeatures,
    pub featuretype: FeatureType,
    /// The title.
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub description: String,
    pub fundingtype: FundingType,
}

/// What a drawn feature may say of itself; all else is not kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DrawnProperties {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_information: Option<VolumeInformation>,
}

/// The features of a diagram as they are drawn.
pub type DrawnFeatures = FeatureCollection<Option<DrawnProperties>, DrawnGeometry>;

/// Lines or polygons that any GIS can read, as the text that they travel as.
#[derive(Debug, Clone)]
pub struct DrawnGeometry {
    text: Box<RawValue>,
    feature_type: FeatureType,
    measure: Measure,
}

impl DrawnGeometry {
    /// Checks a geometry; the error says what is wrong and how to repair it.
    pub fn new(geometry: &Geometry) -> Result<Self, String> {
        let text = to_raw_value(geometry).map_err(|problem| problem.to_string())?;
        Self::checked(geometry, text)
    }

    fn checked(geometry: &Geometry, text: Box<RawValue>) -> Result<Self, String> {
        let feature_type = feature_type(geometry)?;
        check(geometry).map_err(|problem| problem.to_string())?;
        Ok(DrawnGeometry { text, feature_type, measure: Measure::of(geometry).unwrap_or_default() })
    }

    pub fn feature_type(&self) -> FeatureType {
        self.feature_type
    }

    pub fn text(&self) -> &str {
        self.text.get()
    }
}

/// Lines and polygons make diagrams; nothing else does.
fn feature_type(geometry: &Geometry) -> Result<FeatureType, String> {
    match geometry {
        Geometry::Shape(shape) => match shape.kind {
            ShapeKind::LineString | ShapeKind::MultiLineString => Ok(FeatureType::Line),
            ShapeKind::Polygon | ShapeKind::MultiPolygon => Ok(FeatureType::Polygon),
            ShapeKind::Point | ShapeKind::MultiPoint => {
                Err(format!("a diagram is drawn with lines or polygons, not with a {}; buffer it", shape.kind.name()))
            }
        },
        Geometry::Collection(_) => {
            Err("a diagram is drawn with lines or polygons, not with a GeometryCollection; give its members apart"
                .into())
        }
    }
}

impl DrawnFeatures {
    pub fn from_geometries(geometries: impl IntoIterator<Item = DrawnGeometry>) -> Self {
        geometries.into_iter().map(|geometry| Feature::new(None, geometry)).collect()
    }

    /// What the features are drawn with; an error where there are none, or lines among polygons.
    pub fn feature_type(&self) -> Result<FeatureType, String> {
        let mut types = self.features.iter().map(|feature| feature.geometry.feature_type);
        let first = types.next().ok_or("it has no features; a diagram needs at least one")?;
        match types.position(|other| other != first) {
            None => Ok(first),
            Some(at) => Err(format!(
                "feature 0 is a {} and feature {} is not: a diagram is drawn with lines or with polygons. Send two \
                 diagrams, one with the lines and one with the polygons",
                first.name(),
                at + 1
            )),
        }
    }
}

impl<P> FeatureCollection<P, DrawnGeometry> {
    /// The land of all polygons and the length of all lines.
    pub fn measure(&self) -> Measure {
        let mut whole = Measure::default();
        self.features.iter().for_each(|feature| whole += feature.geometry.measure);
        whole
    }
}

impl Serialize for DrawnGeometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DrawnGeometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::{DeserializeSeed, Error};
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text.get()));
        let geometry = geometry.map_err(Error::custom)?.ok_or_else(|| Error::custom("the geometry is null"))?;
        Self::checked(&geometry, text).map_err(Error::custom)
    }
}

impl DrawnDiagram {
    /// What is wrong with it that its types do not say.
    pub fn check(&self) -> Result<(), String> {
        check_title(&self.description)?;
        match self.geometry.feature_type()? {
            drawn if drawn == self.featuretype => Ok(()),
            drawn => Err(format!(
                "featuretype is {} and the geometry is drawn with a {}",
                self.featuretype.name(),
                drawn.name()
            )),
        }
    }
}

/// A diagram whose geography lies elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ExternalDiagram {
    /// Of a FlatGeobuf file or a Cloud Optimized GeoTIFF.
    #[cfg_attr(feature = "service", schema(pattern = "^https?://[^\\s/]+"))]
    pub url: String,
    /// `fgb-layer`, `cogs`, or another that the service knows.
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub layer_type: String,
    pub featuretype: FeatureType,
    /// The title.
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub description: String,
    pub fundingtype: FundingType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_metadata: Option<JsonObject>,
    /// A whole number; `cost_type` says of what.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_whole")]
    #[cfg_attr(feature = "service", schema(minimum = 0))]
    pub cost: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_type: Option<CostType>,
}

impl ExternalDiagram {
    /// The layer type of a FlatGeobuf file.
    pub const FLATGEOBUF: &'static str = "fgb-layer";

    /// What is wrong with it that its types do not say.
    pub fn check(&self) -> Result<(), String> {
        check_title(&self.description)?;
        let host = ["https://", "http://"].iter().find_map(|scheme| self.url.strip_prefix(scheme));
        let host = host.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        if host.is_none_or(str::is_empty) || self.url.contains(char::is_whitespace) {
            return Err(format!("url {:?} is no address of a file; it begins with https:// and a host", self.url));
        }
        if self.layer_type.trim().is_empty() {
            return Err("layer_type is empty; fgb-layer is a FlatGeobuf file, cogs a Cloud Optimized GeoTIFF".into());
        }
        match (self.cost, self.cost_type) {
            (Some(cost), _) if cost < 0 => Err(format!("cost {cost} is less than 0")),
            (Some(cost), None) if cost != 0 => {
                Err("cost needs cost_type: t for the total, u for a cost per hectare".into())
            }
            _ => Ok(()),
        }
    }
}

/// A title that is none helps nobody.
pub fn check_title(title: &str) -> Result<(), String> {
    match title.trim().is_empty() {
        true => Err("the description is empty; it is the title of the diagram".into()),
        false => Ok(()),
    }
}

/// What comes back for a diagram that was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct AddedDiagram {
    /// Text on the wire.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "service", schema(value_type = String, pattern = "^[0-9]+$"))]
    pub diagram_id: DiagramId,
    /// Where the diagram stands in the grid of its system.
    #[serde(default)]
    pub grid_location: Option<String>,
    #[serde(default)]
    pub status: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

fn as_text<S: Serializer>(id: &DiagramId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

string_enum! {
    FeatureType: name, "polygon or line";
    FundingType: code, "pu (public), pp (public and private), pr (private) or bu (budgeted)";
    CostType: code, "t (total) or u (per hectare)";
}
