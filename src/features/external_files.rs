//! Where the features of external diagrams are: in files on other servers.

use std::collections::HashSet;

use arrow_array::{Array, StringArray};

use super::collection::FeatureCollection;

impl FeatureCollection {
    /// The diagrams without a geometry that have a file on another server, each once: the id and the address.
    pub fn external_files(&self) -> Vec<(i64, String)> {
        let Some(ids) = self.integers("diagramid") else { return Vec::new() };
        let addresses = ["flat_geobuf_url", "external_geometries"].map(|name| self.texts(name));
        let mut seen = HashSet::new();
        let file = |row: usize| {
            let [flatgeobuf, other] = addresses.map(|column| text(column, row));
            let url = file_url(flatgeobuf, other)?;
            let is_first = ids.is_valid(row) && seen.insert(ids.value(row));
            is_first.then(|| (ids.value(row), url.to_owned()))
        };
        let geometries = &self.table().geometries;
        (0..self.len()).filter(|row| geometries.get(*row).is_none()).filter_map(file).collect()
    }
}

/// The address of a diagram's file, of the fields `flat_geobuf_url` and `external_geometries`, which may be empty. A file may be
/// FlatGeobuf although its author called it otherwise.
pub fn file_url<'u>(flat_geobuf_url: Option<&'u str>, external_geometries: Option<&'u str>) -> Option<&'u str> {
    [flat_geobuf_url, external_geometries].into_iter().flatten().find(|url| !url.is_empty())
}

fn text(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}
