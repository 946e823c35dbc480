//! Adding diagrams to systems, one or many.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::progress::Progress;
use crate::client::{Error, Project, Result};
use crate::model::operations::{ADD_EXTERNAL_POLICY, ADD_EXTERNAL_PROJECT, ADD_POLICY, ADD_PROJECT};
use crate::model::{AddedDiagram, DiagramKind, DrawnDiagram, ExternalDiagram, SystemId};

/// A drawn diagram, and whether it is a project or a policy.
#[derive(Debug, Clone)]
pub struct NewDiagram {
    pub kind: DiagramKind,
    pub drawn: DrawnDiagram,
}

impl Project {
    /// Adds a drawn project or policy to a system.
    pub async fn add_diagram(&self, system: SystemId, diagram: &NewDiagram) -> Result<AddedDiagram> {
        diagram.drawn.check().map_err(Error::input)?;
        let operation = match diagram.kind {
            DiagramKind::Project => ADD_PROJECT,
            DiagramKind::Policy => ADD_POLICY,
        };
        self.post(operation.at(self.in_system(system)), &diagram.drawn).await
    }

    /// Adds many diagrams to a system, concurrently, up to `max_concurrency` of the client at the same time. Each succeeds or
    /// fails on its own; the outcomes are in the order of the diagrams.
    pub async fn add_diagrams(
        &self,
        system: SystemId,
        diagrams: Vec<NewDiagram>,
        progress: &impl Progress,
    ) -> Result<Vec<Result<AddedDiagram>>> {
        for (at, diagram) in diagrams.iter().enumerate() {
            diagram.drawn.check().map_err(|problem| Error::Input(format!("diagram {at}: {problem}")))?;
        }
        progress.expect(diagrams.len());
        let diagrams = Arc::new(diagrams);
        let mut running = JoinSet::new();
        for at in 0..diagrams.len() {
            let (project, diagrams) = (self.clone(), diagrams.clone());
            running.spawn(async move { (at, project.add_diagram(system, &diagrams[at]).await) });
        }
        let mut outcomes: Vec<Option<Result<AddedDiagram>>> = (0..diagrams.len()).map(|_| None).collect();
        while let Some(done) = running.join_next().await {
            let (at, outcome) = done?;
            outcomes[at] = Some(outcome);
            progress.advance();
        }
        Ok(outcomes.into_iter().flatten().collect())
    }

    /// Adds a project or policy whose features are in a file on another server to a system.
    pub async fn add_external_diagram(
        &self,
        system: SystemId,
        kind: DiagramKind,
        diagram: &ExternalDiagram,
    ) -> Result<AddedDiagram> {
        diagram.check().map_err(Error::input)?;
        let operation = match kind {
            DiagramKind::Project => ADD_EXTERNAL_PROJECT,
            DiagramKind::Policy => ADD_EXTERNAL_POLICY,
        };
        self.post(operation.at(self.in_system(system)), diagram).await
    }
}
