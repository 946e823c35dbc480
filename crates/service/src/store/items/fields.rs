//! The properties of each collection of features, with the SQL that reads them.

use std::borrow::Cow;

use rusqlite::params;

use super::Collection;
use super::map_properties::{JsonTypes, MapProperty, map_properties};
use crate::store::database::columns::columns;
use crate::store::database::error::{Result, StoreError};
use crate::store::database::transaction::Reader;
use crate::store::database::values::ProjectKey;
use crate::store::diagrams::TAG_CODES;
use geodesign::model::SystemId;

/// A property of the features of a collection. Most have the names and types of the same columns in a GeoDataFrame.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: Cow<'static, str>,
    pub kind: FieldKind,
    /// A sentence about it; empty if its name says it all.
    pub about: &'static str,
    /// The values that it can have, if they are few.
    pub values: &'static [&'static str],
    /// True if requests may set it.
    pub is_writable: bool,
    /// True if filters may use it.
    pub is_queryable: bool,
    /// The expression in SQL.
    pub(super) sql: Cow<'static, str>,
}

/// The type of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Integer,
    Number,
    Boolean,
    /// YYYY-MM-DD
    Date,
    /// UTC
    DateTime,
}

impl Field {
    fn new(name: &'static str, kind: FieldKind, sql: &'static str, about: &'static str) -> Self {
        Field {
            name: Cow::Borrowed(name),
            kind,
            about,
            values: &[],
            is_writable: false,
            is_queryable: true,
            sql: Cow::Borrowed(sql),
        }
    }

    fn writable(self) -> Self {
        Field { is_writable: true, ..self }
    }

    fn one_of(self, values: &'static [&'static str]) -> Self {
        Field { values, ..self }
    }

    /// Returns a property that is not read with the others, such as a cost.
    fn computed(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Field { is_queryable: false, ..Field::new(name, kind, "NULL", about) }
    }
}

use FieldKind::{Boolean, Date, DateTime, Integer, Number, Text};

/// True for an undated diagram, whose row has the day of its creation instead.
macro_rules! undated {
    () => {
        "coalesce(diagrams.undated, diagrams.start_date = substr(diagrams.created_at, 1, 10) \
         AND diagrams.end_date = diagrams.start_date)"
    };
}

const FUNDING: &[&str] = &["public", "public_private", "private", "budgeted", "o", "b", "u"];

/// Returns the properties of a diagram; `author` is left out for readers who may not see names.
fn of_diagrams() -> Vec<Field> {
    vec![
        Field::new("diagramid", Integer, "diagrams.id", "The id of the diagram."),
        Field::new("description", Text, "diagrams.description", "The title of the diagram.").writable(),
        Field::new("type", Text, "diagrams.type", "A project changes land; a policy says what may be done with it.")
            .one_of(&["project", "policy"])
            .writable(),
        Field::new("areatype", Text, "diagrams.type", "The same as type."),
        Field::new("sysid", Integer, "systems.id", "The id of the system.").writable(),
        Field::new("sysname", Text, "systems.name", "The name of the system."),
        Field::new("systag", Text, "systems.tag", "The short name of the system."),
        Field::new("color", Text, "systems.color", "The color of the system, as #RRGGBB."),
        Field::new("author", Text, "users.username", "The author of the diagram."),
        Field::new("rank", Integer, "diagrams.rank", "The row of the diagram in the grid of its project."),
        Field::new("area", Number, "diagrams.area", "Square metres; 0 for lines."),
        Field::new("length", Number, "diagrams.length", "Kilometres; 0 for areas."),
        Field::new("fundingtype", Text, "diagrams.fundingtype", "The source of funding.").one_of(FUNDING).writable(),
        Field::new("cost_override", Number, "diagrams.cost_override", "Money; 0 if the system's rate applies."),
        Field::new(
            "cost_override_type",
            Text,
            "diagrams.cost_override_type",
            "The basis of cost_override: the whole diagram (total), or each hectare.",
        ),
        Field::new("notes", Text, "diagrams.notes", ""),
        Field::new(
            "created_at",
            DateTime,
            "substr(diagrams.created_at, 1, 19)",
            "Time at which the diagram was added. UTC.",
        ),
        Field::new(
            "start_date",
            Date,
            concat!("CASE WHEN NOT ", undated!(), " THEN diagrams.start_date END"),
            "The first day. Null if the diagram is undated.",
        )
        .writable(),
        Field::new(
            "end_date",
            Date,
            concat!("CASE WHEN NOT ", undated!(), " THEN diagrams.end_date END"),
            "The last day. Null if the diagram is undated.",
        )
        .writable(),
        Field::new("undated", Boolean, undated!(), "True if the diagram has no days."),
        Field::new("tag_codes", Text, TAG_CODES, "The codes of the tags, separated by |."),
        Field::new(
            "additional_metadata",
            Text,
            "diagrams.additional_metadata",
            "An object of any fields, as JSON text.",
        ),
        Field::new(
            "storeys_above_ground",
            Integer,
            "json_extract(diagrams.building_data, '$.storeys_above_ground')",
            "Storeys of its buildings above the ground.",
        ),
        Field::new(
            "storeys_below_ground",
            Integer,
            "json_extract(diagrams.building_data, '$.storeys_below_ground')",
            "Storeys of its buildings below the ground; some services write a negative number.",
        ),
        Field::new("building_data", Text, "diagrams.building_data", "An object of any fields, as JSON text."),
        Field::new(
            "flat_geobuf_url",
            Text,
            "diagrams.flat_geobuf_url",
            "Address of the geometries of an external diagram.",
        ),
        Field::new(
            "external_geometries",
            Text,
            "diagrams.external_geometries",
            "Address of the geometries of an external diagram.",
        ),
    ]
}

/// Returns the properties about costs, computed for the diagrams of a page.
fn costs() -> [Field; 7] {
    [
        Field::computed("kind", Text, "The kind that the diagram is priced as."),
        Field::computed("area_ha", Number, "Hectares on WGS 84. Null if unknown."),
        Field::computed("length_km", Number, "Kilometres on WGS 84. Null if unknown."),
        Field::computed("pieces", Integer, "The number of points. Null if unknown."),
        Field::computed(
            "rate",
            Number,
            "Money per hectare, or per kilometre where area_ha is 0. Null if no rate applies.",
        ),
        Field::computed("cost", Number, "Money. Null if unknown."),
        Field::computed("cost_problem", Text, "Reason why the cost is unknown."),
    ]
}

const HEIGHTS: &str = "printf('{\"min_height\":%.15g,\"max_height\":%.15g}', features.min_height, features.max_height)";

/// The SQL to read a collection.
#[derive(Debug)]
pub struct Source {
    /// The tables, and the condition that the rows belong to a project, which is the first parameter.
    pub from: Cow<'static, str>,
    pub condition: Cow<'static, str>,
    /// The order of the rows: unique, whole numbers or texts.
    pub key: &'static [KeyPart],
    /// The id of a feature.
    pub id: &'static str,
    pub geometry: Place,
    /// The documented properties. A map has none: the properties of its features are [looked up](Reader::item_fields) on request.
    pub fields: Vec<Field>,
    /// The column with the GeoJSON of a map, for a collection of a map's features.
    pub map: Option<MapColumn>,
    /// True if the features have a first and a last day.
    pub has_period: bool,
    /// A query for the number of all features, if it is known without reading them.
    pub count: Option<&'static str>,
}

/// The column of a table that holds a map.
#[derive(Debug, Clone, Copy)]
pub struct MapColumn {
    table: &'static str,
    column: &'static str,
}

/// The properties of a map's feature, as one object.
pub const MAP_PROPERTIES: &str = "feature.value -> '$.properties'";

/// A part of the order of rows.
#[derive(Debug, Clone, Copy)]
pub struct KeyPart {
    pub sql: &'static str,
    pub is_text: bool,
}

/// The place of a feature's geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In all features of the row's diagram.
    OfDiagram,
    /// In the row's feature.
    Own,
    /// In the row's GeoJSON.
    InText(&'static str),
    Nowhere,
}

const fn number(sql: &'static str) -> KeyPart {
    KeyPart { sql, is_text: false }
}

/// Each diagram has a system and an author. SQLite leaves out a left join that a query does not need, such as one that counts.
const DIAGRAMS: &str =
    "diagrams LEFT JOIN systems ON systems.id = diagrams.system LEFT JOIN users ON users.key = diagrams.author";
const COUNT_OF_DIAGRAMS: &str = "SELECT diagrams - (SELECT count(*) FROM all_diagrams WHERE project = ?1 \
                                 AND removed_by IS NOT NULL) FROM projects WHERE key = ?1";
const MAP_FEATURE: &str = "feature.value -> '$.geometry'";

impl Collection {
    /// Returns the source of the collection in a project.
    pub fn source(self, read: &Reader) -> Source {
        let with_period = |source: Source| Source { has_period: true, ..source };
        let source =
            |from: &'static str, condition: &'static str, key: &'static [KeyPart], id, geometry, fields| Source {
                from: from.into(),
                condition: condition.into(),
                key,
                id,
                geometry,
                fields,
                map: None,
                has_period: false,
                count: None,
            };
        let is_edited = self == Collection::Diagrams;
        let diagrams = |before: Vec<Field>| {
            let mut fields = before;
            let of_diagrams = of_diagrams().into_iter().filter(|field| !read.hides_names() || field.name != "author");
            fields.extend(of_diagrams.map(|field| Field { is_writable: field.is_writable && is_edited, ..field }));
            fields
        };
        const OF_PROJECT: &str = "diagrams.project = ?1";
        match self {
            Collection::Diagrams => {
                let mut fields = diagrams(Vec::new());
                fields.extend(costs());
                let diagrams = with_period(source(
                    DIAGRAMS,
                    OF_PROJECT,
                    const { &[number("diagrams.id")] },
                    "diagrams.id",
                    Place::OfDiagram,
                    fields,
                ));
                Source { count: Some(COUNT_OF_DIAGRAMS), ..diagrams }
            }
            Collection::Parts => {
                const FROM: &str = "diagrams LEFT JOIN systems ON systems.id = diagrams.system LEFT JOIN users ON users.key = diagrams.author \
                                    JOIN features ON features.diagram = diagrams.id";
                let mut fields = diagrams(Vec::new());
                fields.push(Field::new("volume_information", Text, HEIGHTS, "Heights in metres, as JSON text."));
                let key = const { &[number("diagrams.id"), number("features.key")] };
                with_period(source(FROM, OF_PROJECT, key, "features.key", Place::Own, fields))
            }
            Collection::Designs => {
                const FROM: &str = "designs JOIN teams ON teams.id = designs.team JOIN design_diagrams ON design_diagrams.design = designs.id \
                                    JOIN diagrams ON diagrams.id = design_diagrams.diagram \
                                    LEFT JOIN systems ON systems.id = diagrams.system LEFT JOIN users ON users.key = diagrams.author";
                let fields = diagrams(vec![
                    Field::new("cteamid", Integer, "teams.id", "The id of the change team."),
                    Field::new("team", Text, "teams.title", "The title of the change team."),
                    Field::new("synthesisid", Text, "designs.id", "The id of the design."),
                    Field::new("design", Text, "designs.description", "The title of the design."),
                    Field::new(
                        "saved_at",
                        DateTime,
                        "substr(designs.creationdate, 1, 19)",
                        "Time at which the design was saved. UTC.",
                    ),
                ]);
                let key = const { &[KeyPart { sql: "designs.id", is_text: true }, number("diagrams.id")] };
                let id = "designs.id || '.' || diagrams.id";
                with_period(source(FROM, "teams.project = ?1", key, id, Place::OfDiagram, fields))
            }
            Collection::Selections => {
                const FROM: &str = "selections JOIN users AS members ON members.key = selections.user \
                                    JOIN diagrams ON diagrams.id = selections.diagram \
                                    LEFT JOIN systems ON systems.id = diagrams.system LEFT JOIN users ON users.key = diagrams.author";
                let fields = diagrams(vec![Field::new(
                    "selected_by",
                    Text,
                    "members.username",
                    "The member who selected the diagram.",
                )]);
                let key = const { &[number("members.key"), number("diagrams.id")] };
                let id = "members.username || '.' || diagrams.id";
                with_period(source(FROM, OF_PROJECT, key, id, Place::OfDiagram, fields))
            }
            Collection::Layers => {
                let text = |name, sql, about| Field::new(name, Text, sql, about);
                let fields = vec![
                    Field::new("id", Integer, "layers.id", "The id of the layer."),
                    text("display_name", "layers.display_name", ""),
                    text("server_type", "layers.server_type", "The type of the layer's server."),
                    text("layer_type", "layers.layer_type", "The kind of the layer."),
                    text("url", "layers.url", "The address of the layer."),
                    text("layer_name", "layers.layer_name", "The layer's name on its server."),
                    text("attribution", "layers.attribution", "The attribution of the layer."),
                    text("additional_metadata", "layers.additional_metadata", "An object of any fields, as JSON text."),
                ];
                source(
                    "layers",
                    "layers.project = ?1",
                    const { &[number("layers.id")] },
                    "layers.id",
                    Place::Nowhere,
                    fields,
                )
            }
            Collection::Boundaries | Collection::Constraints | Collection::Context | Collection::Evaluation(_) => {
                let (map, condition): (MapColumn, Cow<'static, str>) = match self {
                    Collection::Evaluation(system) => {
                        (EVALUATION, format!("systems.project = ?1 AND systems.id = {system}").into())
                    }
                    _ => {
                        let role = self.name();
                        (GEOGRAPHY, format!("geographies.project = ?1 AND geographies.role = '{role}'").into())
                    }
                };
                let MapColumn { table, column } = map;
                let from = format!("{table}, json_each({table}.{column}, '$.features') AS feature").into();
                // SQLite knows that a text's features come in this order, and reads no more than a page needs.
                let key = const { &[number("feature.rowid")] };
                let of_map = source("", "", key, "feature.key", Place::InText(MAP_FEATURE), Vec::new());
                Source { from, condition, map: Some(map), ..of_map }
            }
        }
    }
}

const EVALUATION: MapColumn = MapColumn { table: "systems", column: "evaluation" };
const GEOGRAPHY: MapColumn = MapColumn { table: "geographies", column: "geojson" };
/// Maximum number of properties that are listed for a map.
const MAX_FIELDS: usize = 200;

impl Reader<'_> {
    /// Returns the documented properties of a collection, without reading a map.
    pub fn documented_fields(&self, collection: Collection) -> Vec<Field> {
        collection.source(self).fields
    }

    /// Returns the properties of a collection. A map's properties are collected from all its features.
    pub fn item_fields(&self, project: ProjectKey, collection: Collection) -> Result<Vec<Field>> {
        let source = collection.source(self);
        match source.map {
            Some(map) => self.fields_of_map(project, map, &source.condition),
            None => Ok(source.fields),
        }
    }

    /// Returns the systems whose evaluation maps have features. Long maps are not read for this: they have features, or at least other content.
    pub fn systems_with_evaluation(&self, project: ProjectKey) -> Result<Vec<(SystemId, String)>> {
        let rest = "FROM systems WHERE project = ?1 \
                    AND (octet_length(evaluation) > 1000 OR json_array_length(evaluation, '$.features') > 0) ORDER BY id";
        self.select(columns!((id, name)), rest, [project.0])
    }

    /// Returns the properties of a map's features.
    fn fields_of_map(
        &self,
        project: ProjectKey,
        MapColumn { table, column }: MapColumn,
        condition: &str,
    ) -> Result<Vec<Field>> {
        let sql = format!("SELECT {column} FROM {table} WHERE {condition}");
        let found = self.one(&sql, params![project.0], |row| {
            let geojson = row.get_ref(0)?.as_str().map_err(StoreError::content)?;
            map_properties(geojson, MAX_FIELDS, || self.check_time())
        })?;
        let fields = found.unwrap_or_default().into_iter().map(|MapProperty { name, types }| {
            let plain = |kind| (kind, true);
            let (kind, is_plain) = match types {
                JsonTypes { integer: true, real: false, boolean: false, text: false, nested: false } => plain(Integer),
                JsonTypes { real: true, boolean: false, text: false, nested: false, .. } => plain(Number),
                JsonTypes { boolean: true, integer: false, real: false, text: false, nested: false } => plain(Boolean),
                JsonTypes { integer: false, real: false, boolean: false, nested: false, .. } => plain(Text),
                _ => (Text, false),
            };
            let path = format!("$.properties.\"{name}\"").replace('\'', "''");
            Field {
                is_queryable: is_plain && !name.contains(|c: char| matches!(c, '"' | '\\') || c.is_control()),
                sql: format!("feature.value ->> '{path}'").into(),
                name: name.into(),
                ..Field::new("", kind, "", "")
            }
        });
        Ok(fields.collect())
    }
}
