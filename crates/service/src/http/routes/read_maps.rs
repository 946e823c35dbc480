//! The land of a project's maps, from their GeoJSON.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;

use crate::http::error::Result;
use crate::land::EvaluationMap;
use crate::store::StoreError;
use geodesign::features::{FeatureCollection, Layout};
use geodesign::model::EvaluationClass;
use geodesign_geometry::{Geometry, read_wkb};

/// Returns the areas of a map.
pub(super) fn areas(map: String) -> Result<Vec<Geometry>> {
    Ok(FeatureCollection::from_json(map, Layout::Collection).map_err(StoreError::content)?.geometries())
}

/// The areas of each class, from where change is least wanted to where it is most; other classes follow.
pub(super) fn classes(evaluation: String) -> Result<EvaluationMap> {
    let map = FeatureCollection::from_json(evaluation, Layout::Collection).map_err(StoreError::content)?;
    let table = map.table();
    let Some(names) = table.properties.column_by_name("areatype").and_then(|column| column.as_string_opt::<i32>())
    else {
        return Ok(Vec::new());
    };
    let mut classes: BTreeMap<(usize, &str), Vec<_>> = BTreeMap::new();
    for row in (0..names.len()).filter(|row| names.is_valid(*row)) {
        let name = names.value(row);
        let name = EvaluationClass::named(name).map_or(name, |class| class.areatype);
        classes
            .entry((EvaluationClass::rank(name), name))
            .or_default()
            .extend(table.geometries.get(row).and_then(read_wkb));
    }
    Ok(classes.into_iter().map(|((_, name), areas)| (name.to_owned(), areas)).collect())
}
