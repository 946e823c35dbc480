//! Adding diagrams to systems, one or many. What lies outside the study area is most often a mistake, swapped axes or another city,
//! so it is not sent.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::Progress;
use super::systems::SystemReference;
use crate::client::{Error, Project, Result};
use crate::model::operations::{ADD_EXTERNAL_POLICY, ADD_EXTERNAL_PROJECT, ADD_POLICY, ADD_PROJECT};
use crate::model::{AddedDiagram, Bounds, DiagramKind, DrawnDiagram, ExternalDiagram, OutsideStudyArea, SystemId};

/// A drawn diagram, and whether it is a project or a policy.
#[derive(Debug, Clone)]
pub struct NewDiagram {
    pub kind: DiagramKind,
    pub drawn: DrawnDiagram,
    pub outside: Outside,
}

/// What to do with a feature that lies wholly outside the study area.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outside {
    /// Its diagram is not sent, which is an error.
    #[default]
    Refuse,
    Allow,
}

/// A feature of one of several diagrams, each counted from 0, that lies outside the study area.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureOutside {
    pub diagram: usize,
    pub feature: usize,
    pub problem: OutsideStudyArea,
}

impl Project {
    /// Adds a drawn project or policy to a system.
    pub async fn add_diagram(&self, system: impl Into<SystemReference>, diagram: &NewDiagram) -> Result<AddedDiagram> {
        let system = system.into();
        diagram.drawn.check().map_err(Error::input)?;
        let outside = self.features_outside(std::slice::from_ref(diagram)).await?;
        if let Some(outside) = outside.first() {
            return Err(match diagram.drawn.geometry.features.len() {
                1 => Error::input(&outside.problem),
                _ => Error::Input(format!("feature {}: {}", outside.feature, outside.problem)),
            });
        }
        self.send_diagram(self.find_system(&system).await?, diagram).await
    }

    /// Adds many diagrams to a system, concurrently, up to `max_concurrency` of the client at the same time. All are checked
    /// before the first is sent. Then each succeeds or fails on its own; the outcomes are in the order of the diagrams.
    pub async fn add_diagrams(
        &self,
        system: impl Into<SystemReference>,
        diagrams: Vec<NewDiagram>,
        progress: &impl Progress,
    ) -> Result<Vec<Result<AddedDiagram>>> {
        let system = self.find_listed_system(&system.into()).await?;
        for (index, diagram) in diagrams.iter().enumerate() {
            diagram.drawn.check().map_err(|problem| Error::Input(format!("diagram {index}: {problem}")))?;
        }
        if let Some(outside) = self.features_outside(&diagrams).await?.first() {
            return Err(Error::Input(format!("diagram {}: {}", outside.diagram, outside.problem)));
        }
        self.send_diagrams(system, diagrams, progress).await
    }

    /// The same for diagrams that have been checked.
    pub(crate) async fn send_diagrams(
        &self,
        system: SystemId,
        diagrams: Vec<NewDiagram>,
        progress: &impl Progress,
    ) -> Result<Vec<Result<AddedDiagram>>> {
        progress.expect(diagrams.len());
        let diagrams = Arc::new(diagrams);
        let mut running = JoinSet::new();
        for index in 0..diagrams.len() {
            let (project, diagrams) = (self.clone(), diagrams.clone());
            running.spawn(async move { (index, project.send_diagram(system, &diagrams[index]).await) });
        }
        let mut outcomes: Vec<Option<Result<AddedDiagram>>> = (0..diagrams.len()).map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            let (index, outcome) = done?;
            outcomes[index] = Some(outcome);
            progress.advance();
        }
        Ok(outcomes.into_iter().flatten().collect())
    }

    async fn send_diagram(&self, system: SystemId, diagram: &NewDiagram) -> Result<AddedDiagram> {
        let operation = match diagram.kind {
            DiagramKind::Project => ADD_PROJECT,
            DiagramKind::Policy => ADD_POLICY,
        };
        self.post(operation.at(self.in_system(system)), &diagram.drawn).await
    }

    /// Adds a project or policy whose features are in a file on another server to a system.
    pub async fn add_external_diagram(
        &self,
        system: impl Into<SystemReference>,
        kind: DiagramKind,
        diagram: &ExternalDiagram,
    ) -> Result<AddedDiagram> {
        let system = system.into();
        diagram.check().map_err(Error::input)?;
        let operation = match kind {
            DiagramKind::Project => ADD_EXTERNAL_PROJECT,
            DiagramKind::Policy => ADD_EXTERNAL_POLICY,
        };
        self.post(operation.at(self.in_system(self.find_system(&system).await?)), diagram).await
    }

    /// The features that lie outside the study area although their diagrams must not.
    pub async fn features_outside(&self, diagrams: &[NewDiagram]) -> Result<Vec<FeatureOutside>> {
        if diagrams.iter().all(|diagram| diagram.outside == Outside::Allow) {
            return Ok(Vec::new());
        }
        if let Some(bounds) = self.remembered_bounds().get() {
            let outside = features_outside(diagrams, bounds);
            if outside.is_empty() {
                return Ok(outside);
            }
        }
        // Before anything is refused: the study area may have been changed since.
        let bounds = self.bounds().await?;
        self.remembered_bounds().set(bounds);
        Ok(features_outside(diagrams, bounds))
    }
}

fn features_outside(diagrams: &[NewDiagram], bounds: Bounds) -> Vec<FeatureOutside> {
    let mut outside = Vec::new();
    let refused = diagrams.iter().enumerate().filter(|(_, diagram)| diagram.outside == Outside::Refuse);
    for (diagram, NewDiagram { drawn, .. }) in refused {
        for (feature, drawn) in drawn.geometry.features.iter().enumerate() {
            if let Err(problem) = drawn.geometry.check_inside(bounds) {
                outside.push(FeatureOutside { diagram, feature, problem });
            }
        }
    }
    outside
}
