//! OpenAPI schemas of the types whose serde implementations are written by hand, and of the generic types: each of these is a component
//! whose name contains the names of its arguments, which `derive` cannot generate.

use std::borrow::Cow;

use serde_json::{Value, json};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{KnownFormat, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::bounds::{Bounds, Center};
use super::dates::{Date, DateTime, UtcMillis};
use super::diagram::{CostType, FeatureType, FundingType};
use super::drawn_geometry::DrawnGeometry;
use super::feature::{EsriFeature, GeojsonCollection, GeometryText, WithGeojson};
use super::fields::JsonObject;
use super::ids::{DesignId, DiagramId, EntryId, LayerId, ProjectId, SecretId, SystemId, TeamId, Username, Uuid};
use super::layer::{LayerType, ServerType};
use super::maps::{AreaFeaturesBody, EvaluationFeaturesBody};
use super::object_text::ObjectText;

type Schemas = Vec<(String, RefOr<Schema>)>;

/// The schema of an alias of a generic type, for which `derive` gives no name of its own.
pub struct DrawnFeaturesSchema;
/// The features of a context that is set.
pub struct ContextFeaturesSchema;
/// The features of a drawing that may have faults: the response lists them.
pub struct PreviewedFeaturesSchema;

/// The schema of [`geodesign_geometry::EsriGeometry`].
struct EsriGeometrySchema;

macro_rules! schemas {
    ($($name:ident = $build:expr;)*) => {$(
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $build.into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).trim_end_matches("Schema").trim_end_matches("Body").into()
            }
        }
    )*};
}

const LONGITUDE: &str = r"-?(180(\.0+)?|(1[0-7]\d|\d{1,2})(\.\d+)?)";
const LATITUDE: &str = r"-?(90(\.0+)?|[0-8]?\d(\.\d+)?)";

schemas! {
    JsonObject = ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(true))).build();
    // With the name of the same object as a tree, which is what clients read.
    ObjectText = JsonObject::schema();
    DiagramId = integer("A diagram", 1002);
    SystemId = integer("A system", 1);
    TeamId = integer("A change team", 1);
    LayerId = integer("An external data layer", 1);
    EntryId = integer("An entry in the history of a project", 1);
    ProjectId = text("A project", "^[0-9A-Za-z]{16}$", "StatenIsland2050");
    DesignId = text("A design", "^[0-9A-Za-z_-]{16}$", "a023631f09bc2e31");
    Username = text("A user's name", "^[^\\x00-\\x1F\\x7F-\\x9F]{1,150}$", "amara.okafor");
    SecretId = text("A token or a link for guests: the beginning of its SHA-256", "^[0-9a-f]{16}$", "");
    Uuid = text("A UUID", "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", "");
    Bounds = text(
        "west,south,east,north in decimal degrees",
        &format!("^{LONGITUDE},{LATITUDE},{LONGITUDE},{LATITUDE}$"),
        "-74.26,40.49,-74.05,40.65",
    );
    // Either order is accepted where a project is created, so both numbers have the range of longitudes.
    Center = text("longitude,latitude in decimal degrees", &format!("^{LONGITUDE},{LONGITUDE}$"), "-74.15,40.57");
    FeatureType = one_of(&["polygon", "line", "point", "multipolygon", "multilinestring", "multipoint"]);
    ServerType = one_of(&ServerType::ALL);
    LayerType = one_of(&LayerType::ALL);
    FundingType = one_of(&["pu", "pp", "pr", "bu", "o", "b", "u"]);
    CostType = one_of(&["t", "u"]);
    Date = ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
        .build();
    // Without time zone, with T or a space: not the format `date-time` of JSON Schema.
    DateTime = text("A date-time in UTC, without zone", r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?$", "");
    UtcMillis = text(
        "A moment in UTC",
        r"^(\+00)?\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T(([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}|24:00:00\.000)Z$",
        "2030-01-01T00:00:00.000Z",
    );
    EsriGeometrySchema = {
        let lines = json!({"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}});
        from_json(json!({
            "description": "A feature-JSON geometry: rings or paths, with the spatial reference that they are in",
            "type": "object", "required": ["spatialReference"],
            "properties": {
                "rings": lines, "paths": lines,
                "spatialReference": {"type": "object", "properties": {"wkid": integer("A spatial reference", 4326)}},
            },
        }))
    };
    GeometryText = geometry(&PLACED);
    DrawnGeometry = geometry(&PLACED);
    DrawnFeaturesSchema = features(&json!({
        "type": ["object", "null"],
        "properties": {"volume_information": {
            "type": ["object", "null"], "required": ["min_height", "max_height"],
            "properties": {"min_height": {"type": "number"}, "max_height": {"type": "number"}},
        }},
    }), 1);
    ContextFeaturesSchema = features_of(&PLACED, &json!({
        "type": ["object", "null"],
        "properties": {
            "kind": {"type": ["string", "null"], "enum": ["place", "water", "road", "rail", "park", "district", null]},
            "name": {"type": ["string", "null"]},
        },
    }), 0);
    PreviewedFeaturesSchema = from_json(json!({
        "type": "object", "required": ["type", "features"],
        "properties": {
            "type": {"type": "string", "enum": ["FeatureCollection"]},
            "features": {"type": "array", "items": {"type": "object"}},
        },
    }));
    EvaluationFeaturesBody = features(&json!({
        "type": "object", "required": ["areatype"],
        "properties": {"areatype": {"type": "string", "minLength": 1}, "color": {"type": ["string", "null"]}},
    }), 0);
    AreaFeaturesBody = features(&json!({"type": ["object", "null"]}), 0);
}

impl<P: ToSchema> PartialSchema for GeojsonCollection<P> {
    fn schema() -> RefOr<Schema> {
        let feature = json!({
            "type": "object", "required": ["type", "properties", "geometry"],
            "properties": {
                "type": {"type": "string", "enum": ["Feature"]},
                "properties": reference::<P>(),
                "geometry": {"anyOf": [reference::<GeometryText>(), empty_geometry()]},
            },
        });
        from_json(json!({
            "type": "object", "required": ["type", "features"],
            "properties": {
                "type": {"type": "string", "enum": ["FeatureCollection"]},
                "features": {"type": "array", "items": feature},
            },
        }))
        .into()
    }
}

impl<P: ToSchema> ToSchema for GeojsonCollection<P> {
    fn name() -> Cow<'static, str> {
        format!("FeatureCollection_{}", P::name()).into()
    }

    fn schemas(schemas: &mut Schemas) {
        add_component::<P>(schemas);
        add_component::<GeometryText>(schemas);
    }
}

impl<G: ToSchema, R: ToSchema> PartialSchema for WithGeojson<G, R> {
    fn schema() -> RefOr<Schema> {
        let with_geojson =
            json!({"type": "object", "required": ["geojson"], "properties": {"geojson": reference::<G>()}});
        from_json(json!({"description": "A resource with its features", "allOf": [reference::<R>(), with_geojson]}))
            .into()
    }
}

impl<G: ToSchema, R: ToSchema> ToSchema for WithGeojson<G, R> {
    fn name() -> Cow<'static, str> {
        format!("WithGeojson_{}_{}", G::name(), R::name()).into()
    }

    fn schemas(schemas: &mut Schemas) {
        add_component::<G>(schemas);
        add_component::<R>(schemas);
    }
}

impl<A: ToSchema> PartialSchema for EsriFeature<A> {
    fn schema() -> RefOr<Schema> {
        from_json(json!({
            "description": "A feature as feature-JSON", "type": "object", "required": ["attributes", "geometry"],
            "properties": {"attributes": reference::<A>(), "geometry": reference::<EsriGeometrySchema>()},
        }))
        .into()
    }
}

impl<A: ToSchema> ToSchema for EsriFeature<A> {
    fn name() -> Cow<'static, str> {
        format!("EsriFeature_{}", A::name()).into()
    }

    fn schemas(schemas: &mut Schemas) {
        add_component::<A>(schemas);
        add_component::<EsriGeometrySchema>(schemas);
    }
}

/// A reference to the component of a type.
fn reference<T: ToSchema>() -> Value {
    json!({"$ref": format!("#/components/schemas/{}", T::name())})
}

/// The geometry of an external diagram's feature.
fn empty_geometry() -> Value {
    json!({
        "type": "object", "required": ["type", "geometries"],
        "description": "A feature without a geometry, such as that of an external diagram",
        "properties": {
            "type": {"type": "string", "enum": ["GeometryCollection"]},
            "geometries": {"type": "array", "maxItems": 0, "items": {"type": "object"}},
        },
    })
}

/// Adds a type to the components, with the types that it refers to.
pub fn add_component<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

const PLACED: [&str; 6] = ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"];

/// A FeatureCollection of points, lines and polygons with these properties.
fn features(properties: &Value, min_features: usize) -> Schema {
    features_of(&PLACED, properties, min_features)
}

fn features_of(geometries: &[&str], properties: &Value, min_features: usize) -> Schema {
    let required = if properties["required"].is_null() {
        vec!["type", "geometry"]
    } else {
        vec!["type", "properties", "geometry"]
    };
    let feature = json!({
        "type": "object", "required": required,
        "properties": {
            "type": {"type": "string", "enum": ["Feature"]}, "properties": properties, "geometry": geometry(geometries),
        },
    });
    from_json(json!({
        "type": "object", "required": ["type", "features"],
        "properties": {
            "type": {"type": "string", "enum": ["FeatureCollection"]},
            "features": {"type": "array", "items": feature, "minItems": min_features},
        },
    }))
}

fn from_json(schema: Value) -> Schema {
    serde_json::from_value(schema).unwrap_or_else(|_| ObjectBuilder::new().build().into())
}

fn integer(description: &str, example: i64) -> Schema {
    let integer = ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer));
    let integer = integer.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
    integer.description(Some(description)).examples([json!(example)]).build().into()
}

fn text(description: &str, pattern: &str, example: &str) -> Schema {
    let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).description(Some(description));
    let examples = [example].into_iter().filter(|example| !example.is_empty()).map(|example| json!(example));
    text.pattern(Some(pattern)).examples(examples).build().into()
}

fn one_of(names: &[&str]) -> Schema {
    let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
    text.enum_values(Some(names.iter().copied())).build().into()
}

/// A GeoJSON geometry of one of these types (RFC 7946, section 3.1).
fn geometry(kinds: &[&str]) -> Schema {
    let position = json!({
        "type": "array", "minItems": 2,
        "prefixItems": [
            {"type": "number", "minimum": -180, "maximum": 180},
            {"type": "number", "minimum": -90, "maximum": 90},
            {"type": "number"},
        ],
    });
    let array = |items: &Value, min_items: usize| json!({"type": "array", "items": items, "minItems": min_items});
    let line = array(&position, 2);
    let polygon = array(&array(&position, 4), 1);
    let shape = |kind: &&str| {
        let coordinates = match *kind {
            "Point" => position.clone(),
            "MultiPoint" => array(&position, 1),
            "LineString" => line.clone(),
            "MultiLineString" => array(&line, 1),
            "Polygon" => polygon.clone(),
            _ => array(&polygon, 1),
        };
        json!({
            "type": "object", "required": ["type", "coordinates"],
            "properties": {"type": {"type": "string", "enum": [kind]}, "coordinates": coordinates},
        })
    };
    let shapes: Vec<_> = kinds.iter().map(shape).collect();
    from_json(json!({"oneOf": shapes, "description": "A GeoJSON geometry"}))
}
