//! Adds diagrams to systems, one or many. A diagram outside the study area is most often a mistake, such as swapped axes or another
//! city, so it is not sent.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tokio::task::JoinSet;

use super::Progress;
use crate::{Error, Project, Result, SystemReference};
use geodesign::features::{FeatureCollection, Measuring};
use geodesign::model::operations::{ADD_EXTERNAL_POLICY, ADD_EXTERNAL_PROJECT, ADD_POLICY, ADD_PROJECT};
use geodesign::model::{
    AddedDiagram, DiagramId, DiagramKind, DiagramUpdate, DrawnDiagram, ExternalDiagram, InvalidDiagram,
    OutsideStudyArea, StudyArea, SystemId, UtcMillis,
};
use geodesign_common::blocking;
use geodesign_geometry::{Geometry, read_wkb, write_wkb};

/// A drawn diagram, either a project or a policy.
#[derive(Debug, Clone)]
pub struct NewDiagram {
    pub kind: DiagramKind,
    pub drawn: DrawnDiagram,
    pub outside: Outside,
    /// First and last day.
    pub dates: Option<(UtcMillis, UtcMillis)>,
}

impl NewDiagram {
    /// Checks everything that needs no request.
    pub fn check(&self) -> Result<(), InvalidDiagram> {
        self.drawn.check()?;
        if let Some((first, other)) = self.drawn.geometry.same_land() {
            return Err(InvalidDiagram::SameLand { first, other });
        }
        self.update().check()
    }

    /// The update that sets the dates: the request that adds a diagram has no fields for them.
    fn update(&self) -> DiagramUpdate {
        let (start_date, end_date) = self.dates.unzip();
        DiagramUpdate { start_date, end_date, ..DiagramUpdate::default() }
    }
}

/// Handling of features outside the study area.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outside {
    /// An error if the feature lies completely outside: its diagram is not sent.
    #[default]
    Refuse,
    Allow,
}

/// A feature that lies outside the study area. Diagrams, and the features of each, are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureOutside {
    pub diagram: usize,
    pub feature: usize,
    /// Share of its area, or of its length, that lies outside.
    pub share: f64,
    /// Reason for refusing it; `None` if it lies outside only partly.
    pub problem: Option<OutsideStudyArea>,
}

impl FeatureOutside {
    /// Returns the reason for refusing the diagram, with the feature's number if there are several.
    pub fn refusal(&self, diagram: &NewDiagram) -> Option<String> {
        let problem = self.problem.as_ref()?;
        Some(match diagram.drawn.geometry.features.len() {
            1 => problem.to_string(),
            _ => format!("feature {}: {problem}", self.feature),
        })
    }
}

impl Project {
    /// Adds a drawn project or policy to a system.
    pub async fn add_diagram(&self, system: impl Into<SystemReference>, diagram: &NewDiagram) -> Result<AddedDiagram> {
        let system = system.into();
        self.check_place(diagram).await?;
        self.send_diagram(self.find_system(&system).await?, diagram).await
    }

    /// Checks a diagram before it is sent. Returns the features that lie partly outside the study area.
    pub async fn check_place(&self, diagram: &NewDiagram) -> Result<Vec<FeatureOutside>> {
        diagram.check().map_err(Error::input)?;
        let outside = self.features_outside(std::slice::from_ref(diagram)).await?;
        match outside.iter().find_map(|outside| outside.refusal(diagram)) {
            Some(problem) => Err(Error::Input(problem)),
            None => Ok(outside),
        }
    }

    /// Adds many diagrams to a system, concurrently, up to the client's `max_concurrency`. All are checked before the first is sent.
    /// Then each succeeds or fails on its own; the outcomes are in the order of the diagrams.
    pub async fn add_diagrams(
        &self,
        system: impl Into<SystemReference>,
        diagrams: Vec<NewDiagram>,
        progress: &impl Progress,
    ) -> Result<Vec<Result<AddedDiagram>>> {
        let system = self.find_listed_system(&system.into()).await?;
        for (index, diagram) in diagrams.iter().enumerate() {
            diagram.check().map_err(|problem| Error::Input(format!("diagram {index}: {problem}")))?;
        }
        let outside = self.features_outside(&diagrams).await?;
        if let Some((index, problem)) =
            outside.iter().find_map(|outside| Some((outside.diagram, outside.refusal(&diagrams[outside.diagram])?)))
        {
            return Err(Error::Input(format!("diagram {index}: {problem}")));
        }
        self.send_diagrams(system, diagrams, progress).await
    }

    /// Same as [`Project::add_diagrams`], for diagrams that have been checked.
    pub async fn send_diagrams(
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

    pub async fn send_diagram(&self, system: SystemId, diagram: &NewDiagram) -> Result<AddedDiagram> {
        let operation = match diagram.kind {
            DiagramKind::Project => ADD_PROJECT,
            DiagramKind::Policy => ADD_POLICY,
        };
        let added: AddedDiagram = self.add(operation.at(self.in_system(system)), &diagram.drawn).await?;
        if diagram.dates.is_some()
            && let Err(source) = self.update_diagram(added.diagram_id, &diagram.update()).await
        {
            return Err(Error::WithoutDates { added: Box::new(added), source: Box::new(source) });
        }
        Ok(added)
    }

    /// Adds a project or policy to a system, with its features in a file on another server.
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
        self.add(operation.at(self.in_system(self.find_system(&system).await?)), diagram).await
    }

    /// Returns the features that lie partly or completely outside the study area, except in diagrams that may lie outside.
    pub async fn features_outside(&self, diagrams: &[NewDiagram]) -> Result<Vec<FeatureOutside>> {
        if diagrams.iter().all(|diagram| diagram.outside == Outside::Allow) {
            return Ok(Vec::new());
        }
        if let Some(study_area) = self.remembered_study_area().get() {
            let outside = features_outside(diagrams, &study_area);
            if outside.iter().all(|feature| feature.problem.is_none()) {
                return Ok(outside);
            }
        }
        // Before any refusal, since the study area may have changed.
        let study_area = match self.boundaries().await {
            Ok(boundaries) => blocking::run(move || boundaries.study_area()).await?,
            // Some services have no boundaries.
            Err(Error::Api { .. } | Error::Decode { .. }) => None,
            Err(error) => return Err(error),
        };
        let study_area = match study_area {
            Some(study_area) => Some(study_area),
            None => self.bounds().await?.and_then(StudyArea::within_bounds),
        };
        let Some(study_area) = study_area.map(Arc::new) else { return Ok(Vec::new()) };
        self.remembered_study_area().set(study_area.clone());
        Ok(features_outside(diagrams, &study_area))
    }

    /// Returns, for each of these diagrams, the system's diagrams with the same geometry.
    pub async fn same_diagrams(&self, system: SystemId, diagrams: &[NewDiagram]) -> Result<Vec<Vec<DiagramId>>> {
        let stored = self.all_diagrams(Measuring::Skip).await?;
        let stored = blocking::run(move || geometries_in(&stored, system)).await?;
        let of_new = |diagram: &NewDiagram| {
            shapes_key(diagram.drawn.geometry.features.iter().map(|feature| feature.geometry.geometry()))
        };
        Ok(diagrams.iter().map(|diagram| stored.get(&of_new(diagram)).cloned().unwrap_or_default()).collect())
    }
}

/// Maps geometries to the system's diagrams that have them.
fn geometries_in(stored: &FeatureCollection, system: SystemId) -> HashMap<Vec<Vec<u8>>, Vec<DiagramId>> {
    let mut by_id: BTreeMap<i64, Vec<Geometry>> = BTreeMap::new();
    for (id, row) in stored.rows_in_system(system.0) {
        by_id.entry(id).or_default().extend(stored.table().geometries.get(row).and_then(read_wkb));
    }
    let mut by_key: HashMap<_, Vec<DiagramId>> = HashMap::new();
    for (id, geometries) in by_id.into_iter().filter(|(_, geometries)| !geometries.is_empty()) {
        by_key.entry(shapes_key(geometries.into_iter())).or_default().push(DiagramId(id));
    }
    by_key
}

/// The shapes as WKB without heights, in an order independent of the features' order.
fn shapes_key(geometries: impl Iterator<Item = Geometry>) -> Vec<Vec<u8>> {
    let wkb = |geometry: Geometry| {
        let mut wkb = Vec::new();
        write_wkb(&geometry.without_heights(), &mut wkb);
        wkb
    };
    let mut key: Vec<_> = geometries.map(wkb).collect();
    key.sort_unstable();
    key
}

fn features_outside(diagrams: &[NewDiagram], study_area: &StudyArea) -> Vec<FeatureOutside> {
    let mut outside = Vec::new();
    let refused = diagrams.iter().enumerate().filter(|(_, diagram)| diagram.outside == Outside::Refuse);
    for (diagram, NewDiagram { drawn, .. }) in refused {
        for (feature, drawn) in drawn.geometry.features.iter().enumerate() {
            match study_area.share_outside(&drawn.geometry) {
                Ok(0.0) => {}
                Ok(share) => outside.push(FeatureOutside { diagram, feature, share, problem: None }),
                Err(problem) => outside.push(FeatureOutside { diagram, feature, share: 1.0, problem: Some(problem) }),
            }
        }
    }
    outside
}
