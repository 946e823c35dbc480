//! Diagrams without their features: queries, and new diagrams with their place in the grid of systems.

use jiff::civil::{Date, DateTime};
use rusqlite::{ToSql, params, params_from_iter};

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, to_json, utc_now};
use super::diagram_state::DiagramState;
use super::feature_row::FeatureRow;
use super::history::{Change, Undo};
use geodesign::model::{
    ChangeHash, DesignId, Diagram, DiagramId, DiagramKind, DiagramSummary, FeatureType, JsonObject, Note, ObjectText,
    SystemId, VolumeInformation,
};
use geodesign_common::digest::{hex, sha256};
use geodesign_geometry::Measure;

/// The `tag_codes` of a diagram, separated by `|`.
pub const TAG_CODES: &str = "coalesce((SELECT group_concat(code, '|') FROM (SELECT code FROM diagram_tags JOIN tags ON tags.id = diagram_tags.tag \
                             WHERE diagram = diagrams.id AND code <> '' ORDER BY code)), '')";
/// The mark of an undated diagram; null if the dates themselves show it.
pub const UNDATED: &str = "CASE WHEN undated THEN TRUE WHEN undated = FALSE AND start_date = end_date \
                           AND start_date = substr(created_at, 1, 10) THEN FALSE END";
/// Diagrams with their systems and authors.
pub const FROM_DIAGRAMS: &str = "FROM diagrams JOIN systems ON systems.id = system JOIN users ON users.key = author";

impl Reader<'_> {
    pub fn diagram_summaries(&self, project: ProjectKey) -> Result<Vec<DiagramSummary>> {
        let shown = |author| self.shown(author).map(Some);
        let columns = columns!(DiagramSummary {
            id: "diagrams.id",
            worlddescription: "diagrams.description",
            author: shown("username"),
            created_at,
            rank,
            sysid: "system",
            ..
        });
        let rest = format!("{FROM_DIAGRAMS} WHERE diagrams.project = ?1 ORDER BY diagrams.id");
        self.as_loaded(project, self.select(columns, &rest, [project.0])?)
    }

    /// Reads diagrams without their features.
    pub fn diagram_details(&self, filter: &DiagramFilter) -> Result<Vec<Diagram<ObjectText>>> {
        let (condition, values) = filter.condition();
        let columns = columns!(Diagram {
            sysid: "system",
            rank,
            id: "diagrams.id",
            description: "diagrams.description",
            kind: "type",
            length,
            area,
            fundingtype,
            cost_override,
            cost_override_type,
            building_data,
            notes,
            created_at: in_seconds("created_at"),
            start_date,
            end_date,
            additional_metadata,
            tag_codes: TAG_CODES,
            flat_geobuf_url,
            external_geometries,
            undated: UNDATED,
            ..
        });
        let rest = format!("{FROM_DIAGRAMS} WHERE {condition} ORDER BY diagrams.id");
        let diagrams = self.select(columns, &rest, params_from_iter(values))?;
        match filter {
            DiagramFilter::InProject(project) => self.as_loaded(*project, diagrams),
            DiagramFilter::One(project, _) => {
                Ok(self.one_as_loaded(*project, diagrams.into_iter().next())?.into_iter().collect())
            }
            DiagramFilter::Among(..) | DiagramFilter::Selected { .. } | DiagramFilter::InDesign { .. } => Ok(diagrams),
        }
    }

    pub fn has_diagram(&self, project: ProjectKey, id: DiagramId) -> Result<bool> {
        self.exists("SELECT 1 FROM diagrams WHERE project = ?1 AND id = ?2", params![project.0, id.0])
    }

    /// Returns the author of a diagram; `None` if the project has no such diagram.
    pub fn author_of(&self, project: ProjectKey, id: DiagramId) -> Result<Option<UserKey>> {
        let sql = "SELECT author FROM diagrams WHERE project = ?1 AND id = ?2";
        self.value(sql, params![project.0, id.0])
    }

    /// Fails if the project lacks one of these diagrams.
    pub(super) fn require_diagrams(&self, project: ProjectKey, diagrams: &[DiagramId]) -> Result<()> {
        for &id in diagrams {
            if !self.has_diagram(project, id)? {
                return Err(InputError::UnknownDiagram(id).into());
            }
        }
        Ok(())
    }

    pub fn diagram_note(&self, project: ProjectKey, id: DiagramId) -> Result<Option<Note>> {
        let sql = "SELECT notes FROM diagrams WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| Ok(Note { id: id.to_string().into(), notes: row.get(0)? }))
    }

    /// Returns the digest of the time at which a diagram last changed.
    pub fn change_hash(&self, project: ProjectKey, id: DiagramId) -> Result<Option<ChangeHash>> {
        let sql = "SELECT changed_at FROM diagrams WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| {
            let changed_at: String = row.get(0)?;
            Ok(ChangeHash { changehash: hex(&sha256(&[changed_at.as_bytes()])) })
        })
    }
}

/// Returns a time in whole seconds and with a space, unlike in the list of diagrams.
fn in_seconds(time: String) -> Result<Option<geodesign::model::DateTime>> {
    let time = time.replace('T', " ");
    time.split('.').next().map(str::parse).transpose().map_err(StoreError::content)
}

/// A choice of diagrams, as a condition of SQL queries.
#[derive(Debug, Clone)]
pub enum DiagramFilter {
    InProject(ProjectKey),
    One(ProjectKey, DiagramId),
    Among(ProjectKey, Vec<DiagramId>),
    /// Diagrams that a member selected; with `system` or `kind`, only those in that system or of that kind.
    Selected {
        project: ProjectKey,
        member: UserKey,
        system: Option<SystemId>,
        kind: Option<DiagramKind>,
    },
    /// Diagrams in a design; with `projects_of`, only that system's projects.
    InDesign {
        design: DesignId,
        projects_of: Option<SystemId>,
    },
}

impl DiagramFilter {
    /// Returns the condition, and the values of its parameters.
    pub(super) fn condition(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let (mut sql, mut values): (String, Vec<Box<dyn ToSql>>) = match self {
            DiagramFilter::InProject(project) => ("diagrams.project = ?".into(), vec![Box::new(project.0)]),
            DiagramFilter::One(project, id) => {
                ("diagrams.project = ? AND diagrams.id = ?".into(), vec![Box::new(project.0), Box::new(id.0)])
            }
            DiagramFilter::Among(project, ids) => {
                let sql = "diagrams.project = ? AND diagrams.id IN (SELECT value FROM json_each(?))";
                let ids = serde_json::to_string(ids).unwrap_or_default();
                (sql.into(), vec![Box::new(project.0), Box::new(ids)])
            }
            DiagramFilter::Selected { project, member, .. } => {
                let sql = "diagrams.project = ? AND diagrams.id IN (SELECT diagram FROM selections WHERE user = ?)";
                (sql.into(), vec![Box::new(project.0), Box::new(member.0)])
            }
            DiagramFilter::InDesign { design, .. } => {
                let sql = "diagrams.id IN (SELECT diagram FROM design_diagrams WHERE design = ?)";
                (sql.into(), vec![Box::new(design.to_string())])
            }
        };
        let (system, kind) = match self {
            DiagramFilter::Selected { system, kind, .. } => (*system, *kind),
            DiagramFilter::InDesign { projects_of: Some(system), .. } => (Some(*system), Some(DiagramKind::Project)),
            _ => (None, None),
        };
        if let Some(system) = system {
            sql.push_str(" AND system = ?");
            values.push(Box::new(system.0));
        }
        if let Some(kind) = kind {
            sql.push_str(" AND type = ?");
            values.push(Box::new(kind.name()));
        }
        (sql, values)
    }

    /// Returns the order of diagrams in a query with the condition.
    pub(super) fn order(&self) -> &'static str {
        match self {
            DiagramFilter::InProject(_) | DiagramFilter::One(..) | DiagramFilter::Among(..) => "diagrams.id",
            DiagramFilter::Selected { .. } => {
                "coalesce((SELECT position FROM selections WHERE user = ?2 AND diagram = diagrams.id), 1e9), diagrams.id"
            }
            DiagramFilter::InDesign { .. } => {
                "coalesce((SELECT position FROM design_diagrams WHERE design = ?1 AND diagram = diagrams.id), 1e9), diagrams.id"
            }
        }
    }
}

/// Content of a new diagram from a member.
#[derive(Debug)]
pub struct DiagramContent<'d> {
    pub system: SystemId,
    pub author: UserKey,
    pub kind: DiagramKind,
    pub title: &'d str,
    pub funding: &'d str,
    /// The size of all features; zero if the geometry is external.
    pub measure: Measure,
    /// An amount of money; 0 for none.
    pub cost_override: f64,
    pub cost_override_type: &'d str,
    pub additional_metadata: ObjectText,
    pub flat_geobuf_url: &'d str,
    pub external_geometries: &'d str,
    pub feature_type: FeatureType,
    pub features: Vec<FeatureRow<'d>>,
    pub building_data: JsonObject,
}

impl DiagramContent<'_> {
    /// Returns the bytes that the quotas of project and user count.
    fn geometry_bytes(&self) -> i64 {
        self.features.iter().map(|feature| feature.geometry.len() as i64).sum()
    }

    /// Returns the name of the operation that adds it.
    fn operation(&self) -> &'static str {
        let is_external = !self.flat_geobuf_url.is_empty() || !self.external_geometries.is_empty();
        match (self.kind, is_external) {
            (DiagramKind::Project, false) => "add_project",
            (DiagramKind::Policy, false) => "add_policy",
            (DiagramKind::Project, true) => "add_external_project",
            (DiagramKind::Policy, true) => "add_external_policy",
        }
    }
}

/// The place of a diagram in the grid, which has a column for each system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridLocation {
    /// The row in the grid, from 1.
    pub rank: i64,
    /// A letter for the system and the rank, such as `C4`.
    pub name: String,
}

/// The row of a diagram, with its features.
#[derive(Debug)]
pub struct DiagramRow<'d> {
    /// Without an id, the diagram gets the next free one.
    pub id: Option<DiagramId>,
    pub project: ProjectKey,
    pub location: GridLocation,
    pub content: DiagramContent<'d>,
    pub notes: &'d str,
    /// UTC
    pub created_at: DateTime,
    /// The first and the last day. `None` if there are none; the service then shows the day on which the diagram was created.
    pub dates: Option<(Date, Date)>,
    /// The codes of the diagram's tags.
    pub tag_codes: &'d [String],
}

impl Writer<'_> {
    /// Adds a diagram below the others of its system.
    pub fn add_diagram(
        &self,
        project: ProjectKey,
        content: DiagramContent,
        dates: Option<(Date, Date)>,
    ) -> Result<(DiagramId, GridLocation)> {
        let location = self.next_location(project, content.system)?;
        let now = utc_now();
        let change = Change::of(content.operation()).after(format_args!("{} at {}", content.title, location.name));
        let id = self.insert_diagram(&DiagramRow {
            id: None,
            project,
            location: location.clone(),
            content,
            notes: "",
            created_at: now,
            dates,
            tag_codes: &[],
        })?;
        let state = DiagramState { removed: Some(true), ..DiagramState::default() };
        self.record(project, change.diagram(id).undone_by(&Undo::Diagram { id, state: state.into() })?)?;
        Ok((id, location))
    }

    pub fn insert_diagram(&self, row: &DiagramRow) -> Result<DiagramId> {
        let content = &row.content;
        // A diagram has an area or a length, never both.
        let area = content.measure.square_metres;
        let length = if area > 0.0 { 0.0 } else { content.measure.kilometres() };
        let (start_date, end_date) = row.dates.unwrap_or((row.created_at.date(), row.created_at.date()));
        let sql = "INSERT INTO all_diagrams (id, project, system, author, rank, grid_location, description, type, fundingtype, \
                   area, length, cost_override, cost_override_type, building_data, notes, created_at, changed_at, start_date, \
                   end_date, additional_metadata, flat_geobuf_url, external_geometries, featuretype, geometry_bytes, undated) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16, ?17, ?18, ?19, ?20, ?21, \
                   ?22, ?23, ?24)";
        let id = self.insert(
            sql,
            params![
                row.id.map(|id| id.0),
                row.project.0,
                content.system.0,
                content.author.0,
                row.location.rank,
                row.location.name,
                content.title,
                content.kind.name(),
                content.funding,
                area,
                length,
                content.cost_override,
                content.cost_override_type,
                to_json(&content.building_data)?,
                row.notes,
                date_time_text(row.created_at),
                start_date.to_string(),
                end_date.to_string(),
                content.additional_metadata.text(),
                content.flat_geobuf_url,
                content.external_geometries,
                content.feature_type.name(),
                content.geometry_bytes(),
                row.dates.is_none(),
            ],
        )?;
        let id = DiagramId(id);
        content.features.iter().try_for_each(|feature| self.insert_feature(id, feature))?;
        for code in row.tag_codes {
            let sql =
                "INSERT INTO diagram_tags (diagram, tag) SELECT ?1, id FROM tags WHERE project = ?2 AND code = ?3";
            self.run(sql, params![id.0, row.project.0, code])?;
        }
        Ok(id)
    }

    /// Adds a feature to a diagram, and its extent to the spatial index.
    pub(super) fn insert_feature(&self, diagram: DiagramId, feature: &FeatureRow) -> Result<()> {
        let FeatureRow { heights: VolumeInformation { min_height, max_height }, geometry, measure, extent, extra } =
            feature;
        let sql = "INSERT INTO features (diagram, min_height, max_height, geometry, extra, square_metres, metres) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [area, length] = [measure.map(|own| own.square_metres), measure.map(|own| own.metres)];
        let key = self.insert(sql, params![diagram.0, min_height, max_height, geometry, extra, area, length])?;
        if let Some([west, south, east, north]) = extent {
            let sql = "INSERT INTO feature_extents SELECT ?2, ?3, ?5, ?4, ?6, project, project, id FROM all_diagrams WHERE id = ?1";
            self.run(sql, params![diagram.0, key, west, south, east, north])?;
        }
        Ok(())
    }

    pub(super) fn next_location(&self, project: ProjectKey, system: SystemId) -> Result<GridLocation> {
        let highest = "SELECT coalesce(max(rank), 0) FROM all_diagrams WHERE system = ?1";
        let rank = 1 + self.value::<i64>(highest, [system.0])?.unwrap_or_default();
        let before = "SELECT count(*) FROM systems WHERE project = ?1 AND id < ?2";
        let column: u8 = self.value(before, params![project.0, system.0])?.unwrap_or_default();
        Ok(GridLocation { rank, name: format!("{}{rank}", char::from(b'A' + column.min(25))) })
    }
}
