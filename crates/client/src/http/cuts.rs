//! Finds lists that a service silently cuts at its own limit, with no further pages: other lists show that something is missing.

use std::collections::BTreeSet;

use http::StatusCode;
use serde::Deserialize;
use tokio::task::JoinSet;

use super::transport::Transport;
use crate::error::{Error, Result};
use geodesign::json;
use geodesign::model::operations::{
    DEFAULT_PAGE_SIZE, DIAGRAMS, Endpoint, InProject, InSystem, SYSTEM_DIAGRAM_IDS, SYSTEMS,
};
use geodesign::model::{DiagramId, DiagramIds, ProjectId, SystemItem};

/// A diagram's id.
#[derive(Deserialize)]
pub struct Identified {
    pub id: DiagramId,
}

/// Returns the error for a list that was cut: something else names an item that it lacks.
pub fn cut(endpoint: &Endpoint, sent: usize, what: &str, missing: &str) -> Error {
    let problem = format!(
        "the service sent {sent} {what} and knows no further page, but names {missing} elsewhere: it cuts lists. Ask its \
         administrator for pages (`page`), for `X-Total-Count` or for complete lists"
    );
    Error::Decode { request: endpoint.into(), problem, source: None }
}

impl Transport {
    /// Fails if the service cuts the list of a project's diagrams at this list's length. Most lists do not show their total length, and a
    /// service has one limit for all.
    pub async fn check_uncut(&self, endpoint: &Endpoint, sent: usize) -> Result<()> {
        let projectid = endpoint.path.strip_prefix("projects/").and_then(|path| path.split('/').next()?.parse().ok());
        let Some(projectid) = projectid.filter(|_: &ProjectId| sent >= DEFAULT_PAGE_SIZE) else { return Ok(()) };
        let diagrams = DIAGRAMS.at(InProject { projectid: projectid.clone() });
        let listed = match Box::pin(self.list_with_certainty::<Identified>(diagrams)).await {
            Ok((listed, false)) if listed.len() == sent => listed.iter().map(|diagram| diagram.id.0).collect(),
            Ok(_) | Err(Error::Api { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        match self.ids_of_systems(&projectid).await?.difference(&listed).next() {
            None => Ok(()),
            Some(id) => {
                let missing = format!("diagram {id}, which its list of {sent} diagrams lacks,");
                Err(cut(endpoint, sent, "items", &missing))
            }
        }
    }

    /// Returns the ids of the diagrams that a project's systems name; none if the service does not name them.
    pub async fn ids_of_systems(&self, projectid: &ProjectId) -> Result<BTreeSet<i64>> {
        let systems = SYSTEMS.at(InProject { projectid: projectid.clone() });
        let Some((systems, _)) = if_there(self.list_with_certainty::<SystemItem>(systems).await)? else {
            return Ok(BTreeSet::new());
        };
        let mut running = JoinSet::new();
        for system in systems {
            let endpoint = SYSTEM_DIAGRAM_IDS.at(InSystem { projectid: projectid.clone(), sysid: system.id });
            let transport = self.clone();
            running.spawn(async move {
                let Some(body) = if_there(transport.all_pages(&endpoint, None).await)? else { return Ok(Vec::new()) };
                // Ids that cannot be read are reported where the list is read.
                let decoded = transport.decoded(&endpoint, body, json::decode_around_gaps::<DiagramIds>).await;
                decoded.map(|(named, _)| named.diagrams)
            });
        }
        let mut ids = BTreeSet::new();
        while let Some(named) = running.join_next().await {
            ids.extend(named??.into_iter().map(|id| id.0));
        }
        Ok(ids)
    }
}

/// Returns `None` if the service has no such operation.
fn if_there<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => Ok(None),
        read => read.map(Some),
    }
}
