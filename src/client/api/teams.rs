//! Change teams and their designs.

use crate::client::{Project, Result};
use crate::features::FeatureCollection;
use crate::model::Timeline;
use crate::model::{
    ChangeTeam, Design, DesignDetails, DesignId, DesignTimeline, DiagramId, DiagramIds, EsriFeature, Synthesis,
    SystemId, TeamId, TeamMembers, Username,
};

impl Project {
    /// `GET …/cteams/`
    pub async fn teams(&self) -> Result<Vec<ChangeTeam>> {
        self.list("cteams/").await
    }

    /// `GET …/cteams/{cteamid}/`: the designs that a team saved.
    pub async fn designs(&self, team: TeamId) -> Result<Vec<Design>> {
        Ok(self.get::<Synthesis>(format!("cteams/{team}/")).await?.synthesis)
    }

    /// `GET …/cteams/{cteamid}/details/`, or `…/cteams/{cteamid}/{synthesisid}/details/` for a design that is named.
    pub async fn design_details(&self, team: TeamId, design: Option<&DesignId>) -> Result<DesignDetails> {
        match design {
            None => self.get(format!("cteams/{team}/details/")).await,
            Some(design) => self.get(format!("cteams/{team}/{design}/details/")).await,
        }
    }

    /// `GET …/cteams/{cteamid}/members/`
    pub async fn team_members(&self, team: TeamId) -> Result<Vec<Username>> {
        Ok(self.get::<TeamMembers>(format!("cteams/{team}/members/")).await?.members)
    }

    /// `GET …/cteams/{cteamid}/{synthesisid}/`: the features of a design.
    pub async fn design(&self, team: TeamId, design: &DesignId) -> Result<FeatureCollection> {
        self.features(format!("cteams/{team}/{design}/")).await
    }

    /// `GET …/cteams/{cteamid}/{synthesisid}/esri/`: the features of a design as feature-JSON.
    pub async fn design_esri(&self, team: TeamId, design: &DesignId) -> Result<Vec<EsriFeature>> {
        self.get(format!("cteams/{team}/{design}/esri/")).await
    }

    /// `GET …/cteams/{cteamid}/{synthesisid}/diagrams/`
    pub async fn design_diagram_ids(&self, team: TeamId, design: &DesignId) -> Result<Vec<DiagramId>> {
        Ok(self.get::<DiagramIds>(format!("cteams/{team}/{design}/diagrams/")).await?.diagrams)
    }

    /// `GET …/cteams/{cteamid}/{synthesisid}/timeline/`: when each diagram starts and ends.
    pub async fn design_timeline(&self, team: TeamId, design: &DesignId) -> Result<Timeline> {
        Ok(self.get::<DesignTimeline>(format!("cteams/{team}/{design}/timeline/")).await?.timeline)
    }

    /// `GET …/cteams/{cteamid}/{synthesisid}/systems/{sysid}/projects/`: the features of a design's projects in a system.
    pub async fn design_system_projects(
        &self,
        team: TeamId,
        design: &DesignId,
        system: SystemId,
    ) -> Result<FeatureCollection> {
        self.features(format!("cteams/{team}/{design}/systems/{system}/projects/")).await
    }
}
