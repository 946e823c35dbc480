//! OpenAPI schemas of the generic types: each is a component with the names of its arguments in its own name, which `derive`
//! cannot give it.

use std::borrow::Cow;

use serde_json::{Value, json};
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::feature::{EsriFeature, GeojsonCollection, GeometryText, WithGeojson};
use super::schema::from_json;
use crate::geometry::EsriGeometry;

type Schemas = Vec<(String, RefOr<Schema>)>;

/// A reference to the component of a type.
fn reference<T: ToSchema>() -> Value {
    json!({"$ref": format!("#/components/schemas/{}", T::name())})
}

/// The geometry of a feature of an external diagram.
fn empty_geometry() -> Value {
    json!({
        "type": "object", "required": ["type", "coordinates"],
        "description": "A feature without a geometry, such as that of an external diagram",
        "properties": {
            "type": {"type": "string", "enum": ["LineString", "Polygon"]},
            "coordinates": {"type": "array", "maxItems": 0},
        },
    })
}

/// Adds a type to the components, with the types that it refers to.
pub(crate) fn add_component<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

impl<P: ToSchema> ComposeSchema for GeojsonCollection<P> {
    fn compose(_generics: Vec<RefOr<Schema>>) -> RefOr<Schema> {
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

impl<G: ToSchema, R: ToSchema> ComposeSchema for WithGeojson<G, R> {
    fn compose(_generics: Vec<RefOr<Schema>>) -> RefOr<Schema> {
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

impl<A: ToSchema> ComposeSchema for EsriFeature<A> {
    fn compose(_generics: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        from_json(json!({
            "description": "A feature as feature-JSON", "type": "object", "required": ["attributes", "geometry"],
            "properties": {"attributes": reference::<A>(), "geometry": reference::<EsriGeometry>()},
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
        add_component::<EsriGeometry>(schemas);
    }
}
