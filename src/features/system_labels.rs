//! Names and colours of systems for the diagrams without geometry, whose rows have no feature to take them from.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};

use super::table::Table;
use crate::model::{DiagramKind, SystemDetail};

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
    /// Whether a row without geometry has no value in one of the [`FILLED_COLUMNS`].
    pub fn lacks_labels(&self) -> bool {
        let columns: Vec<_> = FILLED_COLUMNS.iter().filter_map(|name| self.texts(name)).collect();
        columns.iter().any(|column| column.null_count() > 0)
            && (0..self.geometries.len())
                .any(|row| columns.iter().any(|column| column.is_null(row)) && self.is_without_geometry(row))
    }

    /// The properties with the values that rows without geometry lack: `areatype` from the `type` of the diagram, the others
    /// from its system. What a label lacks is taken from the other rows of the system.
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

    /// A column of text with the values of other rows for rows without geometry that have none.
    fn filled<'t>(&self, texts: &'t StringArray, value: impl Fn(usize) -> Option<&'t str>) -> ArrayRef {
        let filled = (0..texts.len()).map(|row| match texts.is_valid(row) {
            true => Some(texts.value(row)),
            false => Some(row).filter(|row| self.is_without_geometry(*row)).and_then(&value),
        });
        Arc::new(filled.collect::<StringArray>())
    }

    /// Whether a row has no geometry, or one without any part.
    fn is_without_geometry(&self, row: usize) -> bool {
        // The byte order, the type and the number of parts, which is 0.
        const WKB_WITHOUT_PARTS: usize = 1 + 4 + 4;
        self.geometries.get(row).is_none_or(|wkb| wkb.len() <= WKB_WITHOUT_PARTS)
    }

    fn texts(&self, name: &str) -> Option<&StringArray> {
        self.properties.column_by_name(name)?.as_string_opt()
    }
}
