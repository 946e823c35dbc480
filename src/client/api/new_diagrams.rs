//! Adding diagrams to systems, one or many.

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::client::{Error, Progress, Project, Result};
use crate::model::{AddedDiagram, DiagramKind, DrawnDiagram, ExternalDiagram, SystemId};

/// A drawn diagram and what it is.
#[derive(Debug, Clone)]
pub struct NewDiagram {
    pub kind: DiagramKind,
    pub drawn: DrawnDiagram,
}

impl Project {
    /// `POST …/systems/{sysid}/add/project/` or `…/add/policy/`
    pub async fn add_diagram(&self, system: SystemId, diagram: &NewDiagram) -> Result<AddedDiagram> {
        diagram.drawn.check().map_err(|problem| Error::Input(problem.to_string()))?;
        self.post(format!("systems/{system}/add/{}/", diagram.kind.name()), &diagram.drawn).await
    }

    /// Adds many diagrams, as many at once as the client allows. Each succeeds or fails for itself; the outcomes are in the
    /// order of the diagrams. `progress` is told how many there are, and called after
    /// each.
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

    /// `POST …/systems/{sysid}/add/external/project/` or `…/add/external/policy/`
    pub async fn add_external_diagram(
        &self,
        system: SystemId,
        kind: DiagramKind,
        diagram: &ExternalDiagram,
    ) -> Result<AddedDiagram> {
        diagram.check().map_err(|problem| Error::Input(problem.to_string()))?;
        self.post(format!("systems/{system}/add/external/{}/", kind.name()), diagram).await
    }
}
