//! Projects loaded from an archive. Their rows have values that this service would not give them, such as the origin's areas. A separate
//! table has what no column holds: fields that this service does not know, the order of lists, and the base of each thing, for later
//! comparisons.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use rusqlite::params;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, to_json};
use geodesign::model::{
    ChangeTeam, Design, DesignId, Diagram, DiagramId, DiagramSummary, HistoryEntry, JsonObject, Layer, LoadedFrom,
    Member, ObjectText, Plugin, ProjectInfo, Stakeholder, SystemDetail, Tag, TeamId, Username, Uuid,
};

/// A thing of which an archive may contain more than this service's columns hold.
pub trait Loadable {
    /// Its name in the table.
    const KIND: &'static str;

    fn id(&self) -> String;

    /// Returns the fields that this service does not know.
    fn extra(&mut self) -> &mut JsonObject;
}

macro_rules! loadable {
    ($($kind:literal $type:ty: $id:ident$(.$field:ident)* => $($extra:ident).+;)*) => {$(
        impl Loadable for $type {
            const KIND: &'static str = $kind;

            fn id(&self) -> String {
                self.$id$(.$field)*.to_string()
            }

            fn extra(&mut self) -> &mut JsonObject {
                &mut self.$($extra).+
            }
        }
    )*};
}

loadable! {
    "project" ProjectInfo: id => extra;
    "stakeholder" Stakeholder: id => extra;
    "plugin" Plugin: id => extra;
    "tag" Tag: id => extra;
    "system" SystemDetail: item.id => extra;
    "listed diagram" DiagramSummary: id => extra;
    "team" ChangeTeam: id => extra;
    "design" Design: details.id => details.extra;
}

impl Loadable for Member {
    const KIND: &'static str = "member";

    fn id(&self) -> String {
        self.username.as_str().to_owned()
    }

    fn extra(&mut self) -> &mut JsonObject {
        &mut self.extra
    }
}

impl<O> Loadable for Layer<O> {
    const KIND: &'static str = "layer";

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn extra(&mut self) -> &mut JsonObject {
        &mut self.extra
    }
}

impl<O> Loadable for Diagram<O> {
    const KIND: &'static str = "diagram";

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn extra(&mut self) -> &mut JsonObject {
        &mut self.extra
    }
}

/// An archive's data about a thing, beyond the columns of this service.
#[derive(Debug, Clone)]
pub struct LoadedThing {
    pub kind: &'static str,
    pub id: String,
    /// Its place in the origin's list.
    pub position: usize,
    /// The fields that this service does not know, as a JSON object.
    pub extra: String,
    /// Its [`told_beside`] text.
    pub told: Option<String>,
    /// Its change id at the origin.
    pub changeid: Option<String>,
    /// The SHA-256 of the archive's data about it.
    pub digest: [u8; 32],
}

/// Fields of a thing that its row cannot hold as the archive has them, such as a null cost. Each has the row's value at the time of
/// loading, and the archive's value. The first later shows whether the field was edited.
type ToldFields = BTreeMap<String, (Box<RawValue>, Box<RawValue>)>;

/// Returns [`ToldFields`] as JSON text; `None` if the row of a thing holds everything that the archive has.
pub fn told_beside<T: Serialize + DeserializeOwned>(row: &T, told: &impl Serialize) -> Result<Option<String>> {
    let mut told = fields_of(told)?;
    let mut kept = ToldFields::new();
    for (name, value) in fields_of(row)? {
        if let Some(told) = told.remove(&name).filter(|told| !is_same(told, &value)) {
            kept.insert(name, (value, told));
        }
    }
    if !kept.is_empty() && with_told::<T>(row, &kept).is_err() {
        // The row replaces what cannot be read again, such as a string where an object should be.
        kept.retain(|name, field| with_told::<T>(row, &ToldFields::from([(name.clone(), field.clone())])).is_ok());
    }
    if kept.is_empty() { Ok(None) } else { to_json(&kept).map(Some) }
}

fn with_told<T: Serialize + DeserializeOwned>(row: &T, told: &ToldFields) -> Result<T> {
    let mut fields = fields_of(row)?;
    for (name, (loaded, told)) in told {
        if let Some(value) = fields.get_mut(name).filter(|value| value.get() == loaded.get()) {
            value.clone_from(told);
        }
    }
    serde_json::from_str(&to_json(&fields)?).map_err(StoreError::content)
}

fn fields_of(thing: &impl Serialize) -> Result<BTreeMap<String, Box<RawValue>>> {
    serde_json::from_str(&to_json(thing)?).map_err(StoreError::content)
}

fn is_same(one: &RawValue, other: &RawValue) -> bool {
    let value = |text: &RawValue| serde_json::from_str::<Value>(text.get()).ok();
    one.get() == other.get() || value(one).is_some_and(|one| Some(one) == value(other))
}

/// Values of a diagram as its origin computed or stored them.
#[derive(Debug, Clone, Copy)]
pub struct LoadedFigures {
    /// Square metres.
    pub area: f64,
    /// Kilometres.
    pub length: f64,
    pub start_date: Option<Date>,
    pub end_date: Option<Date>,
    /// True if the diagram is undated; `None` if the origin does not say so.
    pub undated: Option<bool>,
}

/// A kind of thing whose ids are unique in the service, not only in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identified {
    System,
    Diagram,
    Team,
    Layer,
    Tag,
    Stakeholder,
    Design,
    Negotiation,
    Comment,
}

impl Identified {
    /// Returns its name, and the query that finds one by its id.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Identified::System => ("system", "SELECT 1 FROM systems WHERE id = ?1"),
            Identified::Diagram => ("diagram", "SELECT 1 FROM all_diagrams WHERE id = ?1"),
            Identified::Team => ("change team", "SELECT 1 FROM all_teams WHERE id = ?1"),
            Identified::Layer => ("layer", "SELECT 1 FROM layers WHERE id = ?1"),
            Identified::Tag => ("tag", "SELECT 1 FROM tags WHERE id = ?1"),
            Identified::Stakeholder => ("stakeholder", "SELECT 1 FROM stakeholders WHERE id = ?1"),
            Identified::Design => ("design", "SELECT 1 FROM designs WHERE id = ?1"),
            Identified::Negotiation => ("negotiation", "SELECT 1 FROM negotiations WHERE session_id = ?1"),
            Identified::Comment => ("comment", "SELECT 1 FROM comments WHERE id = ?1"),
        }
    }
}

/// Data about a thing that only the origin has.
struct Overlay {
    /// Its place in the origin's list.
    position: i64,
    extra: JsonObject,
    told: Option<ToldFields>,
}

fn told_in(json: Option<String>) -> Result<Option<ToldFields>> {
    json.map(|told| serde_json::from_str(&told)).transpose().map_err(StoreError::content)
}

impl Overlay {
    fn over<T: Loadable + Serialize + DeserializeOwned>(self, row: T) -> Result<T> {
        let mut thing = match self.told {
            Some(told) => with_told(&row, &told)?,
            None => row,
        };
        *thing.extra() = self.extra;
        Ok(thing)
    }
}

impl Reader<'_> {
    /// Returns a project's things in the order of the list at its origin, with the data that only the origin has. Those added here follow.
    /// The list of a project that was not loaded stays as it is.
    pub(super) fn as_loaded<T>(&self, project: ProjectKey, mut things: Vec<T>) -> Result<Vec<T>>
    where
        T: Loadable + Serialize + DeserializeOwned,
    {
        let columns = columns!((id, overlay: Overlay { position, extra, told: told_in("told") }));
        let rest = "FROM loaded_things WHERE project = ?1 AND kind = ?2";
        let mut loaded: HashMap<String, Overlay> =
            self.select(columns, rest, params![project.0, T::KIND])?.into_iter().collect();
        if loaded.is_empty() {
            return Ok(things);
        }
        things.sort_by_cached_key(|thing| loaded.get(&thing.id()).map_or(i64::MAX, |overlay| overlay.position));
        let overlaid = |thing: T| match loaded.remove(&thing.id()) {
            Some(overlay) => overlay.over(thing),
            None => Ok(thing),
        };
        things.into_iter().map(overlaid).collect()
    }

    /// The same for one thing.
    pub(super) fn one_as_loaded<T>(&self, project: ProjectKey, thing: Option<T>) -> Result<Option<T>>
    where
        T: Loadable + Serialize + DeserializeOwned,
    {
        let Some(thing) = thing else { return Ok(None) };
        let columns = columns!(Overlay { position, extra, told: told_in("told") });
        let rest = "FROM loaded_things WHERE project = ?1 AND kind = ?2 AND id = ?3";
        match self.select_one(columns, rest, params![project.0, T::KIND, thing.id()])? {
            Some(overlay) => overlay.over(thing).map(Some),
            None => Ok(Some(thing)),
        }
    }

    /// Returns the id of this service.
    pub fn service_id(&self) -> Result<String> {
        Ok(self.value("SELECT id FROM service", [])?.unwrap_or_default())
    }

    /// Returns the archive that a project was loaded from.
    pub fn loaded_from(&self, project: ProjectKey) -> Result<Option<LoadedFrom>> {
        let columns = columns!(LoadedFrom {
            service,
            source,
            created_at,
            changeid: "origin_changeid",
            edited: "loaded_projects.changeid <> projects.changeid",
        });
        self.select_one(columns, "FROM loaded_projects JOIN projects ON key = project WHERE project = ?1", [project.0])
    }

    /// Returns the bytes of the data that only the origin has.
    pub fn loaded_bytes(&self, project: ProjectKey) -> Result<u64> {
        let sql = "SELECT (SELECT coalesce(sum(octet_length(extra) - 2 + coalesce(octet_length(told), 0)), 0) \
                   FROM loaded_things WHERE project = ?1) + (SELECT coalesce(sum(octet_length(extra)), 0) \
                   FROM features JOIN all_diagrams ON id = diagram WHERE project = ?1)";
        Ok(self.value(sql, [project.0])?.unwrap_or_default())
    }

    /// Returns the first of these ids that the service already uses, such as `diagram 1001`.
    pub fn taken_id(&self, ids: &[(Identified, String)]) -> Result<Option<String>> {
        for (kind, id) in ids {
            let (name, sql) = kind.described();
            if self.exists(sql, [id])? {
                return Ok(Some(format!("{name} {id}")));
            }
        }
        Ok(None)
    }
}

impl Writer<'_> {
    /// Records the origin of a project, once it is completely loaded.
    pub fn insert_loaded_project(&self, project: ProjectKey, from: &LoadedFrom) -> Result<()> {
        let LoadedFrom { service, source, created_at, changeid, edited: _ } = from;
        let sql = "INSERT INTO loaded_projects (project, service, source, created_at, origin_changeid, changeid) \
                   SELECT key, ?2, ?3, ?4, ?5, changeid FROM projects WHERE key = ?1";
        self.run(sql, params![project.0, service, source, created_at, changeid]).map(drop)
    }

    pub fn insert_loaded_thing(&self, project: ProjectKey, thing: &LoadedThing) -> Result<()> {
        let LoadedThing { kind, id, position, extra, told, changeid, digest } = thing;
        let sql = "INSERT INTO loaded_things (project, kind, id, position, extra, told, changeid, digest) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING";
        self.run(sql, params![project.0, kind, id, *position as i64, extra, told, changeid, digest]).map(drop)
    }

    /// Forgets the archive's value of a field, so that the row's counts, even if the row does not change.
    pub(super) fn forget_told(&self, project: ProjectKey, kind: &str, id: &str, field: &str) -> Result<()> {
        let sql = "UPDATE loaded_things SET told = json_remove(told, '$.' || ?4) \
                   WHERE project = ?1 AND kind = ?2 AND id = ?3 AND told IS NOT NULL";
        self.run(sql, params![project.0, kind, id, field]).map(drop)
    }

    /// Orders the diagrams of a design as in this list.
    pub fn order_design(&self, design: &DesignId, diagrams: &[DiagramId]) -> Result<()> {
        let sql = "UPDATE design_diagrams SET position = ?3 WHERE design = ?1 AND diagram = ?2";
        let mut positions = diagrams.iter().enumerate();
        positions.try_for_each(|(at, diagram)| self.run(sql, params![design.as_str(), diagram.0, at as i64]).map(drop))
    }

    /// The same for the diagrams that a member selected.
    pub fn order_selection(&self, member: &Username, diagrams: &[DiagramId]) -> Result<()> {
        let sql = "UPDATE selections SET position = ?3 WHERE user = (SELECT key FROM users WHERE username = ?1) \
                   AND diagram = ?2";
        let mut positions = diagrams.iter().enumerate();
        positions.try_for_each(|(at, diagram)| self.run(sql, params![member.as_str(), diagram.0, at as i64]).map(drop))
    }

    /// Lets a user administer a project without being listed among its members. A member of the project stays listed.
    pub fn add_unlisted_administrator(&self, project: ProjectKey, user: UserKey) -> Result<()> {
        let sql = "INSERT INTO members (project, user, administrator, listed) VALUES (?1, ?2, 1, 0) \
                   ON CONFLICT DO UPDATE SET administrator = 1";
        self.run(sql, params![project.0, user.0]).map(drop)
    }

    /// Returns the user of this name. A missing one is added as a removed user: the name of an author needs no account.
    pub fn author_named(&self, name: &str) -> Result<UserKey> {
        self.run("INSERT INTO users (username, removed) VALUES (?1, 1) ON CONFLICT DO NOTHING", [name])?;
        let key = self.value("SELECT key FROM users WHERE username = ?1", [name])?;
        Ok(UserKey(key.unwrap_or_default()))
    }

    pub fn set_loaded_figures(&self, diagram: DiagramId, figures: &LoadedFigures) -> Result<()> {
        let sql = "UPDATE all_diagrams SET area = ?2, length = ?3, start_date = ?4, end_date = ?5, undated = ?6 WHERE id = ?1";
        let [start, end] = [figures.start_date, figures.end_date].map(|date| date.map(|date| date.to_string()));
        self.run(sql, params![diagram.0, figures.area, figures.length, start, end, figures.undated]).map(drop)
    }

    /// Sets the properties that this service does not know, for each feature of a diagram.
    pub fn set_loaded_properties<'p>(
        &self,
        diagram: DiagramId,
        properties: impl Iterator<Item = &'p JsonObject>,
    ) -> Result<()> {
        let sql = "SELECT key FROM features WHERE diagram = ?1 ORDER BY key";
        let keys: Vec<i64> = self.values(sql, [diagram.0])?;
        for (key, extra) in keys.into_iter().zip(properties).filter(|(_, extra)| !extra.is_empty()) {
            self.run("UPDATE features SET extra = ?2 WHERE key = ?1", params![key, to_json(extra)?])?;
        }
        Ok(())
    }

    pub fn add_loaded_tag(&self, diagram: DiagramId, tag: &str) -> Result<()> {
        let sql = "INSERT INTO diagram_tags (diagram, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.run(sql, params![diagram.0, tag]).map(drop)
    }

    pub fn insert_loaded_layer(&self, project: ProjectKey, layer: &Layer<ObjectText>) -> Result<()> {
        let sql = "INSERT INTO layers (id, project, server_type, layer_type, url, layer_name, attribution, display_name, \
                   additional_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let values = params![
            layer.id.0,
            project.0,
            text(&layer.server_type),
            text(&layer.layer_type),
            text(&layer.url),
            text(&layer.layer_name),
            text(&layer.attribution),
            text(&layer.display_name),
            layer.additional_metadata.as_ref().map_or("{}", ObjectText::text),
        ];
        self.run(sql, values).map(drop)
    }

    /// Adds a plugin to a project. One that the service already knows keeps its description.
    pub fn insert_loaded_plugin(&self, project: ProjectKey, plugin: &Plugin) -> Result<()> {
        let sql = "INSERT INTO plugins (id, description) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.run(sql, params![plugin.id, plugin.description.as_deref().unwrap_or_default()])?;
        let sql = "INSERT INTO project_plugins (project, plugin) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.run(sql, params![project.0, plugin.id]).map(drop)
    }

    /// Adds an entry at the end of the history. It cannot be undone: an archive does not contain the state before.
    pub fn insert_loaded_entry(&self, project: ProjectKey, entry: &HistoryEntry) -> Result<()> {
        let user = entry.username.as_ref().map(|name| self.author_named(name.as_str())).transpose()?;
        let HistoryEntry { subject, diagram, before, after, .. } = entry;
        let bytes: usize = [subject, before, after].into_iter().flatten().map(String::len).sum();
        let sql = "INSERT INTO history (project, number, changed_at, user, operation, subject, diagram, before, after, bytes, bytes_before) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce((SELECT bytes_before + bytes FROM history \
                   WHERE project = ?1 ORDER BY number DESC LIMIT 1), 0))";
        let (user, changed_at) = (user.map(|user| user.0), date_time_text(*entry.time));
        let values = params![
            project.0,
            entry.id.0,
            changed_at,
            user,
            entry.operation,
            subject,
            diagram.map(|diagram| diagram.0),
            before,
            after,
            bytes.cast_signed() as i64
        ];
        self.run(sql, values).map(drop)
    }

    /// Stores the origin's current picture of a diagram, made by a job there. `own_job` is its job here.
    pub fn insert_loaded_picture(&self, diagram: DiagramId, job: &Uuid, own_job: &str, png: &[u8]) -> Result<()> {
        let sql = "INSERT INTO thumbnails (job, diagram, changed_at, appearance, png) \
                   SELECT ?1, diagrams.id, changed_at, appearance, ?3 FROM diagrams JOIN projects ON projects.key = project \
                   WHERE diagrams.id = ?2 ON CONFLICT DO NOTHING";
        if self.run(sql, params![own_job, diagram.0, png])? == 0 {
            return Ok(());
        }
        let sql =
            "INSERT INTO thumbnail_batches (job, diagram, thumbnail) VALUES (lower(?1), ?2, ?3) ON CONFLICT DO NOTHING";
        self.run(sql, params![job.as_str(), diagram.0, own_job]).map(drop)
    }

    /// Adds a member to a team. `position` is the place in the list of the team's members.
    pub fn insert_loaded_team_member(&self, team: TeamId, member: &Username, position: usize) -> Result<()> {
        let sql = "INSERT INTO team_members (team, user, position) SELECT ?1, key, ?3 FROM users WHERE username = ?2 \
                   ON CONFLICT DO NOTHING";
        self.run(sql, params![team.0, member.as_str(), position as i64]).map(drop)
    }
}
