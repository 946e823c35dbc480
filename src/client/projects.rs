//! Projects: what they are, who takes part, what they lie on.

use super::{Client, Project, Result};
use crate::features::FeatureCollection;
use crate::model;

impl Client {
    /// `GET projects/`: the projects of which the user is a member.
    pub async fn projects(&self) -> Result<Vec<model::Project>> {
        self.transport.list("projects/").await
    }

    /// `GET projects/latest/`: the user's most recently created project, if there is one.
    pub async fn latest_project(&self) -> Result<Option<model::Project>> {
        let latest: Vec<model::Project> = self.transport.get("projects/latest/").await?;
        Ok(latest.into_iter().next())
    }
}

impl Project {
    /// `GET projects/{projectid}/`: title, description, start date.
    pub async fn info(&self) -> Result<model::Project> {
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

    /// `GET …/plugins/`
    pub async fn plugins(&self) -> Result<Vec<model::Plugin>> {
        self.list("plugins/").await
    }

    /// `GET …/data_layers/`: maps of other servers that the project shows.
    pub async fn layers(&self) -> Result<Vec<model::Layer>> {
        self.list("data_layers/").await
    }

    /// `GET …/tags/`
    pub async fn tags(&self) -> Result<Vec<model::Tag>> {
        self.list("tags/").await
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
