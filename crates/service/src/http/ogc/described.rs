//! The collections of a project with their properties, for files made from both, such as a QGIS project.

use serde_json::{Map, Value, json};

use super::OgcRoot;
use super::catalogue::{Described, of_project};
use super::schemas::of_item_field;
use crate::http::error::Result;
use crate::store::{ProjectKey, Reader};

/// The collections of a project as they are listed, each with the schemas of its properties except the geometry.
pub fn with_properties(read: &Reader, project: ProjectKey, shows_names: bool, root: &OgcRoot) -> Result<Vec<Value>> {
    let with_properties = |described: Described| {
        let fields = read.item_fields(project, described.collection)?;
        let properties: Map<String, Value> =
            fields.iter().map(|field| (field.name.clone().into_owned(), of_item_field(field))).collect();
        Ok(json!({ "collection": described.to_json(&root.0), "properties": properties }))
    };
    of_project(read, project, shows_names)?.into_iter().map(with_properties).collect()
}
