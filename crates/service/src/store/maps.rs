//! Boundaries, constraints and contexts of projects, and their external data layers.

use rusqlite::params;
use serde::Serialize;

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{NO_FEATURES, ProjectKey, to_json};
use super::history::Change;
use geodesign::model::{
    AreaFeatures, Boundaries, Constraints, Context, ContextFeatures, Feature, GeojsonCollection, GeometryText,
    JsonObject, Layer, LayerId, NewLayer, ObjectText, WithGeojson,
};
use geodesign_geometry::Measure;

/// A geography of a project: features with a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Geography {
    Boundaries,
    SecondBoundaries,
    Constraints,
    Context,
}

impl Geography {
    pub const ALL: [Geography; 4] =
        [Geography::Boundaries, Geography::SecondBoundaries, Geography::Constraints, Geography::Context];

    /// Returns the segment of its path, which is also its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Geography::Boundaries => "boundaries",
            Geography::SecondBoundaries => "secondboundaries",
            Geography::Constraints => "constraints",
            Geography::Context => "context",
        }
    }

    /// Returns the method with which the operator sets it.
    fn operation(self) -> &'static str {
        match self {
            Geography::Boundaries | Geography::SecondBoundaries => "set_boundaries",
            Geography::Constraints => "set_constraints",
            Geography::Context => "set_context",
        }
    }
}

impl Reader<'_> {
    /// Returns a geography of a project. It has no features until it is set.
    pub fn geography(&self, project: ProjectKey, role: Geography) -> Result<WithGeojson<GeometryText, JsonObject>> {
        let rest = "FROM geographies WHERE project = ?1 AND role = ?2";
        let stored =
            self.select_one(columns!(WithGeojson { geojson, resource }), rest, params![project.0, role.name()])?;
        stored.map_or_else(|| empty(role), Ok)
    }
}

impl Writer<'_> {
    /// Sets boundaries or constraints of a project. Boundaries get their `name` as `bname`, too.
    pub fn set_geography(
        &self,
        project: ProjectKey,
        role: Geography,
        description: &str,
        map: &AreaFeatures,
    ) -> Result<()> {
        let is_constraints = role == Geography::Constraints;
        let area_type = if is_constraints { "constraints" } else { "boundaries" };
        let features = map.features.iter().map(|feature| {
            let mut properties = JsonObject::new();
            properties.insert("areatype".into(), area_type.into());
            let given = feature.properties.clone().unwrap_or_default();
            let name = given.get("name").cloned().filter(|_| !is_constraints);
            properties.extend(name.map(|name| ("bname".to_owned(), name)));
            properties.extend(given.0);
            Feature::new(properties, &feature.geometry)
        });
        let features: GeojsonCollection<_, _> = features.collect();
        let description = description.to_owned();
        if is_constraints {
            map.check_no_points().map_err(InputError::map)?;
            let Measure { square_metres: area, .. } = map.measure();
            let length = if area > 0.0 { 0.0 } else { map.measure().kilometres() };
            let resource = Constraints { description, area, length, ..Constraints::default() };
            self.replace_geography(project, role, &resource, &features)
        } else {
            map.check_areas().map_err(InputError::map)?;
            self.replace_geography(project, role, &Boundaries { description }, &features)
        }
    }

    /// Sets the context of a project. Its features have kinds.
    pub fn set_context(&self, project: ProjectKey, description: &str, context: &ContextFeatures) -> Result<()> {
        let description = description.to_owned();
        self.replace_geography(project, Geography::Context, &Context { description }, context)
    }

    /// Sets a geography and records it, unless it is the same as before.
    fn replace_geography(
        &self,
        project: ProjectKey,
        role: Geography,
        resource: &impl Serialize,
        geojson: &impl Serialize,
    ) -> Result<()> {
        let before = "FROM geographies WHERE project = ?1 AND role = ?2";
        let before = self.select_one(columns!((resource, geojson)), before, params![project.0, role.name()])?;
        let after = (to_json(resource)?, to_json(geojson)?);
        if before.as_ref() == Some(&after) {
            return Ok(());
        }
        let bytes = |(_, geojson): &(String, String)| format!("{} bytes of GeoJSON", geojson.len());
        let change = Change::of(role.operation()).subject(role.name()).after(bytes(&after));
        let change = before.iter().fold(change, |change, before| change.before(bytes(before)));
        self.insert_geography(project, role, resource, geojson)?;
        self.record(project, change)
    }

    /// Sets a geography from the resource and the feature collection that its operation returns.
    pub fn insert_geography(
        &self,
        project: ProjectKey,
        role: Geography,
        resource: &impl Serialize,
        geojson: &impl Serialize,
    ) -> Result<()> {
        let sql = "INSERT INTO geographies (project, role, resource, geojson) VALUES (?1, ?2, ?3, ?4) \
                   ON CONFLICT DO UPDATE SET resource = excluded.resource, geojson = excluded.geojson";
        self.run(sql, params![project.0, role.name(), to_json(resource)?, to_json(geojson)?])?;
        // Thumbnails show the boundaries, so they have to be drawn again.
        self.run("UPDATE projects SET appearance = appearance + 1 WHERE key = ?1", [project.0]).map(drop)
    }
}

/// Returns a geography without features.
fn empty(role: Geography) -> Result<WithGeojson<GeometryText, JsonObject>> {
    let resource = match role {
        Geography::Constraints => serde_json::to_value(Constraints::default()),
        Geography::Context => serde_json::to_value(Context::default()),
        Geography::Boundaries | Geography::SecondBoundaries => serde_json::to_value(Boundaries::default()),
    };
    let resource = resource.and_then(serde_json::from_value).map_err(StoreError::content)?;
    Ok(WithGeojson { geojson: GeometryText(NO_FEATURES.into()), resource })
}

impl Reader<'_> {
    pub fn layers(&self, project: ProjectKey) -> Result<Vec<Layer<ObjectText>>> {
        let columns = columns!(Layer {
            id,
            server_type,
            layer_type,
            url,
            layer_name,
            attribution,
            display_name,
            additional_metadata,
            ..
        });
        self.as_loaded(project, self.select(columns, "FROM layers WHERE project = ?1 ORDER BY id", [project.0])?)
    }
}

impl Writer<'_> {
    pub fn add_layer(&self, project: ProjectKey, layer: &NewLayer<impl Serialize>) -> Result<LayerId> {
        let id = self.insert_layer(project, None, layer)?;
        self.record(project, Change::of("add_layer").subject(format_args!("layer {id}")).after(&layer.url))?;
        Ok(id)
    }

    /// Adds a layer. Without an id it gets the next free one.
    pub fn insert_layer(
        &self,
        project: ProjectKey,
        id: Option<LayerId>,
        layer: &NewLayer<impl Serialize>,
    ) -> Result<LayerId> {
        let sql = "INSERT INTO layers (id, project, server_type, layer_type, url, layer_name, attribution, display_name, \
                   additional_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = params![
            id.map(|id| id.0),
            project.0,
            layer.server_type.name(),
            layer.layer_type.name(),
            layer.url,
            layer.layer_name,
            layer.attribution,
            layer.display_name,
            layer.additional_metadata.as_ref().map_or_else(|| Ok("{}".into()), to_json)?,
        ];
        self.insert(sql, values).map(LayerId)
    }

    /// Deletes a layer. Returns false if the project has no such layer.
    pub fn delete_layer(&self, project: ProjectKey, layer: LayerId) -> Result<bool> {
        let sql = "DELETE FROM layers WHERE project = ?1 AND id = ?2 RETURNING url";
        let deleted = self.value::<String>(sql, params![project.0, layer.0])?;
        match deleted {
            None => Ok(false),
            Some(url) => {
                let change = Change::of("delete_layer").subject(format_args!("layer {layer}")).before(url);
                self.record(project, change).map(|()| true)
            }
        }
    }
}
