//! The workshops of a service that has many. They are the operator's: the client's token is that of the service.

use http::Method;

use crate::client::{Client, Result};
use crate::model::operations::Endpoint;
use crate::model::{ArchivedWorkshop, ListedWorkshop};

impl Client {
    /// The workshops of the service, in the order of their names.
    pub async fn workshops(&self) -> Result<Vec<ListedWorkshop>> {
        self.transport.get(Endpoint { method: Method::GET, path: "workshops/".into(), query: None }).await
    }

    /// Has a workshop served no longer, and its database moved among the archived ones. `name` is one of [`Client::workshops`].
    pub async fn archive_workshop(&self, name: &str) -> Result<ArchivedWorkshop> {
        let path = format!("workshops/{name}/archive/");
        self.transport.post(Endpoint { method: Method::POST, path, query: None }, &()).await
    }

    /// Deletes a workshop with its database.
    pub async fn remove_workshop(&self, name: &str) -> Result<()> {
        let path = format!("workshops/{name}/");
        self.transport.delete(Endpoint { method: Method::DELETE, path, query: None }).await
    }
}
