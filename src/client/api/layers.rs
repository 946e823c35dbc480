//! External data layers.

use crate::client::{Error, Project, Result};
use crate::model::operations::{ADD_LAYER, DELETE_LAYER, InLayer, LAYERS};
use crate::model::{Layer, LayerId, Message, NewLayer};

impl Project {
    #[doc = summary!(LAYERS)]
    pub async fn layers(&self) -> Result<Vec<Layer>> {
        self.list(LAYERS.at(self.in_project())).await
    }

    #[doc = summary!(ADD_LAYER)]
    ///
    /// An address that is not https is an error here; the request is not sent.
    pub async fn add_layer(&self, layer: &NewLayer) -> Result<String> {
        if !layer.is_https() {
            let problem = format!("url {:?} is not an https address; the service ignores any other", layer.url);
            return Err(Error::Input(problem));
        }
        Ok(self.post::<Message>(ADD_LAYER.at(self.in_project()), layer).await?.message)
    }

    #[doc = summary!(DELETE_LAYER)]
    pub async fn delete_layer(&self, id: LayerId) -> Result<()> {
        let layer = InLayer { projectid: self.id().clone(), layer_id: id };
        self.client().transport.delete(DELETE_LAYER.at(layer)).await
    }
}
