//! External data layers: maps of other servers, shown over or under the study area.

use serde::{Deserialize, Serialize};

use super::{Extra, LayerId};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    pub id: LayerId,
    /// `esri`, `eorg`, `mapserver`, `geoserver`, `mapcentia-gc2` or `other`.
    #[serde(default)]
    pub server_type: Option<String>,
    /// `WMS`, `XYZ` or one of the `esri-…` kinds; the case is not told.
    #[serde(default)]
    pub layer_type: Option<String>,
    /// An https address.
    #[serde(default)]
    pub url: Option<String>,
    /// The layer's name on its server.
    #[serde(default)]
    pub layer_name: Option<String>,
    #[serde(default)]
    pub attribution: Option<String>,
    /// The name that users see.
    #[serde(default)]
    pub display_name: Option<String>,
    #[serde(default)]
    pub additional_metadata: Option<Extra>,
    #[serde(flatten)]
    pub extra: Extra,
}
