//! How it travels: one client per account, one project handle per project, one file per group of operations.
//!
//! Every operation is written once, here: its method, its path, its parameters and what it answers.

mod api;
mod cause;
mod config;
mod error;
mod http;
mod token;

use std::fmt::Display;

use crate::features::FeatureCollection;
use crate::model::ProjectId;

pub use api::costs::CostSelection;
pub use api::diagrams::SelectionKind;
pub use api::new_diagrams::NewDiagram;
pub use api::thumbnails::Progress;
pub use cause::Cause;
#[cfg(feature = "python")]
pub(crate) use cause::root_cause;
pub use config::{Config, ConfigError};
pub use error::{Attempts, Error, Request, Result};
#[cfg(feature = "python")]
pub(crate) use http::IDLE_CONNECTION_TIMEOUT;
pub use token::{InvalidToken, Token};

use http::Transport;

/// A connection to the service as one user. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    transport: Transport,
}

impl Client {
    /// Checks the configuration; sends nothing.
    pub fn new(config: Config) -> Result<Self> {
        Ok(Client { transport: Transport::new(config)? })
    }

    pub fn config(&self) -> &Config {
        self.transport.config()
    }

    /// The API root, ending in `/api/v1/`.
    pub fn root(&self) -> &str {
        self.transport.root()
    }

    /// Whether the service is on this machine and asked without encryption.
    pub fn is_on_this_machine(&self) -> bool {
        self.transport.is_on_this_machine()
    }

    /// A handle on a project; sends nothing.
    pub fn project(&self, id: ProjectId) -> Project {
        Project { client: self.clone(), id }
    }
}

/// A project of the service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Project {
    client: Client,
    id: ProjectId,
}

impl Project {
    pub fn id(&self) -> &ProjectId {
        &self.id
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// See [`Client::is_on_this_machine`].
    pub fn is_on_this_machine(&self) -> bool {
        self.client.is_on_this_machine()
    }

    async fn get<T: serde::de::DeserializeOwned + Send + 'static>(&self, path: impl Display) -> Result<T> {
        self.client.transport.get(&self.path(path)).await
    }

    async fn list<T: serde::de::DeserializeOwned>(&self, path: impl Display) -> Result<Vec<T>> {
        self.client.transport.list(&self.path(path)).await
    }

    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: impl Display,
        body: &impl serde::Serialize,
    ) -> Result<T> {
        self.client.transport.post(&self.path(path), body).await
    }

    async fn features(&self, path: impl Display) -> Result<FeatureCollection> {
        self.client.transport.features(&self.path(path), None).await
    }

    fn path(&self, below: impl Display) -> String {
        format!("projects/{}/{below}", self.id)
    }
}
