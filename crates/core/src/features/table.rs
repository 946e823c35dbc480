//! The parsed rows: properties in one record batch, geometries in the chunks in which they were parsed. Rows without geometry have no
//! feature with names and colours; they get the names and colours of their system.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::model::{DiagramKind, SystemDetail};
use ColumnType::{Integer, Json, Number, Text, Timestamp};
use geodesign_geometry::Measured;

/// One row per feature, and one for each diagram without features.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub properties: RecordBatch,
    /// True if the last column of the properties is `properties`: for each row a JSON object of the properties that have no column of their
    /// own. A table has it only if a column for each property would be nearly empty, or if there are more than a few thousand.
    pub has_shared_column: bool,
    pub geometries: Geometries,
    /// The area and length of each row's geometry, if [requested](Measuring).
    pub measures: Option<Vec<Measured>>,
}

/// Option to measure geometries while diagrams are parsed, which fills [`Table::measures`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measuring {
    Skip,
    EachRow,
}

impl Table {
    /// The properties by the names that they have in frames: a diagram's kind is `kind`, whatever its name on the wire.
    pub fn named_properties(&self) -> RecordBatch {
        let schema = self.properties.schema_ref();
        let has = |name: &str| schema.column_with_name(name).is_some();
        let Some(of_wire) = WIRE_NAMES_OF_KIND.into_iter().find(|name| has(name) && has("diagramid")) else {
            return self.properties.clone();
        };
        let fields = schema.fields().iter().map(|field| match field.name().as_str() {
            name if name == of_wire => field.as_ref().clone().with_name(KIND),
            KIND => field.as_ref().clone().with_name("properties.kind"),
            _ => field.as_ref().clone(),
        });
        let renamed = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let rows = RecordBatchOptions::new().with_row_count(Some(self.properties.num_rows()));
        RecordBatch::try_new_with_options(renamed, self.properties.columns().to_vec(), &rows)
            .expect("the same columns by other names")
    }

    /// The columns of the properties, then the geometry column.
    pub fn schema(&self) -> SchemaRef {
        let extension = [("ARROW:extension:name", "geoarrow.wkb"), ("ARROW:extension:metadata", GEOARROW_METADATA)];
        let metadata = extension.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let geometry = Field::new(GEOMETRY, DataType::Binary, true).with_metadata(metadata.into());
        let properties = self.named_properties();
        let properties = properties.schema_ref().fields().iter().map(|field| field.as_ref().clone());
        Arc::new(Schema::new(properties.chain([geometry]).collect::<Vec<_>>()))
    }

    /// All rows with the columns of [`schema`](Self::schema), one batch per chunk of geometries. Shares their memory.
    pub fn batches(&self) -> impl Iterator<Item = RecordBatch> {
        let schema = self.schema();
        self.geometries.0.iter().map(move |chunk| {
            let mut columns = self.properties.slice(chunk.first_row, chunk.wkb.len()).columns().to_vec();
            columns.push(Arc::new(chunk.wkb.clone()));
            RecordBatch::try_new(schema.clone(), columns).expect("a table has a geometry for each row of properties")
        })
    }
}

/// The geometry of every row as WKB in WGS 84, longitude before latitude.
#[derive(Debug, Clone)]
pub struct Geometries(Vec<WkbChunk>);

/// The geometries of consecutive rows.
#[derive(Debug, Clone)]
struct WkbChunk {
    first_row: usize,
    wkb: BinaryArray,
}

impl Geometries {
    /// Takes arrays that each hold the next rows.
    pub fn new(arrays: impl IntoIterator<Item = BinaryArray>) -> Self {
        let mut rows = 0;
        let chunks = arrays.into_iter().map(|wkb| {
            let first_row = rows;
            rows += wkb.len();
            WkbChunk { first_row, wkb }
        });
        Geometries(chunks.collect())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |chunk| chunk.first_row + chunk.wkb.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The WKB of a row; `None` if it has no geometry.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let next_chunk = self.0.partition_point(|chunk| chunk.first_row <= row);
        let chunk = &self.0[next_chunk.checked_sub(1)?];
        let row = row - chunk.first_row;
        (row < chunk.wkb.len() && chunk.wkb.is_valid(row)).then(|| chunk.wkb.value(row))
    }
}

/// Equal if all rows are equal, however they are distributed over chunks.
impl PartialEq for Geometries {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|row| self.get(row) == other.get(row))
    }
}

/// The columns that are filled from the system of a diagram, or in the case of `areatype` from its `type`.
pub const FILLED_COLUMNS: [&str; 4] = ["sysname", "systag", "color", "areatype"];

/// The name, short name and colour of a system.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SystemLabel {
    pub id: i64,
    pub name: Option<String>,
    pub tag: Option<String>,
    pub color: Option<String>,
}

impl From<&SystemDetail> for SystemLabel {
    fn from(system: &SystemDetail) -> Self {
        let (name, tag, color) = (Some(system.item.name.clone()), system.tag.clone(), system.item.color.clone());
        SystemLabel { id: system.item.id.0, name, tag, color }
    }
}

impl Table {
    /// True if a row without geometry has no value in one of the [`FILLED_COLUMNS`].
    pub fn lacks_labels(&self) -> bool {
        let columns: Vec<_> = FILLED_COLUMNS.iter().filter_map(|name| self.texts(name)).collect();
        columns.iter().any(|column| column.null_count() > 0)
            && (0..self.geometries.len())
                .any(|row| columns.iter().any(|column| column.is_null(row)) && self.is_without_geometry(row))
    }

    /// Returns the properties, with missing values filled in rows without geometry: `areatype` from the `type` of the diagram, the others
    /// from its system. Values that a label lacks come from other rows of the system.
    pub fn with_labels(&self, labels: &[SystemLabel]) -> RecordBatch {
        let systems: HashMap<i64, &SystemLabel> = labels.iter().map(|label| (label.id, label)).collect();
        let columns = self.properties.schema_ref().fields().iter().zip(self.properties.columns());
        let columns = columns.map(|(field, column)| match (field.name().as_str(), column.as_string_opt::<i32>()) {
            ("sysname", Some(texts)) => self.filled_by_system(texts, &systems, |label| label.name.as_deref()),
            ("systag", Some(texts)) => self.filled_by_system(texts, &systems, |label| label.tag.as_deref()),
            ("color", Some(texts)) => self.filled_by_system(texts, &systems, |label| label.color.as_deref()),
            ("areatype", Some(texts)) => {
                let types = self.texts("type");
                let kind = |row| DiagramKind::from_name(types.filter(|types| types.is_valid(row))?.value(row));
                self.filled(texts, |row| kind(row).map(DiagramKind::name))
            }
            _ => column.clone(),
        });
        let columns: Vec<ArrayRef> = columns.collect();
        RecordBatch::try_new(self.properties.schema(), columns).expect("a filled column has the same type and length")
    }

    fn filled_by_system<'t>(
        &'t self,
        texts: &'t StringArray,
        systems: &HashMap<i64, &'t SystemLabel>,
        value: impl Fn(&'t SystemLabel) -> Option<&'t str>,
    ) -> ArrayRef {
        let sysids = self.properties.column_by_name("sysid").and_then(|column| column.as_primitive_opt::<Int64Type>());
        let Some(sysids) = sysids else { return Arc::new(texts.clone()) };
        let mut values: HashMap<i64, &str> =
            systems.iter().filter_map(|(id, label)| Some((*id, value(label)?))).collect();
        for row in (0..texts.len()).filter(|row| texts.is_valid(*row) && sysids.is_valid(*row)) {
            values.entry(sysids.value(row)).or_insert_with(|| texts.value(row));
        }
        self.filled(texts, |row| values.get(&sysids.value(row)).copied().filter(|_| sysids.is_valid(row)))
    }

    /// Returns the texts; in rows without geometry, a missing text is replaced with its `value`.
    fn filled<'t>(&self, texts: &'t StringArray, value: impl Fn(usize) -> Option<&'t str>) -> ArrayRef {
        let filled = (0..texts.len()).map(|row| {
            let other = || value(row).filter(|_| self.is_without_geometry(row));
            if texts.is_valid(row) { Some(texts.value(row)) } else { other() }
        });
        Arc::new(filled.collect::<StringArray>())
    }

    /// True if a row has no geometry, or one without any part.
    fn is_without_geometry(&self, row: usize) -> bool {
        // The byte order, the type and the number of parts, which is 0.
        const WKB_WITHOUT_PARTS: usize = 1 + 4 + 4;
        self.geometries.get(row).is_none_or(|wkb| wkb.len() <= WKB_WITHOUT_PARTS)
    }

    fn texts(&self, name: &str) -> Option<&StringArray> {
        self.properties.column_by_name(name)?.as_string_opt()
    }
}

/// Name of a diagram's kind in frames. A frame's attribute `type` is the type of each geometry, so a column `type` could only be read as
/// `frame["type"]`.
const KIND: &str = "kind";

/// Names of the kind on the wire: in lists of diagrams, and among the features of a design.
const WIRE_NAMES_OF_KIND: [&str; 2] = ["type", "diagramtype"];

/// The name of the geometry column, which is always the last one.
pub const GEOMETRY: &str = "geometry";

/// The name of the column that rare properties share, see [`Table::has_shared_column`].
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

/// Documented columns that other collections have.
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
