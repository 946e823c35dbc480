//! Plans a merge: each thing of the archive is compared with the same thing here, and with the state that both began with.
//!
//! A change in the archive alone is brought here, a change here alone stays, and the same change on both sides needs nothing. Different
//! changes on both sides are a conflict. Lists of ids (members, tags, selected diagrams) are compared id by id, and have no conflicts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::mem;

use serde_json::{Value, json};

use super::sides::{Copy, Here};
use crate::store::{IdsHere, Merged, OF_SYSTEM};
use geodesign::model::{
    Activity, ConflictingValues, LeftThing, MergeConflict, MergedThing, Preference, Work, WorkFields, WorkKind, voter,
};

/// The fields that are lists of ids.
const SETS: [(WorkKind, &str); 4] = [
    (WorkKind::Team, "members"),
    (WorkKind::Diagram, "tags"),
    (WorkKind::Selection, "diagrams"),
    (WorkKind::Group, "diagrams"),
];
/// Stands in for a field where a side has removed the thing.
pub const REMOVED: &str = "removed";

/// The steps to take, and the things to leave out.
#[derive(Debug, Default)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub conflicts: Vec<MergeConflict>,
    pub left: Vec<LeftThing>,
    /// Fields, or whole things, of the archive that were not brought here and are still undecided.
    pub open: BTreeMap<(WorkKind, String), Open>,
}

/// One thing that changes here.
#[derive(Debug, Clone)]
pub struct Step {
    pub action: Action,
    /// The thing, with its id in the archive and, if it has one, its id here.
    pub thing: MergedThing,
    /// The state that both sides began with.
    pub base: Option<WorkFields>,
}

impl Step {
    /// The activities that must be open before members may take this step.
    pub fn activities(&self) -> impl Iterator<Item = Activity> {
        let votes = self.thing.fields.iter().filter(|field| voter(field).is_some()).count();
        let (draws, votes) = (votes == 0 || votes < self.thing.fields.len(), votes > 0);
        let activities = match self.thing.kind {
            WorkKind::Diagram => [draws.then_some(Activity::Drawing), votes.then_some(Activity::Selecting)],
            WorkKind::Selection => [Some(Activity::Selecting), None],
            WorkKind::Design => [Some(Activity::Designing), None],
            WorkKind::Comment | WorkKind::Reply => [Some(Activity::Commenting), None],
            _ => [None, None],
        };
        activities.into_iter().flatten()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Add,
    Change,
    /// Bring back a thing that was removed here.
    Restore,
    Remove,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    All,
    Fields(BTreeSet<String>),
}

/// The ids here of the things in the archive.
#[derive(Debug, Clone, Default)]
pub struct Ids {
    known: IdsHere,
}

impl Ids {
    pub fn here(&self, kind: WorkKind, id: &str) -> Option<&str> {
        self.known.get(&kind)?.get(id).map(String::as_str)
    }

    pub fn set(&mut self, kind: WorkKind, id: &str, here: String) {
        self.known.entry(kind).or_default().insert(id.to_owned(), here);
    }

    /// Ids that differ between the archive and the project here.
    pub fn different(&self) -> IdsHere {
        let differing = |ids: &BTreeMap<String, String>| -> BTreeMap<String, String> {
            ids.iter().filter(|(id, here)| id != here).map(|(id, here)| (id.clone(), here.clone())).collect()
        };
        let kinds = self.known.iter().map(|(kind, ids)| (*kind, differing(ids)));
        kinds.filter(|(_, ids)| !ids.is_empty()).collect()
    }

    /// Fields of the archive with the ids that things have here. Ids of things that are still to be added stay, as a string.
    pub fn translated(&self, kind: WorkKind, fields: &WorkFields) -> WorkFields {
        let mut fields = fields.clone();
        let references: &[(&str, WorkKind)] = match kind {
            WorkKind::System => &[("impacts", WorkKind::System)],
            WorkKind::Diagram => &[("system", WorkKind::System), ("tags", WorkKind::Tag)],
            WorkKind::Selection | WorkKind::Group => &[("diagrams", WorkKind::Diagram)],
            WorkKind::Design => &[("team", WorkKind::Team), ("diagrams", WorkKind::Diagram)],
            WorkKind::Comment | WorkKind::Reply => {
                &[("diagram", WorkKind::Diagram), ("design", WorkKind::Design), ("reply_to", WorkKind::Comment)]
            }
            _ => &[],
        };
        for (field, referred) in references {
            let Some(value) = fields.get_mut(*field) else { continue };
            match value {
                Value::Array(ids) => {
                    ids.iter_mut().for_each(|id| *id = self.reference(*referred, id));
                    ids.sort_by_key(sorting);
                }
                Value::Object(cells) => {
                    let cells_here = mem::take(cells).into_iter();
                    *cells =
                        cells_here.map(|(id, cell)| (id_text(&self.reference(*referred, &id.into())), cell)).collect();
                }
                Value::Null => {}
                id => *id = self.reference(*referred, id),
            }
        }
        fields
    }

    fn reference(&self, kind: WorkKind, id: &Value) -> Value {
        let text = id_text(id);
        match self.here(kind, &text) {
            Some(here) => id_value(kind, here),
            None => format!("{} {text} of the archive", kind.name()).into(),
        }
    }
}

/// A key for sorting: numbers by their value, before strings.
fn sorting(value: &Value) -> (i64, String) {
    (value.as_i64().unwrap_or(i64::MAX), value.as_str().unwrap_or_default().to_owned())
}

pub fn id_text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// An id in JSON: a number or a string.
pub fn id_value(kind: WorkKind, id: &str) -> Value {
    match id.parse::<i64>() {
        Ok(number) if kind.is_numbered() => number.into(),
        _ => id.into(),
    }
}

/// The state that both sides began with, and the merges since.
pub struct Bases<'b> {
    /// The state that both have in common. Its ids are the same here.
    pub common: &'b Work,
    /// The states between that one and the archive, oldest first, each with the earlier merge from its service.
    pub between: Vec<(&'b Work, Option<Merged>)>,
    pub merged: Option<&'b Merged>,
}

impl Bases<'_> {
    /// The ids here of all things of the archive that are here already, or were.
    pub fn ids(&self, archive: &Work, here: &Work) -> Ids {
        let mut ids = Ids::default();
        let common = |kind, id: &str| self.common.get(&kind).is_some_and(|things| things.contains_key(id));
        for (&kind, things) in archive {
            for (id, fields) in things {
                let found = if common(kind, id) { Some(id.clone()) } else { self.added_earlier(kind, id) };
                let found = found.or_else(|| match kind {
                    WorkKind::Map => map_here(id, &ids),
                    _ => Self::equal(kind, id, fields, here),
                });
                found.into_iter().for_each(|found| ids.set(kind, id, found));
            }
        }
        ids
    }

    /// The id here of something that was added in a copy, and was merged from it.
    fn added_earlier(&self, kind: WorkKind, id: &str) -> Option<String> {
        let first = self.between.iter().find(|(work, _)| work.get(&kind).is_some_and(|things| things.contains_key(id)));
        let merged = match first {
            Some((_, merged)) => merged.as_ref(),
            None => self.merged,
        };
        merged?.id_here(kind, id).map(str::to_owned)
    }

    /// The id here of an equal thing, for things whose ids are not numbers that both sides count: by a random id or a name, and systems,
    /// teams and tags by their titles.
    fn equal(kind: WorkKind, id: &str, fields: &WorkFields, here: &Work) -> Option<String> {
        let things = here.get(&kind)?;
        if !matches!(kind, WorkKind::Diagram | WorkKind::Team | WorkKind::System) && things.contains_key(id) {
            return Some(id.to_owned());
        }
        let names: &[&str] = match kind {
            WorkKind::Team => &["title"],
            WorkKind::System => &["name"],
            WorkKind::Tag => &["tag", "code"],
            _ => return None,
        };
        let is_equal = |other: &WorkFields| names.iter().all(|name| other.get(*name) == fields.get(*name));
        things.iter().find(|(_, other)| is_equal(other)).map(|(id, _)| id.clone())
    }

    /// The state of a thing when the two sides were last the same, with the ids here.
    pub fn of(&self, kind: WorkKind, id: &str, id_here: Option<&str>, ids: &Ids) -> Option<WorkFields> {
        let last =
            |merged: Option<&Merged>| -> Option<Option<WorkFields>> { merged?.work.get(&kind)?.get(id_here?).cloned() };
        if let Some(state) = last(self.merged) {
            return state;
        }
        for (work, merged) in self.between.iter().rev() {
            let Some(state) = work.get(&kind).and_then(|things| things.get(id)) else { continue };
            let state = ids.translated(kind, state);
            if last(merged.as_ref()) == Some(Some(state.clone())) {
                return Some(state);
            }
        }
        self.common.get(&kind).and_then(|things| things.get(id)).cloned()
    }
}

/// The id here of a map, which for the map of a system names the system; `None` if the system is not here.
fn map_here(id: &str, ids: &Ids) -> Option<String> {
    let Some((map, system)) = id.rsplit_once(OF_SYSTEM) else { return Some(id.to_owned()) };
    Some(format!("{map}{OF_SYSTEM}{}", ids.here(WorkKind::System, system)?))
}

/// Compares the archive with the project here.
pub fn plan(copy: &Copy, here: &Here, bases: &Bases, ids: &Ids, prefer: Option<Preference>) -> Plan {
    let diagrams = copy.work.get(&WorkKind::Diagram).into_iter().flat_map(BTreeMap::keys);
    let archived_diagrams = diagrams.filter_map(|id| ids.here(WorkKind::Diagram, id)).map(str::to_owned).collect();
    let mut planning = Planning { copy, here, archived_diagrams, prefer, plan: Plan::default() };
    for kind in WorkKind::ALL {
        let in_archive = copy.work.get(&kind);
        let mut archived: BTreeSet<&str> = BTreeSet::new();
        archived.extend(in_archive.into_iter().flat_map(BTreeMap::keys).map(String::as_str));
        archived.extend(bases.common.get(&kind).into_iter().flat_map(BTreeMap::keys).map(String::as_str));
        let earlier = earlier_ids(kind, bases);
        archived.extend(earlier.keys().map(String::as_str));
        for id in archived {
            let id_here = ids.here(kind, id).or_else(|| earlier.get(id).map(String::as_str));
            let id_here = id_here.or_else(|| bases.common.get(&kind)?.contains_key(id).then_some(id));
            let base = bases.of(kind, id, id_here, ids);
            let theirs = in_archive.and_then(|things| things.get(id)).map(|fields| ids.translated(kind, fields));
            planning.compare(Compared { kind, id, id_here, base, theirs });
        }
    }
    let mut plan = planning.plan;
    // Replies go before the comments that they answer.
    plan.steps.sort_by_key(|step| (step.thing.kind, step.action) != (WorkKind::Reply, Action::Remove));
    plan
}

/// The archive's ids of things that were merged from the copy earlier, each with the id here. The archive may no longer have them.
fn earlier_ids(kind: WorkKind, bases: &Bases) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let Some(merged) = bases.merged else { return found };
    let renamed = merged.ids.get(&kind);
    let new_ids: HashSet<&String> = renamed.into_iter().flat_map(BTreeMap::values).collect();
    found.extend(renamed.into_iter().flatten().map(|(id, here)| (id.clone(), here.clone())));
    let others = merged.work.get(&kind).into_iter().flat_map(BTreeMap::keys).filter(|id| !new_ids.contains(id));
    for id in others {
        found.entry(id.clone()).or_insert_with(|| id.clone());
    }
    found
}

struct Compared<'i> {
    kind: WorkKind,
    id: &'i str,
    id_here: Option<&'i str>,
    base: Option<WorkFields>,
    theirs: Option<WorkFields>,
}

struct Planning<'p> {
    copy: &'p Copy,
    here: &'p Here,
    /// The ids here of the diagrams in the archive.
    archived_diagrams: HashSet<String>,
    prefer: Option<Preference>,
    plan: Plan,
}

impl Planning<'_> {
    fn compare(&mut self, mut thing: Compared) {
        thing.base = self.without_removed_diagrams(thing.kind, thing.base);
        let ours = thing.id_here.and_then(|id| self.here.work.get(&thing.kind)?.get(id)).cloned();
        if thing.theirs.is_none() && matches!(thing.kind, WorkKind::Project | WorkKind::Selection | WorkKind::Map) {
            // A person who is not a member of the copy, or a map that it lacks, is nobody's work.
            return;
        }
        if thing.kind == WorkKind::Map && thing.id_here.is_none() {
            // The system that is added brings its maps.
            return;
        }
        if thing.theirs.is_none() && self.went_with_its_subject(&thing) {
            return;
        }
        match (&thing.base, ours, &thing.theirs) {
            (_, None, None) | (None, Some(_), None) => {}
            (None, None, Some(theirs)) if is_empty_selection(thing.kind, theirs) => {}
            (None, None, Some(_)) if thing.id_here.is_none() => self.step(Action::Add, &thing, Vec::new()),
            (base, None, Some(theirs)) if base.as_ref() != Some(theirs) => {
                let base = base.clone().unwrap_or_default();
                let removed = ConflictingValues { before: false.into(), here: true.into(), archive: false.into() };
                let fields: Vec<String> = differing(&base, theirs);
                self.conflict(
                    &thing,
                    BTreeMap::from([(REMOVED.to_owned(), removed)]),
                    Action::Restore,
                    fields,
                    Vec::new(),
                );
            }
            (Some(_) | None, None, Some(_)) => {}
            (Some(base), Some(ours), None) if is_same(thing.kind, base, &ours) => {
                self.step(Action::Remove, &thing, Vec::new())
            }
            (Some(_), Some(_), None) => {
                let removed = ConflictingValues { before: false.into(), here: false.into(), archive: true.into() };
                self.conflict(
                    &thing,
                    BTreeMap::from([(REMOVED.to_owned(), removed)]),
                    Action::Remove,
                    Vec::new(),
                    Vec::new(),
                );
            }
            (base, Some(ours), Some(theirs)) => self.compare_fields(&thing, base.as_ref(), &ours, theirs),
        }
    }

    fn compare_fields(&mut self, thing: &Compared, base: Option<&WorkFields>, ours: &WorkFields, theirs: &WorkFields) {
        let (mut changed, mut both) = (Vec::new(), BTreeMap::new());
        let nothing = Value::Null;
        // All fields but votes are on both sides.
        let withdrawn = base.into_iter().flatten().filter(|(name, _)| !theirs.contains_key(*name));
        let withdrawn = withdrawn.map(|(name, _)| (name, &nothing));
        for (name, theirs) in theirs.iter().chain(withdrawn) {
            let ours = ours.get(name).unwrap_or(&nothing);
            let base = base.map(|base| base.get(name).unwrap_or(&nothing));
            if is_set(thing.kind, name) {
                if merged_set(base, ours, theirs) != *ours {
                    changed.push(name.clone());
                }
            } else if theirs == ours || base == Some(theirs) {
                // Nothing to bring.
            } else if base == Some(ours) {
                changed.push(name.clone());
            } else {
                let before = base.cloned().unwrap_or_default();
                both.insert(name.clone(), ConflictingValues { before, here: ours.clone(), archive: theirs.clone() });
            }
        }
        if both.is_empty() {
            if !changed.is_empty() {
                self.step(Action::Change, thing, changed);
            }
            return;
        }
        let all = changed.iter().chain(both.keys()).cloned().collect();
        self.conflict(thing, both, Action::Change, all, changed);
    }

    /// The state that both sides began with, without the diagrams that the archive lacks: losing them does not count as a change of a
    /// design or a selection.
    fn without_removed_diagrams(&self, kind: WorkKind, base: Option<WorkFields>) -> Option<WorkFields> {
        let mut base = base?;
        if let (WorkKind::Design | WorkKind::Selection | WorkKind::Group, Some(Value::Array(ids))) =
            (kind, base.get_mut("diagrams"))
        {
            ids.retain(|id| self.archived_diagrams.contains(&id_text(id)));
        }
        Some(base)
    }

    /// True for a comment whose diagram or design the archive lacks: it was not removed by itself.
    fn went_with_its_subject(&self, thing: &Compared) -> bool {
        let is_comment = matches!(thing.kind, WorkKind::Comment | WorkKind::Reply);
        let Some(base) = thing.base.as_ref().filter(|_| is_comment) else { return false };
        let subject = |field: &str| base.get(field).filter(|id| !id.is_null()).map(id_text);
        let has_design = |id: String| self.copy.work.get(&WorkKind::Design).is_some_and(|all| all.contains_key(&id));
        subject("diagram").is_some_and(|id| !self.archived_diagrams.contains(&id))
            || subject("design").is_some_and(|id| !has_design(id))
    }

    /// Notes a thing that both sides changed. `all` are the fields that the archive would change, `sure` those that it changed alone.
    fn conflict(
        &mut self,
        thing: &Compared,
        fields: BTreeMap<String, ConflictingValues>,
        action: Action,
        all: Vec<String>,
        sure: Vec<String>,
    ) {
        let is_removal = fields.contains_key(REMOVED);
        let names: BTreeSet<String> = fields.keys().cloned().collect();
        let MergedThing { kind, id, here, title, .. } = self.thing(thing, Vec::new());
        self.plan.conflicts.push(MergeConflict { kind, id, here, title, fields, preferred: self.prefer });
        match self.prefer {
            Some(Preference::Archive) => return self.step(action, thing, all),
            Some(Preference::Here) => {}
            None => {
                let open = if is_removal { Open::All } else { Open::Fields(names) };
                self.plan.open.insert((thing.kind, thing.id.to_owned()), open);
            }
        }
        if !sure.is_empty() {
            self.step(Action::Change, thing, sure);
        }
    }

    /// Notes a change to bring here: the archive changed the thing alone, or is preferred.
    fn step(&mut self, action: Action, thing: &Compared, fields: Vec<String>) {
        let described = self.thing(thing, fields);
        match self.refusal(action, thing, &described) {
            None => self.plan.steps.push(Step { action, thing: described, base: thing.base.clone() }),
            Some(_) if self.prefer == Some(Preference::Here) => {}
            Some(reason) => {
                let MergedThing { kind, id, title, .. } = described;
                self.plan.left.push(LeftThing { kind, id, title, reason });
                self.plan.open.insert((thing.kind, thing.id.to_owned()), Open::All);
            }
        }
    }

    fn thing(&self, thing: &Compared, fields: Vec<String>) -> MergedThing {
        let ours = thing.id_here.and_then(|id| self.here.work.get(&thing.kind)?.get(id));
        let title = |fields: &WorkFields| {
            let names = ["title", "name", "tag", "projecttitle", "text"];
            names.iter().find_map(|name| fields.get(*name)).and_then(Value::as_str).map(str::to_owned)
        };
        let known = thing.theirs.as_ref().or(ours).and_then(title);
        MergedThing {
            kind: thing.kind,
            id: id_value(thing.kind, thing.id),
            here: thing.id_here.map(|id| id_value(thing.kind, id)),
            title: known.unwrap_or_else(|| thing.id.to_owned()),
            fields,
        }
    }

    /// The reason why a change is not brought here; `None` if it is.
    fn refusal(&self, action: Action, thing: &Compared, described: &MergedThing) -> Option<String> {
        let (here, kind) = (self.here, thing.kind);
        let may = |is_allowed: bool, who: &str| (!is_allowed).then(|| format!("only {who} may merge this"));
        let not_brought = || Some("merging does not include this; make the change here".to_owned());
        let administrator = || may(here.is_administrator, "an administrator of the project");
        match (kind, action) {
            (WorkKind::Project, Action::Change) => administrator(),
            (WorkKind::System | WorkKind::Team, Action::Add | Action::Change) => administrator(),
            (WorkKind::Tag, Action::Add) => None,
            (WorkKind::Diagram, Action::Add) => {
                let author = self.copy.author(thing.id);
                may(here.is_administrator || here.stands_for(&author), &format!("{author} or an administrator"))
            }
            (WorkKind::Diagram, Action::Change) if described.fields.iter().all(|field| voter(field).is_some()) => {
                let mut voters = described.fields.iter().filter_map(|field| voter(field));
                let are_own = voters.all(|name| here.stands_for(name));
                may(here.is_administrator || are_own, "the voter or an administrator")
            }
            (WorkKind::Diagram, Action::Change | Action::Remove | Action::Restore) => {
                let is_own = thing.id_here.is_some_and(|id| here.own_diagrams.contains(id));
                may(here.is_administrator || is_own, "its author or an administrator")
            }
            (WorkKind::Selection, Action::Change) => {
                may(here.is_administrator || here.stands_for(thing.id), "that member or an administrator")
            }
            (WorkKind::Selection, Action::Remove) => None,
            (WorkKind::Selection, Action::Add) => Some("the member does not exist here".to_owned()),
            (WorkKind::Group, Action::Add | Action::Change | Action::Remove) => None,
            (WorkKind::Design, Action::Add | Action::Remove) => self.of_team(thing),
            (WorkKind::Design, Action::Change) if described.fields.iter().all(|field| field == "title") => {
                self.of_team(thing)
            }
            (WorkKind::Comment | WorkKind::Reply, Action::Add) => {
                let author = thing.theirs.as_ref().and_then(author_in).unwrap_or_default();
                may(here.is_administrator || here.stands_for(author), &format!("{author} or an administrator"))
            }
            (WorkKind::Comment, Action::Change) if described.fields.iter().all(|field| field == "resolved") => {
                let may_resolve = thing.id_here.is_some_and(|id| here.own_threads.contains(id));
                may(here.is_administrator || may_resolve, "its author, those asked or an administrator")
            }
            (WorkKind::Comment | WorkKind::Reply, Action::Change | Action::Remove) => {
                let ours = thing.id_here.and_then(|id| here.work.get(&kind)?.get(id));
                let is_own = ours.and_then(author_in) == Some(here.username.as_str());
                may(here.is_administrator || is_own, "its author or an administrator")
            }
            _ => not_brought(),
        }
    }

    fn of_team(&self, thing: &Compared) -> Option<String> {
        let ours = thing.id_here.and_then(|id| self.here.work.get(&thing.kind)?.get(id));
        let team = thing.theirs.as_ref().or(ours).and_then(|fields| fields.get("team")).map(id_text);
        let is_member = team.is_some_and(|team| self.here.own_teams.contains(&team));
        let may = self.here.is_administrator || is_member;
        (!may).then(|| "only a member of its team or an administrator may merge this".to_owned())
    }
}

fn author_in(comment: &WorkFields) -> Option<&str> {
    comment.get("author").and_then(Value::as_str)
}

fn is_empty_selection(kind: WorkKind, fields: &WorkFields) -> bool {
    kind == WorkKind::Selection && fields.values().all(|ids| ids.as_array().is_some_and(Vec::is_empty))
}

/// True if a thing is unchanged here. A design that only lost removed diagrams counts as unchanged.
fn is_same(kind: WorkKind, base: &WorkFields, ours: &WorkFields) -> bool {
    let is_unchanged = |(name, value): (&String, &Value)| {
        (kind == WorkKind::Design && name == "diagrams") || ours.get(name) == Some(value)
    };
    let is_new_vote = |name: &String| voter(name).is_some() && !base.contains_key(name);
    base.iter().all(is_unchanged) && !ours.keys().any(is_new_vote)
}

fn differing(base: &WorkFields, theirs: &WorkFields) -> Vec<String> {
    theirs.iter().filter(|(name, value)| base.get(*name) != Some(value)).map(|(name, _)| name.clone()).collect()
}

pub fn is_set(kind: WorkKind, field: &str) -> bool {
    SETS.contains(&(kind, field))
}

/// The ids here, with those that the archive added and without those that it removed.
pub fn merged_set(base: Option<&Value>, ours: &Value, theirs: &Value) -> Value {
    fn ids(value: &Value) -> &[Value] {
        value.as_array().map(Vec::as_slice).unwrap_or_default()
    }
    let base = base.map(ids).unwrap_or_default();
    let was_removed = |id: &Value| base.contains(id) && !ids(theirs).contains(id);
    let mut merged: Vec<Value> = ids(ours).iter().filter(|id| !was_removed(id)).cloned().collect();
    let added = ids(theirs).iter().filter(|id| !base.contains(id) && !ids(ours).contains(id));
    merged.extend(added.cloned());
    merged.sort_by_key(sorting);
    json!(merged)
}
