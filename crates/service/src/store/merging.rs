//! A project's origins, the work merged into it from copies, and the diagrams that merging adds.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::de::DeserializeOwned;

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, from_json, to_json};
use super::diagram_state::DiagramState;
use super::diagrams::{DiagramContent, DiagramRow};
use super::history::{Change, Undo};
use super::tags::TagRow;
use super::teams::DesignRow;
use geodesign::model::{
    DateTime, DiagramId, DiagramKind, FeatureType, JsonObject, MergedArchive, ObjectText, SystemId, WorkFields,
    WorkKind, WorkState,
};
use geodesign_geometry::Measure;

/// Ids in this service, by kind and by the id in an archive.
pub type IdsHere = BTreeMap<WorkKind, BTreeMap<String, String>>;
/// The state in which each thing was merged or decided, by kind and id here. `None` if the copy had removed it.
pub type MergedWork = BTreeMap<WorkKind, BTreeMap<String, Option<WorkFields>>>;

/// The last merge from a copy of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The id of the copy's service.
    pub service: String,
    /// When the archive was finished.
    pub created_at: String,
    /// True if everything in it was merged.
    pub complete: bool,
    /// Ids of things that have another id here.
    pub ids: IdsHere,
    pub work: MergedWork,
}

impl Merged {
    /// Returns the id here of a merged thing, by its id in the copy. A new thing in the copy may have an id that another of its things has here.
    pub fn id_here<'a>(&'a self, kind: WorkKind, id: &'a str) -> Option<&'a str> {
        let renamed = self.ids.get(&kind);
        if let Some(here) = renamed.and_then(|ids| ids.get(id)) {
            return Some(here);
        }
        let is_of_another = renamed.is_some_and(|ids| ids.values().any(|here| here == id));
        (!is_of_another && self.work.get(&kind)?.contains_key(id)).then_some(id)
    }
}

/// A diagram of a copy, with all values that people gave it.
#[derive(Debug)]
pub struct MergedDiagram {
    pub author: String,
    pub title: String,
    pub system: SystemId,
    created_at: DateTime,
    flat_geobuf_url: String,
    external_geometries: String,
    state: DiagramState,
}

impl Reader<'_> {
    /// Returns the states that a project began with, oldest first.
    pub fn origins(&self, project: ProjectKey) -> Result<Vec<WorkState>> {
        let sql = "SELECT states FROM origins WHERE project = ?1";
        Ok(self.one(sql, [project.0], |row| from_json(row, 0))?.unwrap_or_default())
    }

    pub fn merged(&self, project: ProjectKey, service: &str) -> Result<Option<Merged>> {
        let columns = columns!(Merged { service, created_at, complete, ids: by_kind("ids"), work: by_kind("work") });
        self.select_one(columns, "FROM merges WHERE project = ?1 AND service = ?2", params![project.0, service])
    }

    /// Returns the archives that were merged completely.
    pub fn merged_archives(&self, project: ProjectKey) -> Result<Vec<MergedArchive>> {
        let rest = "FROM merges WHERE project = ?1 AND complete ORDER BY service";
        self.select(columns!(MergedArchive { service, created_at }), rest, [project.0])
    }

    /// Returns a diagram as merging adds it to another project.
    pub fn diagram_to_merge(&self, project: ProjectKey, id: DiagramId) -> Result<Option<MergedDiagram>> {
        let columns = columns!(MergedDiagram {
            author: "username",
            title: "description",
            system,
            created_at,
            flat_geobuf_url,
            external_geometries,
            state: (DiagramState { drawing: self.drawing(id)?, ..self.diagram_state(project, id)? }),
        });
        let rest = "FROM diagrams JOIN users ON users.key = author WHERE project = ?1 AND id = ?2";
        self.select_one(columns, rest, [project.0, id.0])
    }

    /// True if a diagram has this id, even a removed one or one of another project.
    fn is_diagram_id_taken(&self, id: DiagramId) -> Result<bool> {
        self.exists("SELECT 1 FROM all_diagrams WHERE id = ?1", [id.0])
    }
}

fn by_kind<T: DeserializeOwned>(json: String) -> Result<BTreeMap<WorkKind, T>> {
    serde_json::from_str(&json).map_err(StoreError::content)
}

impl Writer<'_> {
    pub fn set_origins(&self, project: ProjectKey, states: &[WorkState]) -> Result<()> {
        let sql = "INSERT INTO origins (project, states) VALUES (?1, ?2)";
        self.run(sql, params![project.0, to_json(&states)?]).map(drop)
    }

    /// Stores the merge from a copy, in place of an earlier one.
    pub fn set_merged(&self, project: ProjectKey, merged: &Merged) -> Result<()> {
        let Merged { service, created_at, complete, ids, work } = merged;
        if self.merged(project, service)?.as_ref() == Some(merged) {
            return Ok(());
        }
        let sql = "INSERT INTO merges (project, service, created_at, complete, ids, work) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                   ON CONFLICT DO UPDATE SET created_at = excluded.created_at, complete = excluded.complete, \
                   ids = excluded.ids, work = excluded.work";
        self.run(sql, params![project.0, service, created_at, complete, to_json(ids)?, to_json(work)?]).map(drop)
    }

    /// Adds a diagram of a copy, with the tags of these ids. It keeps its id if that is free.
    pub fn add_merged_diagram(
        &self,
        project: ProjectKey,
        wanted: DiagramId,
        author: UserKey,
        diagram: &MergedDiagram,
        tags: Vec<String>,
    ) -> Result<DiagramId> {
        let location = self.next_location(project, diagram.system)?;
        let row = DiagramRow {
            id: Some(wanted).filter(|_| wanted.0 > 0).filter(|_| !self.is_diagram_id_taken(wanted).unwrap_or(true)),
            project,
            location,
            content: DiagramContent {
                system: diagram.system,
                author,
                // The fields below are set with the rest of its state.
                kind: DiagramKind::Project,
                title: "",
                funding: "",
                measure: Measure::default(),
                cost_override: 0.0,
                cost_override_type: "",
                additional_metadata: ObjectText::default(),
                flat_geobuf_url: &diagram.flat_geobuf_url,
                external_geometries: &diagram.external_geometries,
                feature_type: FeatureType::Polygon,
                features: Vec::new(),
                building_data: JsonObject::new(),
            },
            notes: "",
            created_at: *diagram.created_at,
            dates: None,
            tag_codes: &[],
        };
        let id = self.insert_diagram(&row)?;
        let state = DiagramState {
            removed: None,
            system: None,
            rank: None,
            grid_location: None,
            tags: Some(tags),
            ..diagram.state.clone()
        };
        self.set_diagram_state(id, &state)?;
        let undo = Undo::Diagram { id, state: DiagramState { removed: Some(true), ..DiagramState::default() }.into() };
        let change = Change::of("merge").diagram(id).after(&diagram.title);
        self.record(project, change.undone_by(&undo)?)?;
        Ok(id)
    }

    /// Copies these fields from the same diagram in a copy, and restores the diagram if it was removed. `tags` are the ids of all its tags.
    pub fn change_merged_diagram(
        &self,
        project: ProjectKey,
        id: DiagramId,
        diagram: &MergedDiagram,
        fields: &[String],
        tags: Vec<String>,
    ) -> Result<()> {
        let theirs = &diagram.state;
        let mut state = DiagramState { removed: Some(false), ..DiagramState::default() };
        let mut tags = Some(tags);
        for field in fields {
            match field.as_str() {
                "system" => {
                    let location = self.next_location(project, diagram.system)?;
                    state.system = Some(diagram.system.0);
                    state.rank = Some(location.rank);
                    state.grid_location = Some(location.name);
                }
                "tags" => state.tags = tags.take(),
                "geometry" => state.drawing.clone_from(&theirs.drawing),
                part => state.take_part(part, theirs),
            }
        }
        let replaces_features = state.drawing.is_some();
        self.change_drawing("merge", project, id, replaces_features, |write| write.set_diagram_state(id, &state))
    }

    /// Adds a tag of a copy.
    pub fn add_merged_tag(&self, row: &TagRow) -> Result<()> {
        self.insert_tag(row)?;
        self.record(row.project, Change::of("merge").subject(format_args!("tag {}", row.id)).after(row.tag))
    }

    /// Adds a design of a copy, with the day on which it was saved there.
    pub fn add_merged_design(&self, project: ProjectKey, row: &DesignRow) -> Result<()> {
        self.insert_design(project, row)?;
        let change = Change::of("merge").subject(format_args!("design {}", row.id));
        self.record(project, change.after(row.description))
    }
}
