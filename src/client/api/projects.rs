//! Projects: what they are, who takes part, and their study area.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::client::{Client, Error, Project, Result};
use crate::features::FeatureCollection;
use crate::model::operations::{
    ADD_STAKEHOLDERS, BOUNDARIES, BOUNDS, CENTER, CONSTRAINTS, CREATE_LINKED_PROJECT, CREATE_PROJECT, Endpoint,
    LATEST_PROJECT, LIMITS, MEMBERS, NoIds, PLUGINS, PROJECT, PROJECTS, SECOND_BOUNDARIES, SET_PLUGINS, STAKEHOLDERS,
};
use crate::model::{self, ProjectId};

impl Client {
    #[doc = summary!(PROJECTS)]
    pub async fn projects(&self) -> Result<Vec<model::ProjectInfo>> {
        self.transport.list(PROJECTS.at(NoIds {})).await
    }

    /// The user's most recently created project, if there is one.
    pub async fn latest_project(&self) -> Result<Option<model::ProjectInfo>> {
        let latest: Vec<model::ProjectInfo> = self.transport.get(LATEST_PROJECT.at(NoIds {})).await?;
        Ok(latest.into_iter().next())
    }

    #[doc = summary!(LIMITS)]
    pub async fn limits(&self) -> Result<Vec<model::Limit>> {
        self.transport.get(LIMITS.at(NoIds {})).await
    }

    #[doc = summary!(CREATE_PROJECT)]
    ///
    /// Returns its id.
    pub async fn create_project(&self, project: &model::ProjectCreation) -> Result<ProjectId> {
        project.project.check().map_err(Error::input)?;
        self.create(CREATE_PROJECT.at(NoIds {}), project).await
    }

    #[doc = summary!(CREATE_LINKED_PROJECT)]
    ///
    /// Returns its id.
    pub async fn create_linked_project(&self, project: &model::LinkedProjectCreation) -> Result<ProjectId> {
        project.project.check().map_err(Error::input)?;
        self.create(CREATE_LINKED_PROJECT.at(NoIds {}), project).await
    }

    /// Services answer with a message. That of the embedded service has the id; elsewhere the user has one project more
    /// than before.
    async fn create(&self, endpoint: Endpoint, body: &impl Serialize) -> Result<ProjectId> {
        let before = self.project_ids().await?;
        let model::Message { message } = self.transport.post(endpoint.clone(), body).await?;
        if let Some(id) = model::created_project(&message) {
            return Ok(id);
        }
        let mut new: Vec<ProjectId> = self.project_ids().await?.difference(&before).cloned().collect();
        match (new.pop(), new.is_empty()) {
            (Some(id), true) => Ok(id),
            _ => Err(Error::Decode {
                request: (&endpoint).into(),
                problem: format!(
                    "the project was created, but {message:?} does not tell its id; look for it in client.projects()"
                ),
                source: None,
            }),
        }
    }

    async fn project_ids(&self) -> Result<BTreeSet<ProjectId>> {
        Ok(self.projects().await?.into_iter().map(|project| project.id).collect())
    }
}

impl Project {
    #[doc = summary!(PROJECT)]
    pub async fn info(&self) -> Result<model::ProjectInfo> {
        self.get(PROJECT.at(self.in_project())).await
    }

    #[doc = summary!(MEMBERS)]
    pub async fn members(&self) -> Result<Vec<model::Member>> {
        Ok(self.get::<model::Members>(MEMBERS.at(self.in_project())).await?.members)
    }

    #[doc = summary!(STAKEHOLDERS)]
    pub async fn stakeholders(&self) -> Result<Vec<model::Stakeholder>> {
        Ok(self.get::<model::Stakeholders>(STAKEHOLDERS.at(self.in_project())).await?.stakeholders)
    }

    #[doc = summary!(ADD_STAKEHOLDERS)]
    pub async fn add_stakeholders(&self, names: &[String]) -> Result<String> {
        if names.iter().any(|name| name.trim().is_empty()) {
            return Err(Error::Input("a stakeholder's name is empty".into()));
        }
        Ok(self.post::<model::Message>(ADD_STAKEHOLDERS.at(self.in_project()), &names).await?.message)
    }

    #[doc = summary!(PLUGINS)]
    pub async fn plugins(&self) -> Result<Vec<model::Plugin>> {
        self.list(PLUGINS.at(self.in_project())).await
    }

    #[doc = summary!(SET_PLUGINS)]
    pub async fn set_plugins(&self, ids: &[model::Uuid]) -> Result<String> {
        Ok(self.post::<model::Message>(SET_PLUGINS.at(self.in_project()), &ids).await?.message)
    }

    #[doc = summary!(BOUNDS)]
    pub async fn bounds(&self) -> Result<model::Bounds> {
        Ok(self.get::<model::ProjectBounds>(BOUNDS.at(self.in_project())).await?.bounds)
    }

    #[doc = summary!(CENTER)]
    pub async fn center(&self) -> Result<model::Center> {
        Ok(self.get::<model::ProjectCenter>(CENTER.at(self.in_project())).await?.center)
    }

    #[doc = summary!(CONSTRAINTS)]
    pub async fn constraints(&self) -> Result<FeatureCollection> {
        self.features(CONSTRAINTS.at(self.in_project())).await
    }

    #[doc = summary!(BOUNDARIES)]
    pub async fn boundaries(&self) -> Result<FeatureCollection> {
        self.features(BOUNDARIES.at(self.in_project())).await
    }

    #[doc = summary!(SECOND_BOUNDARIES)]
    pub async fn second_boundaries(&self) -> Result<FeatureCollection> {
        self.features(SECOND_BOUNDARIES.at(self.in_project())).await
    }
}
