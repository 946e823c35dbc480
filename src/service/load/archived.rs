//! What several parts of an archive tell of a project.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::{DiagramId, SystemDetail};

#[derive(Debug)]
pub struct ArchivedSystem {
    pub detail: SystemDetail,
    /// As the origin wrote it; `None` if the archive has none.
    pub evaluation: Option<Box<RawValue>>,
}

/// A feature of a diagram in an answer about several diagrams.
#[derive(Debug, Deserialize)]
pub struct DrawnFeature {
    #[serde(default)]
    pub properties: DrawnProperties,
    #[serde(default)]
    pub geometry: Option<Box<RawValue>>,
}

#[derive(Debug, Default, Deserialize)]
pub struct DrawnProperties {
    #[serde(default)]
    pub diagramid: Option<DiagramId>,
    #[serde(default)]
    pub grid_location: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct DrawnFeatures {
    #[serde(default)]
    pub features: Vec<DrawnFeature>,
}
