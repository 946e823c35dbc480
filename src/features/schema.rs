//! The documented columns and their types. The column of any other property has the type of its values.

/// The name of the geometry column, which is always the last one.
pub const GEOMETRY: &str = "geometry";

/// The name of the column that rare properties share, see [`Table::has_shared_column`](super::table::Table::has_shared_column).
pub const SHARED_COLUMN: &str = "properties";

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// 64-bit integers.
    Integer,
    /// 64-bit floats.
    Number,
    /// Dates and date-times in microseconds, without a time zone.
    Timestamp,
    Text,
    /// Any JSON value, as its text.
    Json,
}

use ColumnType::{Integer, Json, Number, Text, Timestamp};

/// The columns of a project's diagrams, which are present for every project, even one without diagrams.
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

/// Further documented columns, which other collections have.
const OTHER_COLUMNS: [(&str, ColumnType); 6] = [
    ("bname", Text),
    ("rgbcolor", Text),
    ("grid_location", Text),
    ("diagramtype", Text),
    ("cteamid", Integer),
    ("creationdate", Timestamp),
];

/// The type of a property that the service documents; `None` for any other property.
pub fn documented_type(name: &str) -> Option<ColumnType> {
    let mut documented = DIAGRAM_COLUMNS.iter().chain(&OTHER_COLUMNS);
    documented.find(|(column, _)| *column == name).map(|(_, kind)| *kind)
}

/// The name of a property's column: its own name, unless that is the name of the geometry column.
pub fn column_name(property: &str) -> &str {
    if property == GEOMETRY { "properties.geometry" } else { property }
}

/// GeoArrow's extension metadata of the geometry column: its CRS, EPSG:4326, as PROJJSON. Coordinates are longitude
/// before latitude.
pub const GEOARROW_METADATA: &str =
    concat!(r#"{"crs_type":"projjson","crs":"#, include_str!("epsg_4326.projjson"), "}");
