//! External data layers: maps of other servers, shown with the study area.

use serde::{Deserialize, Serialize};

use super::fields::{JsonObject, string_enum};
use super::ids::LayerId;

// The metadata are of type `O`.
/// An external data layer of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Layer<O = JsonObject> {
    pub id: LayerId,
    /// `esri`, `eorg`, `mapserver`, `geoserver`, `mapcentia-gc2` or `other`.
    pub server_type: Option<String>,
    /// `WMS`, `XYZ` or one of the `esri-…` types, in upper or lower case.
    pub layer_type: Option<String>,
    /// An https address.
    pub url: Option<String>,
    /// The layer's name on its server.
    pub layer_name: Option<String>,
    pub attribution: Option<String>,
    /// The name that users see.
    pub display_name: Option<String>,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub additional_metadata: Option<O>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

// The metadata are of type `O`.
/// A layer to be added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewLayer<O = JsonObject> {
    pub server_type: ServerType,
    pub layer_type: LayerType,
    /// An https address; the service ignores a layer with any other address.
    pub url: String,
    #[serde(default)]
    pub layer_name: String,
    #[serde(default)]
    pub attribution: String,
    #[serde(default)]
    pub display_name: String,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub additional_metadata: Option<O>,
}

impl<O> NewLayer<O> {
    /// Returns the reason why `url` is not an https address; `None` if it is one.
    pub fn url_problem(&self) -> Option<&'static str> {
        let rest = self.url.get(..8).filter(|scheme| scheme.eq_ignore_ascii_case("https://")).map(|_| &self.url[8..]);
        match rest {
            None => Some("the url is not https"),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Some("the url has no host"),
            Some(rest) if rest.contains(char::is_whitespace) => Some("the url has a space; write it as %20"),
            Some(_) => None,
        }
    }
}

/// The type of a layer's server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerType(&'static str);

/// The type of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerType(&'static str);

impl ServerType {
    pub const ALL: [&'static str; 6] = ["esri", "eorg", "mapserver", "geoserver", "mapcentia-gc2", "other"];
}

impl LayerType {
    pub const ALL: [&'static str; 7] = [
        "WMS",
        "XYZ",
        "esri-basemap",
        "esri-tilelayer",
        "esri-dynamicmaplayer",
        "esri-imagemaplayer",
        "esri-featurelayer",
    ];
}

macro_rules! documented_names {
    ($($name:ident)*) => {$(
        impl $name {
            /// The name as the service documents it.
            pub fn name(self) -> &'static str {
                self.0
            }

            /// Reads a name, in upper or lower case.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.eq_ignore_ascii_case(name.trim())).map($name)
            }
        }
    )*};
}

documented_names! { ServerType LayerType }

string_enum! {
    ServerType: name, "esri, eorg, mapserver, geoserver, mapcentia-gc2 or other";
    LayerType: name, "WMS, XYZ, esri-basemap, esri-tilelayer, esri-dynamicmaplayer, esri-imagemaplayer or esri-featurelayer";
}
