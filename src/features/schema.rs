//! The columns that are known by name. Any other property gets a column of the type that its values have.

/// The name of the geometry column, always the last.
pub const GEOMETRY: &str = "geometry";

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// 64-bit integers.
    Integer,
    /// 64-bit floats.
    Number,
    /// Dates and date-times: microseconds, without zone.
    Timestamp,
    Text,
    /// Free-form JSON, as text.
    Json,
}

use ColumnType::{Integer, Json, Number, Text, Timestamp};

/// The columns of a project's diagrams, the same for every project, an empty one too.
pub const DIAGRAM_COLUMNS: [(&str, ColumnType); 27] = [
    ("diagramid", Integer),
    ("id", Integer),
    ("description", Text),
    ("type", Text),
    ("areatype", Text),
    ("sysid", Integer),
    ("sysname", Text),
    ("systag", Text),
    ("color", Text),
    ("author", Text),
    ("rank", Integer),
    ("area", Number),
    ("length", Number),
    ("fundingtype", Text),
    ("cost_override", Number),
    ("cost_override_type", Text),
    ("building_data", Json),
    ("volume_information", Json),
    ("notes", Text),
    ("created_at", Timestamp),
    ("start_date", Timestamp),
    ("end_date", Timestamp),
    ("tag_codes", Text),
    ("additional_metadata", Json),
    ("flat_geobuf_url", Text),
    ("external_geometries", Text),
    ("position", Text),
];

/// Columns that stand beside those in other collections.
const OTHER_COLUMNS: [(&str, ColumnType); 6] = [
    ("bname", Text),
    ("rgbcolor", Text),
    ("grid_location", Text),
    ("diagramtype", Text),
    ("cteamid", Integer),
    ("creationdate", Timestamp),
];

/// The type of a property that the service documents.
pub fn documented_type(name: &str) -> Option<ColumnType> {
    let mut documented = DIAGRAM_COLUMNS.iter().chain(&OTHER_COLUMNS);
    documented.find(|(column, _)| *column == name).map(|(_, kind)| *kind)
}

/// The name of a property's column. The geometry's name is taken.
pub fn column_name(property: &str) -> &str {
    if property == GEOMETRY { "properties.geometry" } else { property }
}

/// The CRS of every geometry here, EPSG:4326 with longitude first, as PROJJSON in GeoArrow's extension metadata.
pub const GEOARROW_METADATA: &str =
    concat!(r#"{"crs_type":"projjson","crs":"#, include_str!("epsg_4326.projjson"), "}");
