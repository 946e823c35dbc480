//! Projects: what they are, who takes part, what they lie on.

use crate::client::{Client, Error, Project, Result};
use crate::features::FeatureCollection;
use crate::model;

impl Client {
    /// `GET projects/`: the projects of which the user is a member.
    pub async fn projects(&self) -> Result<Vec<model::ProjectInfo>> {
        self.transport.list("projects/").await
    }

    /// `GET projects/latest/`: the user's most recently created project, if there is one.
    pub async fn latest_project(&self) -> Result<Option<model::ProjectInfo>> {
        let latest: Vec<model::ProjectInfo> = self.transport.get("projects/latest/").await?;
        Ok(latest.into_iter().next())
    }

    /// `POST projects/create/`: what the service says of the new project.
    pub async fn create_project(&self, project: &model::ProjectCreation) -> Result<String> {
        project.project.check().map_err(|problem| Error::Input(problem.to_string()))?;
        Ok(self.transport.post::<model::Message>("projects/create/", project).await?.message)
    }

    /// `POST projects/create-igc-project/`: a project that is linked to one of the companion planning platform.
    pub async fn create_linked_project(&self, project: &model::LinkedProjectCreation) -> Result<String> {
        project.project.check().map_err(|problem| Error::Input(problem.to_string()))?;
        Ok(self.transport.post::<model::Message>("projects/create-igc-project/", project).await?.message)
    }
}

impl Project {
    /// `GET projects/{projectid}/`: title, description, start date.
    pub async fn info(&self) -> Result<model::ProjectInfo> {
        self.get("").await
    }

    /// `GET …/members/`: the users who take part.
    pub async fn members(&self) -> Result<Vec<model::Member>> {
        Ok(self.get::<model::Members>("members/").await?.members)
    }

    /// `GET …/stakeholders/`
    pub async fn stakeholders(&self) -> Result<Vec<model::Stakeholder>> {
        Ok(self.get::<model::Stakeholders>("stakeholders/").await?.stakeholders)
    }

    /// `POST …/stakeholders/`: adds stakeholders by their names.
    pub async fn add_stakeholders(&self, names: &[String]) -> Result<String> {
        if names.iter().any(|name| name.trim().is_empty()) {
            return Err(Error::Input("a stakeholder's name is empty".into()));
        }
        Ok(self.post::<model::Message>("stakeholders/", &names).await?.message)
    }

    /// `GET …/plugins/`
    pub async fn plugins(&self) -> Result<Vec<model::Plugin>> {
        self.list("plugins/").await
    }

    /// `POST …/plugins/`: replaces the plugins.
    pub async fn set_plugins(&self, ids: &[model::Uuid]) -> Result<String> {
        Ok(self.post::<model::Message>("plugins/", &ids).await?.message)
    }

    /// `POST …/data_layers/`: adds a map of another server; its address is https.
    pub async fn add_layer(&self, layer: &model::NewLayer) -> Result<String> {
        if !layer.is_https() {
            let problem = format!("url {:?} is not an https address; the service ignores any other", layer.url);
            return Err(Error::Input(problem));
        }
        Ok(self.post::<model::Message>("data_layers/", layer).await?.message)
    }

    /// `DELETE …/data_layers/{layer_id}/`, for administrators.
    pub async fn delete_layer(&self, id: model::LayerId) -> Result<()> {
        self.client.transport.delete(&self.path(format!("data_layers/{id}/"))).await
    }

    /// `GET …/data_layers/`: maps of other servers that the project shows.
    pub async fn layers(&self) -> Result<Vec<model::Layer>> {
        self.list("data_layers/").await
    }

    /// `GET …/bounds/`: west, south, east, north of the study area, in degrees.
    pub async fn bounds(&self) -> Result<model::Bounds> {
        Ok(self.get::<model::ProjectBounds>("bounds/").await?.bounds)
    }

    /// `GET …/center/`: longitude and latitude, in degrees.
    pub async fn center(&self) -> Result<model::Center> {
        Ok(self.get::<model::ProjectCenter>("center/").await?.center)
    }

    /// `GET …/constraints/`: land that cannot change.
    pub async fn constraints(&self) -> Result<FeatureCollection> {
        self.features("constraints/").await
    }

    /// `GET …/boundaries/`: the outline of the study area.
    pub async fn boundaries(&self) -> Result<FeatureCollection> {
        self.features("boundaries/").await
    }

    /// `GET …/secondboundaries/`: the second outline, such as what lies around.
    pub async fn second_boundaries(&self) -> Result<FeatureCollection> {
        self.features("secondboundaries/").await
    }

    /// `GET …/negotiation_logs/`: what teams accepted and rejected, session by session.
    pub async fn negotiation_logs(&self) -> Result<Vec<model::NegotiationSession>> {
        Ok(self.get::<model::NegotiationLogs>("negotiation_logs/").await?.all_negotiations)
    }
}
