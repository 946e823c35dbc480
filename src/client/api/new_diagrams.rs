//! Adding diagrams to systems, one or many.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::progress::Progress;
use super::system_reference::SystemReference;
use crate::client::{Error, Project, Result};
use crate::model::operations::{ADD_EXTERNAL_POLICY, ADD_EXTERNAL_PROJECT, ADD_POLICY, ADD_PROJECT};
use crate::model::{AddedDiagram, DiagramKind, DrawnDiagram, ExternalDiagram, SystemId};

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
        for (at, diagram) in diagrams.iter().enumerate() {
            diagram.drawn.check().map_err(|problem| Error::Input(format!("diagram {at}: {problem}")))?;
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
        for at in 0..diagrams.len() {
            let (project, diagrams) = (self.clone(), diagrams.clone());
            running.spawn(async move { (at, project.send_diagram(system, &diagrams[at]).await) });
        }
        let mut outcomes: Vec<Option<Result<AddedDiagram>>> = (0..diagrams.len()).map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            let (at, outcome) = done?;
            outcomes[at] = Some(outcome);
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
}
