//! Evaluation and impact maps of systems, as members draw them.

use crate::client::{Error, Project, Result};
use crate::model::operations::{
    OfMemberInSystem, SET_EVALUATION, SET_EVALUATION_OF_MEMBER, SET_IMPACT, SET_IMPACT_OF_MEMBER,
};
use crate::model::{EvaluationFeatures, ImpactFeatures, Status, SystemId, Username};

impl Project {
    #[doc = summary!(SET_EVALUATION)]
    ///
    /// With a member, it is set in the name of that member.
    pub async fn set_evaluation(
        &self,
        id: SystemId,
        map: &EvaluationFeatures,
        member: Option<&Username>,
    ) -> Result<String> {
        map.check().map_err(Error::input)?;
        let endpoint = match member {
            None => SET_EVALUATION.at(self.in_system(id)),
            Some(member) => SET_EVALUATION_OF_MEMBER.at(self.of_member_in_system(member, id)),
        };
        Ok(self.post::<Status>(endpoint, map).await?.status)
    }

    #[doc = summary!(SET_IMPACT)]
    ///
    /// With a member, it is set in the name of that member.
    pub async fn set_impact(&self, id: SystemId, map: &ImpactFeatures, member: Option<&Username>) -> Result<String> {
        map.check_areas().map_err(Error::input)?;
        let endpoint = match member {
            None => SET_IMPACT.at(self.in_system(id)),
            Some(member) => SET_IMPACT_OF_MEMBER.at(self.of_member_in_system(member, id)),
        };
        Ok(self.post::<Status>(endpoint, map).await?.status)
    }

    pub(in crate::client) fn of_member_in_system(&self, member: &Username, sysid: SystemId) -> OfMemberInSystem {
        OfMemberInSystem { projectid: self.id().clone(), sysid, username: member.as_str().to_owned() }
    }
}
