//! Change teams, their designs and their negotiations.

use crate::client::{Project, Result};
use crate::features::FeatureCollection;
use crate::model::Timeline;
use crate::model::operations::{
    DESIGN, DESIGN_DETAILS, DESIGN_DIAGRAM_IDS, DESIGN_ESRI, DESIGN_SYSTEM_PROJECTS, DESIGN_TIMELINE, DESIGNS,
    InDesignSystem, LATEST_DESIGN_DETAILS, NEGOTIATION_LOGS, TEAM_MEMBERS, TEAMS,
};
use crate::model::{
    ChangeTeam, Design, DesignDetails, DesignId, DesignTimeline, DiagramId, DiagramIds, EsriFeature, NegotiationLogs,
    NegotiationSession, Synthesis, SystemId, TeamId, TeamMembers, Username,
};

impl Project {
    #[doc = summary!(TEAMS)]
    pub async fn teams(&self) -> Result<Vec<ChangeTeam>> {
        self.list(TEAMS.at(self.in_project())).await
    }

    #[doc = summary!(DESIGNS)]
    pub async fn designs(&self, team: TeamId) -> Result<Vec<Design>> {
        Ok(self.get::<Synthesis>(DESIGNS.at(self.in_team(team))).await?.synthesis)
    }

    #[doc = summary!(DESIGN_DETAILS)]
    ///
    /// Without a design, those of the latest design of the team.
    pub async fn design_details(&self, team: TeamId, design: Option<&DesignId>) -> Result<DesignDetails> {
        let endpoint = match design {
            None => LATEST_DESIGN_DETAILS.at(self.in_team(team)),
            Some(design) => DESIGN_DETAILS.at(self.in_design(team, design)),
        };
        self.get(endpoint).await
    }

    #[doc = summary!(TEAM_MEMBERS)]
    pub async fn team_members(&self, team: TeamId) -> Result<Vec<Username>> {
        Ok(self.get::<TeamMembers>(TEAM_MEMBERS.at(self.in_team(team))).await?.members)
    }

    #[doc = summary!(DESIGN)]
    pub async fn design(&self, team: TeamId, design: &DesignId) -> Result<FeatureCollection> {
        self.features(DESIGN.at(self.in_design(team, design))).await
    }

    #[doc = summary!(DESIGN_ESRI)]
    pub async fn design_esri(&self, team: TeamId, design: &DesignId) -> Result<Vec<EsriFeature>> {
        self.get(DESIGN_ESRI.at(self.in_design(team, design))).await
    }

    #[doc = summary!(DESIGN_DIAGRAM_IDS)]
    pub async fn design_diagram_ids(&self, team: TeamId, design: &DesignId) -> Result<Vec<DiagramId>> {
        Ok(self.get::<DiagramIds>(DESIGN_DIAGRAM_IDS.at(self.in_design(team, design))).await?.diagrams)
    }

    #[doc = summary!(DESIGN_TIMELINE)]
    pub async fn design_timeline(&self, team: TeamId, design: &DesignId) -> Result<Timeline> {
        Ok(self.get::<DesignTimeline>(DESIGN_TIMELINE.at(self.in_design(team, design))).await?.timeline)
    }

    #[doc = summary!(DESIGN_SYSTEM_PROJECTS)]
    pub async fn design_system_projects(
        &self,
        team: TeamId,
        design: &DesignId,
        system: SystemId,
    ) -> Result<FeatureCollection> {
        let ids =
            InDesignSystem { projectid: self.id().clone(), cteamid: team, synthesisid: design.clone(), sysid: system };
        self.features(DESIGN_SYSTEM_PROJECTS.at(ids)).await
    }

    #[doc = summary!(NEGOTIATION_LOGS)]
    pub async fn negotiation_logs(&self) -> Result<Vec<NegotiationSession>> {
        Ok(self.get::<NegotiationLogs>(NEGOTIATION_LOGS.at(self.in_project())).await?.all_negotiations)
    }
}
