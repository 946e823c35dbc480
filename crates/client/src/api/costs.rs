//! Costs of a project's current diagrams: of all, or of those selected by a member, a team or the caller. Downloads the files of
//! external diagrams.

use std::collections::HashSet;
use std::sync::Arc;

use http::StatusCode;
use tokio::sync::Semaphore;

use super::chosen::{CostSelection, selected_ids};
use crate::bad_rows::{BadRows, described};
use crate::external::{ExternalLimits, download};
use crate::{Error, Project, Result};
use geodesign::costs::{CostError, CostReport, CountedLand, DiagramCost, OpenedFile, OpenedFiles, ReportSubject};
use geodesign::features::{FeatureCollection, Layout, RowProblem, file_url};
use geodesign::model::DiagramId;
use geodesign::model::operations::ALL_DIAGRAMS;
use geodesign_common::blocking;
use geodesign_geometry::Geometry;

/// At most this many files are in memory at the same time.
const MAX_OPEN_FILES: usize = 4;

/// Optional work that takes longer than pricing stored geometries. By default, none of it is done.
#[derive(Debug, Clone, Copy, Default)]
pub struct CostOptions {
    /// True to look for invalid geometries, see [`CostReport::check`].
    pub check: bool,
    /// The land that counts: all of it by default.
    pub land: CountedLand,
    /// Downloads the files of external diagrams, and prices these diagrams by the files' content.
    pub external: Option<FileReader>,
}

/// The downloaded file of an external diagram.
#[derive(Debug, Clone)]
pub struct ExternalFile {
    pub diagram: DiagramId,
    pub url: String,
    /// The bytes of the file. Only the first ones have been checked to be FlatGeobuf.
    pub content: Vec<u8>,
}

/// Reads the files of external diagrams. This crate only downloads them: it has no code for their format.
#[derive(Debug, Clone, Copy)]
pub struct FileReader {
    pub limits: ExternalLimits,
    /// Returns a file's geometries in longitude and latitude, or the reason why it cannot be read. Runs on a thread that may block.
    pub read: fn(ExternalFile) -> Result<Vec<Geometry>, String>,
}

impl Project {
    /// Prices diagrams, per system. Reads systems, diagrams, the ids of the selection and the names for the title concurrently.
    pub async fn costs(&self, selection: CostSelection, options: CostOptions) -> Result<CostReport> {
        let CostOptions { check, land, external } = options;
        external.map_or(Ok(()), |reader| check_limits(reader.limits))?;
        let (systems, diagrams, mut selected, study_area, subject) = Box::pin(async {
            tokio::try_join!(
                self.systems(),
                self.measured_diagrams(),
                selected_ids(self, &selection),
                self.counted_area(land),
                async { Ok(subject(self, &selection).await) },
            )
        })
        .await?;
        if let (CostSelection::Design(..), Some(selected)) = (&selection, &mut selected) {
            let unlisted = self.tell_unlisted(selected, &diagrams)?;
            selected.retain(|id| !unlisted.contains(id));
        }
        let files = match external {
            Some(reader) => {
                Box::pin(self.open_files(&diagrams, selected.as_ref(), reader, check, study_area.as_ref())).await?
            }
            None => OpenedFiles::new(),
        };
        // Problems that do not affect costs: a date that cannot be read, a diagram without an id.
        let is_beside = |problem: &&RowProblem| match problem.diagram_id {
            Some(id) => !problem.is_about_price && selected.as_ref().is_none_or(|selected| selected.contains(&id)),
            None => selected.is_none(),
        };
        let mut beside: Vec<RowProblem> = diagrams.row_problems().iter().filter(is_beside).cloned().collect();
        let report = move || {
            let report = CostReport::within(
                study_area.as_deref().map(Vec::as_slice),
                &systems,
                &diagrams,
                selected.as_ref(),
                &files,
            )?;
            Ok::<_, CostError>(if check { report.check() } else { report }.with_subject(subject))
        };
        let report: CostReport = blocking::run(report).await??;
        let unpriced = report.bad_rows().map(|row: &DiagramCost| {
            format!("diagram {}: {}", row.diagramid, row.cost_problem.as_deref().unwrap_or_default())
        });
        // A row counts once, however many of its fields are wrong.
        let unpriced_ids: HashSet<i64> = report.bad_rows().map(|row| row.diagramid).collect();
        beside.retain(|problem| problem.diagram_id.is_none_or(|id| !unpriced_ids.contains(&id)));
        let bad_rows = BadRows::new(unpriced.chain(described(&beside, Layout::Diagrams)), |row| row);
        self.client().transport.tell_bad_rows(&ALL_DIAGRAMS.at(self.in_project()), &bad_rows)?;
        Ok(report)
    }

    /// Downloads the FlatGeobuf file of an external diagram from its server. The token is not sent there.
    pub async fn external_file(&self, id: DiagramId, limits: ExternalLimits) -> Result<ExternalFile> {
        check_limits(limits)?;
        let diagram = self.diagram(id).await?;
        let address = |field: &str| diagram.metadata().get(field)?.as_str();
        let Some(url) = file_url(address("flat_geobuf_url"), address("external_geometries")) else {
            let problem = format!("diagram {id} has no file on another server; project.diagram({id}) has its geometry");
            return Err(Error::Input(problem));
        };
        self.download(id, url.to_owned(), limits).await
    }

    /// Returns the study area if only land inside counts: the polygons of the project's boundaries.
    async fn counted_area(&self, land: CountedLand) -> Result<Option<Arc<Vec<Geometry>>>> {
        if land.is_all() {
            return Ok(None);
        }
        let boundaries = match self.boundaries().await {
            Ok(boundaries) => Some(boundaries).filter(|boundaries| boundaries.study_area().is_some()),
            Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => None,
            Err(error) => return Err(error),
        };
        match boundaries {
            Some(boundaries) => Ok(Some(Arc::new(boundaries.geometries()))),
            None => Err(CostError::NoStudyArea.into()),
        }
    }

    /// Opens the files of diagrams without a geometry. Returns the content of each, or the reason why it cannot be opened.
    async fn open_files(
        &self,
        diagrams: &FeatureCollection,
        selected: Option<&HashSet<i64>>,
        reader: FileReader,
        check: bool,
        study_area: Option<&Arc<Vec<Geometry>>>,
    ) -> Result<OpenedFiles> {
        let mut files = diagrams.external_files();
        files.retain(|(id, _)| selected.is_none_or(|selected| selected.contains(id)));
        let slots = Arc::new(Semaphore::new(MAX_OPEN_FILES));
        let open = |project: Project, (id, url): (i64, String)| {
            let (slots, study_area) = (slots.clone(), study_area.cloned());
            async move {
                let _slot = slots.acquire().await.expect("the semaphore is never closed");
                let opened = match project.download(DiagramId(id), url, reader.limits).await {
                    Ok(file) => {
                        let open = move || {
                            let geometries = (reader.read)(file)?;
                            let opened = OpenedFile::new(&geometries, check);
                            let Some(study_area) = study_area else { return Ok(opened) };
                            opened.counted_inside(&geometries, &study_area).map_err(|problem| problem.to_string())
                        };
                        blocking::run(open).await?
                    }
                    Err(problem) => Err(problem.to_string()),
                };
                Ok((id, opened))
            }
        };
        Ok(self.for_each(files, open, || {}).await?.into_iter().collect())
    }

    async fn download(&self, diagram: DiagramId, url: String, limits: ExternalLimits) -> Result<ExternalFile> {
        let transport = &self.client().transport;
        match download(&url, limits, transport.config(), transport.certificates()).await {
            Ok(content) => Ok(ExternalFile { diagram, url, content }),
            Err(source) => Err(Error::ExternalFile { diagram, url: url.into(), source }),
        }
    }
}

/// Returns the names for the title. If a name cannot be read, the report shows the id instead.
async fn subject(project: &Project, selection: &CostSelection) -> ReportSubject {
    let info = async { project.info().await.ok() };
    match selection {
        CostSelection::All => ReportSubject::of_project(info.await),
        CostSelection::Member(member) => ReportSubject::of_project(info.await).selected_by(member),
        CostSelection::Design(team, design) => {
            let (info, teams, designs) = tokio::join!(info, project.teams(), project.designs(*team));
            let of_team = teams.ok().and_then(|teams| teams.into_iter().find(|item| item.id == *team)?.title);
            let designs = designs.unwrap_or_default();
            let description = designs.into_iter().find(|item| item.details.id == *design);
            let description = description.and_then(|design| design.details.description);
            ReportSubject::of_project(info).in_design((*team, of_team), (design, description))
        }
        CostSelection::Diagrams(ids) => {
            let selection = match ids.len() {
                1 => "1 chosen diagram".to_owned(),
                count => format!("{count} chosen diagrams"),
            };
            ReportSubject { selection: Some(selection), ..ReportSubject::of_project(info.await) }
        }
    }
}

/// Rejects a limit that no file can meet.
fn check_limits(limits: ExternalLimits) -> Result<()> {
    if limits.max_bytes == 0 {
        return Err(Error::Input(
            "max_bytes is 0, so no file can be read; give the size limit for a file in bytes".into(),
        ));
    }
    Ok(())
}
