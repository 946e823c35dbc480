//! The context of a project: places with their names, water, roads and districts, which show where the project is.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::drawn_geometry::{with_its_text, without_rounding_beyond_earth};
use super::feature::{Feature, GeojsonCollection};
use super::fields::JsonObject;
use crate::json::object;
use geodesign_geometry::{Geometry, InvalidGeometry, Shape, ShapeKind, check, cut_at_antimeridian};

/// Features of a context, with any properties.
pub type ContextFeatures = GeojsonCollection<Option<JsonObject>, ContextGeometry>;

const KINDS: [&str; 6] = [PLACE, "water", ROAD, "rail", "park", DISTRICT];
const PLACE: &str = "place";
const ROAD: &str = "road";
const DISTRICT: &str = "district";

/// The fields of a project's context, in addition to its features.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Context {
    pub description: String,
}

/// The context of a project to be set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewContext {
    #[serde(deserialize_with = "object")]
    #[cfg_attr(feature = "openapi", schema(value_type = super::ContextFeaturesSchema))]
    pub geojson: ContextFeatures,
    /// The context's name.
    #[serde(default)]
    pub description: String,
}

/// A geometry of a context: points, lines or polygons that passed [`check`]. It is kept as JSON text, like a diagram's geometry.
#[derive(Debug, Clone)]
pub struct ContextGeometry {
    text: Box<RawValue>,
    kind: &'static str,
}

impl ContextGeometry {
    /// Checks a geometry, corrected as [`DrawnGeometry::new`](super::DrawnGeometry::new) does.
    pub fn new(geometry: &Geometry) -> Result<Self, InvalidContext> {
        let geometry = without_rounding_beyond_earth(geometry);
        let geometry = cut_at_antimeridian(&geometry);
        let text = to_raw_value(&*geometry).expect("numbers and the names of geometry types serialize");
        Self::with_text(&geometry, text)
    }

    fn with_text(geometry: &Geometry, text: Box<RawValue>) -> Result<Self, InvalidContext> {
        let Geometry::Shape(shape) = geometry else { return Err(InvalidContext::Collection) };
        check(geometry)?;
        let kind = match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => PLACE,
            ShapeKind::LineString | ShapeKind::MultiLineString => ROAD,
            ShapeKind::Polygon | ShapeKind::MultiPolygon => DISTRICT,
        };
        Ok(ContextGeometry { text, kind })
    }
}

impl ContextFeatures {
    /// Returns places, from the longitude and latitude of each name.
    pub fn places(positions: impl IntoIterator<Item = (String, [f64; 2])>) -> Result<Self, InvalidContext> {
        let places = positions.into_iter().map(|(name, position)| {
            let point = Shape { ordinates: position.to_vec(), ..Shape::empty(ShapeKind::Point) };
            let properties = [("kind", PLACE.into()), ("name", name.into())];
            let properties = properties.map(|(field, value): (_, Value)| (field.to_owned(), value));
            let properties = JsonObject(properties.into_iter().collect());
            Ok(Feature::new(Some(properties), ContextGeometry::new(&Geometry::Shape(point))?))
        });
        places.collect::<Result<Self, InvalidContext>>()?.with_kinds()
    }

    /// Returns the same features, each with a kind: its own, or else the kind of its geometry. Empty names are left out.
    pub fn with_kinds(mut self) -> Result<Self, InvalidContext> {
        for (index, feature) in self.features.iter_mut().enumerate() {
            let properties = feature.properties.get_or_insert_default();
            let kind = properties.get("kind").filter(|kind| !kind.is_null());
            let known = |kind: &Value| KINDS.into_iter().find(|known| kind == known);
            let kind = kind.map_or(Ok(feature.geometry.kind), |kind| {
                known(kind).ok_or_else(|| InvalidContext::Kind { index, kind: kind.to_string() })
            })?;
            match properties.get("name") {
                Some(Value::String(name)) if !name.trim().is_empty() => {}
                None | Some(Value::Null | Value::String(_)) if kind == PLACE => {
                    return Err(InvalidContext::NoName { index });
                }
                None => {}
                Some(Value::Null | Value::String(_)) => drop(properties.0.shift_remove("name")),
                Some(name) => return Err(InvalidContext::Name { index, name: name.to_string() }),
            }
            properties.insert("kind".into(), kind.into());
        }
        Ok(self)
    }
}

/// Reasons why a context cannot be stored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidContext {
    #[error("feature {index} has the unknown kind {kind}; use one of {}", KINDS.join(", "))]
    Kind { index: usize, kind: String },
    #[error("feature {index} has the name {name}; write it as text")]
    Name { index: usize, name: String },
    #[error("feature {index} is a place; give it a name")]
    NoName { index: usize },
    #[error("a context has points, lines and polygons, not a GeometryCollection; give its members separately")]
    Collection,
    #[error(transparent)]
    Geometry(#[from] InvalidGeometry),
}

impl Serialize for ContextGeometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ContextGeometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (geometry, text) = with_its_text(deserializer)?;
        Self::with_text(&geometry, text).map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with_kinds(properties: &Value, geometry: &Value) -> Result<Value, String> {
        let feature = json!({"type": "Feature", "properties": properties, "geometry": geometry});
        let map = json!({"type": "FeatureCollection", "features": [feature]}).to_string();
        let map: ContextFeatures = serde_json::from_str(&map).map_err(|error| error.to_string())?;
        let map = map.with_kinds().map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(&map.features[0].properties).unwrap())
    }

    #[test]
    fn the_kind_follows_from_the_geometry_unless_it_is_given() {
        let line = json!({"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]]]});
        let area = json!({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]});
        let point = json!({"type": "Point", "coordinates": [0, 0]});
        assert_eq!(with_kinds(&json!({"name": "A"}), &point), Ok(json!({"name": "A", "kind": "place"})));
        assert_eq!(with_kinds(&Value::Null, &line), Ok(json!({"kind": "road"})));
        assert_eq!(with_kinds(&json!({"kind": null, "name": ""}), &area), Ok(json!({"kind": "district"})));
        assert_eq!(with_kinds(&json!({"kind": "rail", "lanes": 2}), &line), Ok(json!({"kind": "rail", "lanes": 2})));
    }

    #[test]
    fn a_feature_that_cannot_be_drawn_is_refused() {
        let point = json!({"type": "Point", "coordinates": [0, 0]});
        let refused = |properties: Value, geometry: &Value| with_kinds(&properties, geometry).unwrap_err();
        let kinds = "feature 0 has the unknown kind \"river\"; use one of place, water, road, rail, park, district";
        assert_eq!(refused(json!({"kind": "river"}), &point), kinds);
        assert_eq!(refused(json!({"name": " "}), &point), "feature 0 is a place; give it a name");
        assert_eq!(refused(json!({"name": 5}), &point), "feature 0 has the name 5; write it as text");
        let collection = json!({"type": "GeometryCollection", "geometries": [point]});
        assert!(refused(json!({}), &collection).contains("not a GeometryCollection; give its members separately"));
        let beyond = json!({"type": "Point", "coordinates": [0, 91]});
        assert!(refused(json!({"name": "A"}), &beyond).contains("latitude"));
    }
}
