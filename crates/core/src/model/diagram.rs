//! Diagrams: the projects and policies that members draw in a system.

use serde::{Deserialize, Deserializer, Serialize};

use super::dates::{self, Date, DateTime, UtcMillis};
use super::feature::InvalidHeights;
use super::fields::{JsonObject, integer_if_whole, integers_only, optional_number, string_enum};
use super::ids::{DiagramId, SystemId};
use super::storeys::InvalidStoreys;
use geodesign_geometry::ShapeKind;

/// A diagram in the list of a project's diagrams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramSummary {
    pub id: DiagramId,
    pub worlddescription: Option<String>,
    pub author: Option<String>,
    /// Time in UTC, without a time zone, with fractional seconds.
    #[serde(default, deserialize_with = "dates::optional")]
    pub created_at: Option<DateTime>,
    #[serde(default, deserialize_with = "optional_number")]
    pub rank: Option<i64>,
    pub sysid: SystemId,
    #[serde(flatten)]
    pub extra: JsonObject,
}

// Objects with any fields are of type `O`.
/// The fields of a diagram, without its geometries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagram<O = JsonObject> {
    pub sysid: SystemId,
    #[serde(default, deserialize_with = "optional_number")]
    pub rank: Option<i64>,
    pub id: DiagramId,
    pub description: Option<String>,
    /// `project` or `policy`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Kilometres.
    #[serde(default, deserialize_with = "optional_number", serialize_with = "integer_if_whole")]
    pub length: Option<f64>,
    /// Square metres.
    #[serde(default, deserialize_with = "optional_number", serialize_with = "integer_if_whole")]
    pub area: Option<f64>,
    pub fundingtype: Option<String>,
    /// The cost of the diagram in place of its system's; 0 means none.
    #[serde(default, deserialize_with = "optional_number", serialize_with = "integer_if_whole")]
    pub cost_override: Option<f64>,
    /// `total` for the cost of the whole diagram; any other text means a cost per hectare, unless it names another unit.
    pub cost_override_type: Option<String>,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub building_data: Option<O>,
    pub notes: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub created_at: Option<DateTime>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub start_date: Option<Date>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub end_date: Option<Date>,
    /// True if no dates were given, see [`is_undated`]. Absent if the dates themselves show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undated: Option<bool>,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub additional_metadata: Option<O>,
    /// The codes of the diagram's tags, separated by `|`.
    #[serde(default, deserialize_with = "joined_codes")]
    pub tag_codes: Option<String>,
    /// The address of an external diagram's geometries as FlatGeobuf; empty for other diagrams.
    pub flat_geobuf_url: Option<String>,
    /// The address of an external diagram's geometries in another format; empty for other diagrams.
    pub external_geometries: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl<O> Diagram<O> {
    /// Returns the diagram without assumed dates, see [`is_undated`].
    pub fn without_assumed_dates(mut self) -> Self {
        if is_undated(self.undated.take(), self.created_at.as_ref(), self.start_date.as_ref(), self.end_date.as_ref()) {
            (self.start_date, self.end_date) = (None, None);
        }
        self
    }
}

/// True if no dates were given for a diagram. Services have no null for dates: a new diagram starts and ends on the day it was added. If
/// the service sends a `mark`, that decides.
pub fn is_undated(mark: Option<bool>, created_at: Option<&DateTime>, start: Option<&Date>, end: Option<&Date>) -> bool {
    let is_day_of_creation = || match (created_at, start, end) {
        (Some(created_at), Some(start), Some(end)) => start == end && created_at.date() == **start,
        _ => false,
    };
    mark.unwrap_or_else(is_day_of_creation)
}

/// Separates the codes in the field `tag_codes`.
pub const TAG_CODE_SEPARATOR: &str = "|";

/// Reads codes of tags as services write them: as one text, or as a list.
fn joined_codes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected text, or a list of codes")]
    enum Codes {
        Text(String),
        List(Vec<String>),
    }
    Ok(Option::<Codes>::deserialize(deserializer)?.map(|codes| match codes {
        Codes::Text(text) => text,
        Codes::List(codes) => codes.join(TAG_CODE_SEPARATOR),
    }))
}

/// Kind of proposal that a diagram makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DiagramKind {
    /// Something is built: it has a cost.
    Project,
    /// A rule or an incentive: it costs nothing unless its cost override is a total.
    Policy,
}

impl DiagramKind {
    pub fn name(self) -> &'static str {
        match self {
            DiagramKind::Project => "project",
            DiagramKind::Policy => "policy",
        }
    }

    /// Reads a diagram's `type` or a feature's `areatype`, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        [DiagramKind::Project, DiagramKind::Policy]
            .into_iter()
            .find(|kind| name.trim().eq_ignore_ascii_case(kind.name()))
    }
}

/// The cost of a diagram in place of its system's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostOverride {
    None,
    /// The cost of the whole diagram.
    Total(f64),
    /// The cost per hectare, per kilometre of a diagram that has only lines, or of each piece of one that has only points.
    PerHectare(f64),
    /// The cost per kilometre, of a diagram that has only lines.
    PerKilometre(f64),
    /// The cost of each piece, of a diagram that has only points.
    PerPiece(f64),
}

/// An invalid cost override.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOverride {
    #[error("cost_override is {0}, less than 0")]
    Negative(f64),
    #[error(
        "cost_override_type is {0:?}; only total, per hectare, per kilometre (of lines) and per piece (of points) are known"
    )]
    Unit(String),
}

impl CostOverride {
    /// Reads the fields `cost_override` and `cost_override_type`: 0 means none; `total` is the whole amount, and so is a type with the same
    /// meaning, such as `total cost` or `lump sum`; any other type means per hectare, unless it names another unit.
    ///
    /// ```
    /// use geodesign::model::CostOverride;
    ///
    /// assert_eq!(CostOverride::from_wire(2500.0, "total"), Ok(CostOverride::Total(2500.0)));
    /// assert_eq!(CostOverride::from_wire(2500.0, "Lump-sum"), Ok(CostOverride::Total(2500.0)));
    /// assert_eq!(CostOverride::from_wire(0.0, "total"), Ok(CostOverride::None));
    /// assert_eq!(CostOverride::from_wire(30.0, "USD/ha"), Ok(CostOverride::PerHectare(30.0)));
    /// assert!(CostOverride::from_wire(30.0, "per m2").is_err());
    /// ```
    pub fn from_wire(amount: f64, kind: &str) -> Result<Self, InvalidOverride> {
        if amount == 0.0 {
            return Ok(CostOverride::None);
        }
        if amount < 0.0 {
            return Err(InvalidOverride::Negative(amount));
        }
        match unit_in(kind) {
            NamedUnit::Whole => Ok(CostOverride::Total(amount)),
            NamedUnit::Hectare | NamedUnit::None => Ok(CostOverride::PerHectare(amount)),
            NamedUnit::Kilometre => Ok(CostOverride::PerKilometre(amount)),
            NamedUnit::Piece => Ok(CostOverride::PerPiece(amount)),
            NamedUnit::Other => Err(InvalidOverride::Unit(kind.to_owned())),
        }
    }
}

/// The unit that the type of an override names.
#[derive(PartialEq)]
enum NamedUnit {
    /// No unit, such as an empty text or `unit`.
    None,
    /// The whole diagram.
    Whole,
    Hectare,
    Kilometre,
    Piece,
    Other,
}

/// Units that no service documents. Reading them as hectares would change the rate many times over.
const OTHER_UNITS: [&str; 22] = [
    "m", "m2", "m²", "sqm", "metre", "metres", "meter", "meters", "square", "squared", "sq", "km2", "km²", "sqkm",
    "acre", "acres", "ac", "ft", "ft2", "foot", "feet", "mile",
];

fn unit_in(kind: &str) -> NamedUnit {
    let kind = kind.to_lowercase().replace('/', " per ");
    let words: Vec<&str> =
        kind.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // Any word after "per" is a unit.
    let counted = words.iter().position(|word| *word == "per").map(|per| &words[per + 1..]);
    let mut found = NamedUnit::None;
    for word in counted.unwrap_or(&words) {
        let unit = match *word {
            "ha" | "hectare" | "hectares" => NamedUnit::Hectare,
            "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => NamedUnit::Kilometre,
            "piece" | "pieces" | "each" | "item" | "items" => NamedUnit::Piece,
            "total" | "lump" | "lumpsum" | "sum" => NamedUnit::Whole,
            "unit" | "units" => continue,
            word if counted.is_some() || OTHER_UNITS.contains(&word) => NamedUnit::Other,
            _ => continue,
        };
        if found != NamedUnit::None && found != unit {
            return NamedUnit::Other;
        }
        found = unit;
    }
    found
}

/// The note of a diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Note {
    /// The id of the diagram, as text.
    #[serde(default)]
    pub id: serde_json::Value,
    pub notes: Option<String>,
}

/// A digest of the time at which a diagram was last changed. If it differs from an earlier one, the diagram has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeHash {
    pub changehash: String,
}

// The metadata are of type `O`.
/// A bulk update of a diagram. Fields that are absent stay unchanged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramUpdate<O = JsonObject> {
    #[cfg_attr(feature = "openapi", schema(value_type = JsonObject))]
    pub additional_metadata: O,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_codes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<UtcMillis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_date: Option<UtcMillis>,
}

impl<O> DiagramUpdate<O> {
    /// Checks the rules that the types of the fields do not express.
    pub fn check(&self) -> Result<(), InvalidDiagram> {
        if let Some(title) = &self.title {
            check_title(title)?;
        }
        match (self.start_date, self.end_date) {
            (Some(start), Some(end)) if start > end => Err(InvalidDiagram::EndBeforeStart { start, end }),
            _ => Ok(()),
        }
    }
}

/// A named group of diagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramGroup {
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub group_name: String,
    #[serde(deserialize_with = "ids_only")]
    pub diagrams: Vec<DiagramId>,
}

/// Reads ids that are integers, never text.
pub(super) fn ids_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DiagramId>, D::Error> {
    Ok(integers_only(deserializer)?.into_iter().map(DiagramId).collect())
}

/// The address of a diagram's thumbnail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ThumbnailJob {
    pub message: Option<String>,
    /// `/api/v1/projects/<projectid>/diagrams/<diagramid>/thumbnail/<jobid>/`
    pub results_url: String,
}

/// The addresses of all diagrams' thumbnails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ThumbnailJobs {
    pub message: Option<String>,
    pub results_url: Vec<String>,
}

/// Type of the shapes that a diagram is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureType {
    Point,
    Line,
    Polygon,
}

impl FeatureType {
    pub const NAMES: &'static str = "\"polygon\", \"line\" or \"point\"";

    /// The type of shapes of this kind, single or several.
    pub fn of(kind: ShapeKind) -> Self {
        match kind {
            ShapeKind::Point | ShapeKind::MultiPoint => FeatureType::Point,
            ShapeKind::LineString | ShapeKind::MultiLineString => FeatureType::Line,
            ShapeKind::Polygon | ShapeKind::MultiPolygon => FeatureType::Polygon,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            FeatureType::Point => "point",
            FeatureType::Line => "line",
            FeatureType::Polygon => "polygon",
        }
    }

    /// Reads one of its names, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "polygon" | "multipolygon" => Some(FeatureType::Polygon),
            "line" | "polyline" | "linestring" | "multilinestring" => Some(FeatureType::Line),
            "point" | "multipoint" => Some(FeatureType::Point),
            _ => None,
        }
    }
}

/// Funding of a diagram. Programs of the public platform also send the codes `o`, `b` and `u`, which no document explains: they are kept as
/// they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FundingType {
    #[default]
    Public,
    PublicPrivate,
    Private,
    Budgeted,
    O,
    B,
    U,
}

impl FundingType {
    pub const NAMES: &'static str =
        "\"public\", \"public_private\", \"private\" or \"budgeted\", nor a code (pu, pp, pr, bu, o, b, u)";

    const ALL: [Self; 7] =
        [Self::Public, Self::PublicPrivate, Self::Private, Self::Budgeted, Self::O, Self::B, Self::U];

    /// The name in the fields of a diagram.
    pub fn name(self) -> &'static str {
        match self {
            FundingType::Public => "public",
            FundingType::PublicPrivate => "public_private",
            FundingType::Private => "private",
            FundingType::Budgeted => "budgeted",
            FundingType::O => "o",
            FundingType::B => "b",
            FundingType::U => "u",
        }
    }

    /// The code in a request that adds a diagram.
    pub fn code(self) -> &'static str {
        match self {
            FundingType::Public => "pu",
            FundingType::PublicPrivate => "pp",
            FundingType::Private => "pr",
            FundingType::Budgeted => "bu",
            FundingType::O => "o",
            FundingType::B => "b",
            FundingType::U => "u",
        }
    }

    /// Reads a name, with underscores, hyphens or spaces, or a code.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Self::ALL.into_iter().find(|funding| funding.name() == name || funding.code() == name)
    }
}

/// Meaning of an external diagram's cost: its total or a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostType {
    /// The cost of the whole diagram.
    Total,
    /// The cost per hectare.
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

    /// The name in a diagram's field `cost_override_type`.
    pub fn override_name(self) -> &'static str {
        match self {
            CostType::Total => "total",
            CostType::Unit => "per hectare.",
        }
    }

    /// Reads a name or a code.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "t" | "total" => Some(CostType::Total),
            "u" | "unit" => Some(CostType::Unit),
            _ => None,
        }
    }
}

string_enum! {
    FeatureType: name, "polygon, line or point";
    FundingType: code, "pu (public), pp (public and private), pr (private), bu (budgeted), o, b or u";
    CostType: code, "t (total) or u (per hectare)";
}

/// Reasons why a diagram cannot be added or updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDiagram {
    #[error("the diagram's title (its description) is empty")]
    NoTitle,
    #[error("geometry: it has no features; a diagram needs at least one")]
    NoFeatures,
    /// `other` is the index of the first feature whose type differs from that of feature 0.
    #[error(
        "feature 0 is a {} and feature {other} is not: a diagram is drawn with polygons, with lines or with points. Send a \
         diagram for each of them",
        first.name()
    )]
    MixedFeatureTypes { first: FeatureType, other: usize },
    #[error("featuretype is {}, but the geometry is drawn with a {}", featuretype.name(), drawn.name())]
    OtherFeatureType { featuretype: FeatureType, drawn: FeatureType },
    #[error(
        "features {first} and {other} cover the same land, which would be measured and priced twice; dissolve them into \
         one, for example with shapely.union_all"
    )]
    SameLand { first: usize, other: usize },
    #[error("two points lie at [{}, {}] and would be priced twice; leave one of them out", .0[0], .0[1])]
    SamePlace([f64; 2]),
    #[error("feature {feature}: {source}")]
    Heights { feature: usize, source: InvalidHeights },
    #[error("building_data: {0}")]
    Storeys(#[from] InvalidStoreys),
    #[error("url {0:?} is not the address of a file; begin with https:// and a host")]
    Url(String),
    #[error("url {0:?} has a space; write it as %20")]
    UrlWithSpace(String),
    #[error("layer_type is empty; use fgb-layer for a FlatGeobuf file, cogs for a Cloud Optimized GeoTIFF")]
    NoLayerType,
    #[error("cost {0} is less than 0")]
    NegativeCost(i64),
    #[error("cost needs cost_type: t for the total, u for a cost per hectare")]
    NoCostType,
    #[error("start_date {start} is after end_date {end}")]
    EndBeforeStart { start: UtcMillis, end: UtcMillis },
    #[error("undated is true, but a day is given; leave one of them out")]
    DatedAndUndated,
    #[error("cost {0} is not a number of 0 or more")]
    NegativeAmount(f64),
    #[error("cost_type is given without cost; add cost, or leave cost_type out")]
    NoCost,
}

/// Checks that the title of a diagram, its field `description`, is not empty.
pub fn check_title(title: &str) -> Result<(), InvalidDiagram> {
    if title.trim().is_empty() { Err(InvalidDiagram::NoTitle) } else { Ok(()) }
}
