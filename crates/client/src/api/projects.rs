//! The user's projects, their settings and their state, and the workshops of the operator.

use std::collections::BTreeSet;

use http::Method;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Client, Error, Project, Result};
use geodesign::archive::Manifest;
use geodesign::model::operations::{
    ADD_LAYER, ADD_STAKEHOLDERS, BOUNDS, CENTER, CREATE_LINKED_PROJECT, CREATE_PROJECT, CREATE_TAGS, Endpoint, HISTORY,
    LATEST_PROJECT, NoIds, PROJECT_CHANGE_ID,
};
use geodesign::model::{
    ArchivedWorkshop, Bounds, Center, HistoryEntry, HistoryFilter, LinkedProjectCreation, ListedWorkshop, Message,
    NewLayer, NewTag, NewTags, ProjectBounds, ProjectCenter, ProjectChangeId, ProjectCreation, ProjectId, ProjectInfo,
    Status, created_project,
};
use geodesign::named::PROJECTS;
use geodesign_common::digest::{hex, sha256};

/// A list of one project, sent as a page by some services.
#[derive(Deserialize)]
struct Page {
    results: Vec<ProjectInfo>,
}

impl Client {
    /// The user's most recently created project, if any.
    pub async fn latest_project(&self) -> Result<Option<ProjectInfo>> {
        let endpoint = LATEST_PROJECT.at(NoIds {});
        let body = self.transport.read(&endpoint).await?;
        let projects: Vec<ProjectInfo> = if body.trim_ascii_start().starts_with(b"{") {
            self.transport.decode_body::<Page>(&endpoint, body).await?.results
        } else {
            self.transport.decode_list(&endpoint, body).await?
        };
        Ok(projects.into_iter().next())
    }

    #[doc = summary!(CREATE_PROJECT)]
    ///
    /// Returns its id.
    pub async fn create_project(&self, project: &ProjectCreation) -> Result<ProjectId> {
        project.project.check().map_err(Error::input)?;
        self.create(CREATE_PROJECT.at(NoIds {}), project, &project.project.project_title).await
    }

    #[doc = summary!(CREATE_LINKED_PROJECT)]
    ///
    /// Returns its id.
    pub async fn create_linked_project(&self, project: &LinkedProjectCreation) -> Result<ProjectId> {
        project.project.check().map_err(Error::input)?;
        self.create(CREATE_LINKED_PROJECT.at(NoIds {}), project, &project.project.project_title).await
    }

    /// Creates a project. Services respond with a message. The embedded service's message has the id; for others, the id is the one
    /// that was not among the user's projects before.
    async fn create(&self, endpoint: Endpoint, body: &impl Serialize, title: &str) -> Result<ProjectId> {
        let before = self.project_ids().await?;
        let message = match self.transport.post::<Value>(endpoint.clone(), body).await {
            // The service created it, whatever its response says.
            Err(Error::Decode { .. }) => String::new(),
            response => response?["message"].as_str().unwrap_or_default().to_owned(),
        };
        if let Some(id) = created_project(&message) {
            return Ok(id);
        }
        let is_titled =
            |project: &ProjectInfo| project.projecttitle.as_deref().is_some_and(|of| of.trim() == title.trim());
        let is_new = |project: &ProjectInfo| !before.contains(&project.id);
        let latest =
            self.latest_project().await.ok().flatten().into_iter().filter(|latest| is_new(latest) && is_titled(latest));
        let new = self.projects().await.unwrap_or_default().into_iter().filter(is_new).collect::<Vec<_>>();
        let titled = new.iter().filter(|project| is_titled(project)).cloned().collect();
        let found =
            [latest.collect(), titled, new].into_iter().find(|projects: &Vec<ProjectInfo>| !projects.is_empty());
        match found.as_deref() {
            Some([project]) => Ok(project.id.clone()),
            _ => Err(Error::Decode {
                request: (&endpoint).into(),
                problem: format!(
                    "the project was created, but {message:?} does not contain its id; look for it in {PROJECTS}"
                ),
                source: None,
            }),
        }
    }

    async fn project_ids(&self) -> Result<BTreeSet<ProjectId>> {
        Ok(self.projects().await?.into_iter().map(|project| project.id).collect())
    }

    /// The workshops of a service that has several, sorted by name. Only the operator may list them: the client needs the service's
    /// token.
    pub async fn workshops(&self) -> Result<Vec<ListedWorkshop>> {
        self.transport.get(Endpoint::at_path(Method::GET, "workshops/")).await
    }

    /// Stops serving a workshop and moves its database to the archived ones. `name` is one of [`Client::workshops`].
    pub async fn archive_workshop(&self, name: &str) -> Result<ArchivedWorkshop> {
        let path = format!("workshops/{name}/archive/");
        self.transport.post(Endpoint::at_path(Method::POST, path), &()).await
    }

    /// Deletes a workshop with its database.
    pub async fn remove_workshop(&self, name: &str) -> Result<()> {
        let path = format!("workshops/{name}/");
        self.transport.delete(Endpoint::at_path(Method::DELETE, path)).await
    }
}

impl Project {
    #[doc = summary!(ADD_STAKEHOLDERS)]
    pub async fn add_stakeholders(&self, names: &[String]) -> Result<String> {
        if names.iter().any(|name| name.trim().is_empty()) {
            return Err(Error::Input("a stakeholder's name is empty; give it one".into()));
        }
        Ok(self.post::<Message>(ADD_STAKEHOLDERS.at(self.in_project()), &names).await?.message)
    }

    #[doc = summary!(BOUNDS)]
    ///
    /// `None` if the service does not know it.
    pub async fn bounds(&self) -> Result<Option<Bounds>> {
        Ok(self.get::<ProjectBounds>(BOUNDS.at(self.in_project())).await?.bounds)
    }

    #[doc = summary!(CENTER)]
    ///
    /// `None` if the service does not know it.
    pub async fn center(&self) -> Result<Option<Center>> {
        Ok(self.get::<ProjectCenter>(CENTER.at(self.in_project())).await?.center)
    }

    #[doc = summary!(ADD_LAYER)]
    ///
    /// An address that is not https is an error; no request is sent.
    pub async fn add_layer(&self, layer: &NewLayer) -> Result<String> {
        if let Some(problem) = layer.url_problem() {
            let refusal = format!("url {:?} is not an https address, and the service ignores any other", layer.url);
            return Err(Error::Input(format!("{refusal}: {problem}")));
        }
        Ok(self.post::<Message>(ADD_LAYER.at(self.in_project()), layer).await?.message)
    }

    #[doc = summary!(CREATE_TAGS)]
    pub async fn create_tags(&self, tags: Vec<NewTag>) -> Result<String> {
        for (index, tag) in tags.iter().enumerate() {
            tag.check().map_err(|problem| Error::Input(format!("tag {index}: {problem}")))?;
        }
        Ok(self.post::<Status>(CREATE_TAGS.at(self.in_project()), &NewTags { tags }).await?.status)
    }

    #[doc = summary!(HISTORY)]
    ///
    /// Archives, and services without parameters, give all entries; entries that do not match are left out here.
    pub async fn history(&self, wanted: &HistoryFilter) -> Result<Vec<HistoryEntry>> {
        let endpoint = HISTORY.at(self.in_project());
        let endpoint = wanted.query().map_or(endpoint.clone(), |query| endpoint.with_query(query));
        let entries: Vec<HistoryEntry> = self.list(endpoint).await?;
        Ok(entries.into_iter().map(HistoryEntry::with_diagram).filter(|entry| wanted.has(entry)).collect())
    }

    #[doc = summary!(PROJECT_CHANGE_ID)]
    ///
    /// Without such an id, returns a digest of the list of diagrams and of all diagrams' change ids, which only changes of diagrams change.
    pub async fn change_id(&self) -> Result<String> {
        match self.service_change_id().await? {
            Some(id) => Ok(id),
            None => self.digest_of_diagrams().await,
        }
    }

    /// The change id from the service or an archive; `None` if there is none.
    pub(crate) async fn service_change_id(&self) -> Result<Option<String>> {
        Ok(self.service_state().await?.map(|state| state.changeid))
    }

    /// The change id with the origin of the project, from the service or an archive.
    pub(crate) async fn service_state(&self) -> Result<Option<ProjectChangeId>> {
        if let Some(archive) = self.opened_archive() {
            let Manifest { changeid, service, loaded_from, .. } = archive.manifest();
            let (service, loaded_from) = (service.clone(), loaded_from.clone());
            let state = |changeid| ProjectChangeId { changeid, service, loaded_from, merged: Vec::new() };
            return Ok(changeid.clone().map(state));
        }
        match self.get(PROJECT_CHANGE_ID.at(self.in_project())).await {
            Ok(state) => Ok(Some(state)),
            // If the user cannot read the project, the other requests report it.
            Err(Error::Api { status: StatusCode::FORBIDDEN | StatusCode::NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn digest_of_diagrams(&self) -> Result<String> {
        let diagrams = self.diagram_summaries().await?;
        let change_ids = self.diagram_change_ids(Some(diagrams.iter().map(|diagram| diagram.id).collect())).await?;
        let state = serde_json::to_vec(&(diagrams, change_ids)).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(hex(&sha256(&[&state])))
    }
}
