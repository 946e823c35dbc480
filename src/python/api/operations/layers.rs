//! External data layers.

use pyo3::prelude::*;

use crate::client;
use crate::model::{JsonObject, Layer, LayerId, LayerType, NewLayer, ServerType};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::answers::Nothing;
use crate::python::convert::arguments::Metadata;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// The external data layers: maps of other servers that the project shows.
    ///
    /// Returns:
    ///     A list of `Layer` dicts: `id`, `server_type`, `layer_type`, `url`, `layer_name`, `attribution`,
    ///     `display_name`, `additional_metadata`.
    ///
    /// Examples:
    ///     >>> [layer["layer_type"] for layer in project.layers()]
    ///     ['WMS', 'XYZ', 'esri-featurelayer', 'WMS']
    fn layers() -> Json<Vec<Layer>> = |project| Ok(Json(project.layers().await?));

    /// Adds an external data layer: a map of another server, shown over or under the study area.
    ///
    /// Args:
    ///     url: The https address of the map.
    ///     server_type: `esri`, `eorg`, `mapserver`, `geoserver`, `mapcentia-gc2` or `other`.
    ///     layer_type: `WMS`, `XYZ`, `esri-basemap`, `esri-tilelayer`, `esri-dynamicmaplayer`, `esri-imagemaplayer` or
    ///         `esri-featurelayer`, in upper or lower case.
    ///     layer_name: The layer's name on that server.
    ///     display_name: The name that users see. Default: `layer_name`.
    ///     attribution: The source to credit.
    ///     additional_metadata: A dict with any content.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: An unknown type of server or layer, or an address that is not https; nothing was sent.
    ///
    /// Examples:
    ///     >>> message = project.add_layer(
    ///     ...     "https://tiles.example.org/{z}/{x}/{y}.png", server_type="other", layer_type="XYZ", layer_name="Relief"
    ///     ... )
    ///     >>> project.layers()[-1]["display_name"]
    ///     'Relief'
    #[pyo3(
        signature = (url, *, server_type, layer_type, layer_name, display_name=None, attribution="".to_owned(), additional_metadata=None),
        text_signature = "($self, url, *, server_type, layer_type, layer_name, display_name=None, attribution='', additional_metadata=None)"
    )]
    fn add_layer(
        url: String, server_type: ServerType, layer_type: LayerType, layer_name: String, display_name: Option<String>,
        attribution: String, additional_metadata: Option<Metadata>,
    ) -> String = |project| {
        let additional_metadata = additional_metadata.map(|Metadata(metadata)| metadata).or_else(|| Some(JsonObject::new()));
        let layer = NewLayer {
            server_type,
            layer_type,
            url,
            display_name: display_name.unwrap_or_else(|| layer_name.clone()),
            layer_name,
            attribution,
            additional_metadata,
        };
        Ok(project.add_layer(&layer).await?)
    };

    /// Removes an external layer. For administrators of the project.
    ///
    /// Args:
    ///     id: The layer's id.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such layer.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.delete_layer(project.layers()[-1]["id"])
    fn delete_layer(id: LayerId) -> Nothing = |project| {
        project.delete_layer(id).await?;
        Ok(Nothing)
    };
}
