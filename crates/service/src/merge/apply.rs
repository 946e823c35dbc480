//! Carries out a plan, and notes the ids that things get here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::plan::{Action, Ids, Open, Plan, Step, id_text, id_value, merged_set};
use super::sides::{Copy, Here};
use crate::store::{
    DesignRow, Identified, MergedDiagram, Result, StoreError, SystemMap, TagRow, UserKey, Writer, new_design_id,
    new_uuid,
};
use geodesign::model::{
    Ballot, ChangeTeam, Comment, CommentEdit, DesignId, DiagramGroup, DiagramId, Impacts, LeftThing, ProjectEdit,
    Quantities, Quantity, SystemDetail, SystemEdit, SystemId, TeamEdit, TeamId, Username, Vote, WorkFields, WorkKind,
    voter,
};

/// Carries out the steps of a plan, in their order: a thing comes before others that refer to it.
pub fn apply(write: &Writer, copy: &Copy, here: &Here, plan: &mut Plan, ids: &mut Ids) -> Result<()> {
    let mut applying = Applying { write, copy, here, ids, left: Vec::new(), left_out: Vec::new() };
    for step in &mut plan.steps {
        applying.step(step)?;
    }
    plan.steps.iter().try_for_each(|step| applying.set_impacts(step))?;
    plan.left.append(&mut applying.left);
    plan.open.extend(applying.left_out.into_iter().map(|thing| (thing, Open::All)));
    Ok(())
}

struct Applying<'a> {
    write: &'a Writer<'a>,
    copy: &'a Copy,
    here: &'a Here,
    ids: &'a mut Ids,
    left: Vec<LeftThing>,
    /// Things that are not here at all, so that the archive still has them alone.
    left_out: Vec<(WorkKind, String)>,
}

impl Applying<'_> {
    fn step(&mut self, step: &mut Step) -> Result<()> {
        let Step { action, thing, base } = step;
        let id = id_text(&thing.id);
        let here = thing.here.as_ref().map(id_text).unwrap_or_default();
        let step = Known { id: &id, here: &here, fields: &thing.fields, base: base.as_ref() };
        let given = match (thing.kind, *action) {
            (WorkKind::Project, _) => self.change_project(&step)?,
            (WorkKind::System, Action::Add) => self.add_system(&step)?,
            (WorkKind::System, _) => self.change_system(&step)?,
            (WorkKind::Team, Action::Add) => self.add_team(&step)?,
            (WorkKind::Team, _) => self.change_team(&step, TeamId(number(&here)))?,
            (WorkKind::Tag, _) => self.add_tag(&step)?,
            (WorkKind::Diagram, Action::Add) => self.add_diagram(&step)?,
            (WorkKind::Diagram, Action::Remove) => self.remove_diagram(&step)?,
            (WorkKind::Diagram, _) => self.change_diagram(&step)?,
            (WorkKind::Selection, _) => self.change_selection(&step)?,
            (WorkKind::Group, _) => self.change_group(&step)?,
            (WorkKind::Design, Action::Add) => self.add_design(&step)?,
            (WorkKind::Design, Action::Remove) => self.remove_design(&step)?,
            (WorkKind::Design, _) => self.rename_design(&step)?,
            (WorkKind::Comment | WorkKind::Reply, Action::Add) => self.add_comment(thing.kind, &step)?,
            (WorkKind::Comment | WorkKind::Reply, Action::Remove) => self.remove_comment(thing.kind, &step)?,
            (WorkKind::Comment | WorkKind::Reply, _) => self.change_comment(&step)?,
            (WorkKind::Map, _) => None,
        };
        if let Some(given) = given {
            thing.here = Some(id_value(thing.kind, &given));
            self.ids.set(thing.kind, &id, given);
        }
        Ok(())
    }

    fn change_project(&self, step: &Known) -> Result<Given> {
        let Some(theirs) = self.copy.store.read(|read| read.project(self.copy.project))? else { return Ok(None) };
        let edit = ProjectEdit {
            projecttitle: theirs.projecttitle.filter(|_| step.has("projecttitle")),
            projectdesc: theirs.projectdesc.filter(|_| step.has("projectdesc")),
            currency: step.has("currency").then(|| theirs.currency.unwrap_or_default()),
            language: step.has("language").then(|| theirs.language.unwrap_or_default()),
            counted_land: step.has("counted_land").then(|| theirs.counted_land.unwrap_or_default()),
            drawings_on_constraints: step
                .has("drawings_on_constraints")
                .then(|| theirs.drawings_on_constraints.unwrap_or_default()),
        };
        self.write.edit_project(self.here.project, &edit)?;
        Ok(None)
    }

    fn change_system(&self, step: &Known) -> Result<Given> {
        let Some(theirs) = self.their_system(step)? else { return Ok(None) };
        let id = SystemId(number(step.here));
        let here = self.write.system(self.here.project, id)?.unwrap_or_default();
        let edit = SystemEdit {
            name: Some(theirs.item.name).filter(|_| step.has("name")),
            color: theirs.item.color.filter(|_| step.has("color")),
            tag: theirs.tag.filter(|_| step.has("tag")),
            verbose_description: theirs.item.verbose_description.filter(|_| step.has("verbose_description")),
            cost: theirs.cost.filter(|_| step.has("cost")),
            budget: theirs.budget.filter(|_| step.has("budget")),
            current_ha: theirs.current_ha.filter(|_| step.has("current_ha")),
            target_ha: theirs.target_ha.filter(|_| step.has("target_ha")),
            impacts: None,
            quantities: step.has("quantities").then(|| replacing(here.quantities, theirs.quantities)),
        };
        self.write.edit_system("merge", self.here.project, id, &edit)?;
        Ok(None)
    }

    /// Sets the impacts of a system that was added or whose impacts change, once all systems are here.
    fn set_impacts(&self, Step { action, thing, .. }: &Step) -> Result<()> {
        let changes = *action == Action::Add || thing.fields.iter().any(|field| field == "impacts");
        let Some(here) = thing.here.as_ref().filter(|_| thing.kind == WorkKind::System && changes) else {
            return Ok(());
        };
        let here = SystemId(number(&id_text(here)));
        let before = self.write.system(self.here.project, here)?.map(|system| system.impacts).unwrap_or_default();
        let mut impacts: Impacts = before.into_keys().map(|id| (id, 0)).collect();
        let theirs = self.theirs(WorkKind::System, &id_text(&thing.id));
        let cells = theirs.get("impacts").and_then(Value::as_object).into_iter().flatten();
        // The id of a system that is not here is no number.
        impacts.extend(cells.filter_map(|(id, impact)| Some((SystemId(id.parse().ok()?), impact.as_i64()?))));
        let edit = SystemEdit { impacts: Some(impacts), ..SystemEdit::default() };
        self.write.edit_system("merge", self.here.project, here, &edit).map(drop)
    }

    fn their_system(&self, step: &Known) -> Result<Option<SystemDetail>> {
        self.copy.store.read(|read| read.system(self.copy.project, SystemId(number(step.id))))
    }

    fn add_system(&self, step: &Known) -> Result<Given> {
        let Some(theirs) = self.their_system(step)? else { return Ok(None) };
        let SystemDetail { item, tag, cost, budget, current_ha, target_ha, quantities, .. } = theirs;
        let (name, color, verbose_description) = (Some(item.name), item.color, item.verbose_description);
        let quantities = Some(replacing(Quantities::new(), quantities));
        let new = SystemEdit {
            name,
            color,
            tag,
            verbose_description,
            cost,
            budget,
            current_ha,
            target_ha,
            impacts: None,
            quantities,
        };
        let id = SystemId(number(step.id));
        let map = self.copy.store.read(|read| read.system_map(self.copy.project, id, SystemMap::Evaluation))?;
        let map = map.as_ref().map(|map| map.geojson.0.as_str());
        let added = self.write.add_system("merge", self.here.project, &new, map)?;
        Ok(Some(added.item.id.to_string()))
    }

    fn add_team(&mut self, step: &Known) -> Result<Given> {
        let title = self.their_team(step)?.and_then(|team| team.title).unwrap_or_default();
        let team = self.write.add_team(self.here.project, None, &title)?;
        let fields = ["color", "members"].map(str::to_owned);
        self.change_team(&Known { fields: &fields, ..*step }, team)?;
        Ok(Some(team.to_string()))
    }

    fn their_team(&self, step: &Known) -> Result<Option<ChangeTeam>> {
        self.copy.store.read(|read| read.team(self.copy.project, TeamId(number(step.id))))
    }

    fn change_team(&mut self, step: &Known, team: TeamId) -> Result<Given> {
        let theirs = self.their_team(step)?;
        let members = if step.has("members") { Some(self.known_members(step)?) } else { None };
        let (title, color) = theirs.map(|theirs| (theirs.title, theirs.color)).unwrap_or_default();
        let edit = TeamEdit {
            title: title.filter(|_| step.has("title")),
            color: color.filter(|_| step.has("color")),
            members,
        };
        self.write.edit_team(self.here.project, team, &edit)?;
        Ok(None)
    }

    /// Returns a team's members after the merge, without users who are not members of the project here.
    fn known_members(&mut self, step: &Known) -> Result<Vec<Username>> {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for name in self.merged_ids(WorkKind::Team, step, "members") {
            match self.write.member(self.here.project, &name)? {
                Some(_) => known.extend(name.parse::<Username>()),
                None => unknown.push(name),
            }
        }
        if !unknown.is_empty() {
            let names = unknown.join(", ");
            self.leave(
                WorkKind::Team,
                step,
                format!("not members of the project here, so not added to the team: {names}"),
            );
        }
        Ok(known)
    }

    fn add_tag(&self, step: &Known) -> Result<Given> {
        let tags = self.copy.store.read(|read| read.tags(self.copy.project))?;
        let Some(theirs) = tags.into_iter().find(|tag| tag.id == step.id) else { return Ok(None) };
        let is_taken = self.write.taken_id(&[(Identified::Tag, theirs.id.clone())])?.is_some();
        let id = if is_taken { new_uuid()? } else { theirs.id };
        let text = |text: Option<String>| text.unwrap_or_default();
        let (tag, slug, code) = (text(theirs.tag), text(theirs.slug), text(theirs.code));
        self.write.add_merged_tag(&TagRow {
            id: &id,
            project: self.here.project,
            tag: &tag,
            slug: &slug,
            code: &code,
        })?;
        Ok(Some(id))
    }

    /// A diagram of the archive, in the system that stands for its own here. It is left where there is none.
    fn their_diagram(&mut self, step: &Known) -> Result<Option<MergedDiagram>> {
        let theirs = self.copy.store.read(|read| read.diagram_to_merge(self.copy.project, diagram_id(step.id)))?;
        let Some(mut diagram) = theirs else { return Ok(None) };
        let Some(system) = self.ids.here(WorkKind::System, &diagram.system.to_string()) else {
            self.leave_out(WorkKind::Diagram, step, "its system is not here");
            return Ok(None);
        };
        diagram.system = SystemId(number(system));
        Ok(Some(diagram))
    }

    fn add_diagram(&mut self, step: &Known) -> Result<Given> {
        let Some(diagram) = self.their_diagram(step)? else { return Ok(None) };
        let author = self.person(&diagram.author)?;
        let tags = self.merged_ids(WorkKind::Diagram, step, "tags");
        let (project, wanted) = (self.here.project, diagram_id(step.id));
        let id = self.write.add_merged_diagram(project, wanted, author, &diagram, tags)?;
        let fields: Vec<String> = self.theirs(WorkKind::Diagram, step.id).into_keys().collect();
        self.change_votes(&Known { fields: &fields, ..*step }, id)?;
        Ok(Some(id.to_string()))
    }

    fn change_diagram(&mut self, step: &Known) -> Result<Given> {
        let Some(diagram) = self.their_diagram(step)? else { return Ok(None) };
        let tags = self.merged_ids(WorkKind::Diagram, step, "tags");
        let id = diagram_id(step.here);
        let fields: Vec<String> = step.fields.iter().filter(|field| voter(field).is_none()).cloned().collect();
        if !fields.is_empty() {
            self.write.change_merged_diagram(self.here.project, id, &diagram, &fields, tags)?;
        }
        self.change_votes(step, id)?;
        Ok(None)
    }

    /// Casts and withdraws the votes among the fields of a step. A vote by the operator of a copy is the vote of the user who merges it.
    fn change_votes(&mut self, step: &Known, diagram: DiagramId) -> Result<()> {
        let voters: Vec<&str> = step.fields.iter().filter_map(|field| voter(field)).collect();
        if voters.is_empty() {
            return Ok(());
        }
        let votes = self.copy.store.read(|read| read.votes_on(diagram_id(step.id)))?;
        for name in voters {
            let user = match self.write.member(self.here.project, name)? {
                Some(user) => user,
                None if self.here.stands_for(name) => self.here.user,
                None => {
                    let reason = format!("{name} is not a member of the project here, so the vote is left out");
                    self.leave(WorkKind::Diagram, step, reason);
                    continue;
                }
            };
            match votes.iter().find(|vote| vote.username.as_str() == name) {
                Some(Vote { vote, comment, .. }) => {
                    let ballot = Ballot { vote: *vote, comment: comment.clone() };
                    self.write.set_vote(self.here.project, user, diagram, &ballot)?;
                }
                None => self.write.withdraw_vote(self.here.project, user, diagram).map(drop)?,
            }
        }
        Ok(())
    }

    fn change_group(&self, step: &Known) -> Result<Given> {
        let diagrams = self.still_here(&self.merged_ids(WorkKind::Group, step, "diagrams"))?;
        let group = DiagramGroup { group_name: step.id.to_owned(), diagrams };
        self.write.set_groups(self.here.project, &[group])?;
        Ok(Some(step.id.to_owned()))
    }

    fn remove_diagram(&self, step: &Known) -> Result<Given> {
        self.write.remove_diagram(self.here.project, diagram_id(step.here))?;
        Ok(None)
    }

    fn change_selection(&self, step: &Known) -> Result<Given> {
        let diagrams = self.still_here(&self.merged_ids(WorkKind::Selection, step, "diagrams"))?;
        if let Ok(member) = step.here.parse() {
            self.write.set_selection(self.here.project, &member, &diagrams)?;
        }
        Ok(None)
    }

    /// Returns those of the diagrams that still exist here.
    fn still_here(&self, ids: &[String]) -> Result<Vec<DiagramId>> {
        let mut found = Vec::new();
        for id in ids.iter().map(|id| diagram_id(id)) {
            if self.write.has_diagram(self.here.project, id)? {
                found.push(id);
            }
        }
        Ok(found)
    }

    fn add_design(&mut self, step: &Known) -> Result<Given> {
        let Ok(id) = step.id.parse::<DesignId>() else { return Ok(None) };
        let theirs = self.theirs(WorkKind::Design, step.id);
        let team = theirs.get("team").and_then(Value::as_i64).map(TeamId).filter(|team| team.0 > 0);
        let Some(team) = team else {
            self.leave_out(WorkKind::Design, step, "its team is not here");
            return Ok(None);
        };
        let their_team = self.copy.work.get(&WorkKind::Design).and_then(|designs| designs.get(step.id)?.get("team"));
        let their_team = TeamId(their_team.and_then(Value::as_i64).unwrap_or_default());
        let told = self.copy.store.read(|read| {
            let details = read.design(self.copy.project, their_team, &id)?;
            Ok(details.map(|details| (details, read.design_diagram_ids(&id))))
        })?;
        let Some((details, diagrams)) = told else { return Ok(None) };
        let here = |id: DiagramId| self.ids.here(WorkKind::Diagram, &id.to_string()).map(str::to_owned);
        let wanted: Vec<Option<String>> = diagrams?.into_iter().map(here).collect();
        let known: Vec<String> = wanted.iter().flatten().cloned().collect();
        let diagrams = self.still_here(&known)?;
        if diagrams.len() < wanted.len() {
            let lost = wanted.len() - diagrams.len();
            self.leave(
                WorkKind::Design,
                step,
                format!("{lost} of its diagrams are not here, so the design leaves them out"),
            );
        }
        let is_taken = self.write.taken_id(&[(Identified::Design, id.to_string())])?.is_some();
        let id = if is_taken { new_design_id()? } else { id };
        let created = details.creationdate.map_or_else(|| "1970-01-01T00:00:00".to_owned(), |date| date.to_string());
        let row = DesignRow {
            id: &id,
            team,
            creationdate: &created,
            description: details.description.as_deref().unwrap_or_default(),
            diagrams: &diagrams,
        };
        self.write.add_merged_design(self.here.project, &row)?;
        Ok(Some(id.to_string()))
    }

    fn rename_design(&self, step: &Known) -> Result<Given> {
        let (Ok(here), Ok(theirs)) = (step.here.parse::<DesignId>(), step.id.parse::<DesignId>()) else {
            return Ok(None);
        };
        let told = self.copy.work.get(&WorkKind::Design).and_then(|designs| designs.get(step.id)?.get("team"));
        let team = TeamId(told.and_then(Value::as_i64).unwrap_or_default());
        let details = self.copy.store.read(|read| read.design(self.copy.project, team, &theirs))?;
        let title = details.and_then(|details| details.description).unwrap_or_default();
        self.write.rename_design(self.here.project, self.team_of(step), &here, &title)?;
        Ok(None)
    }

    fn remove_design(&self, step: &Known) -> Result<Given> {
        if let Ok(design) = step.here.parse() {
            self.write.remove_design(self.here.project, self.team_of(step), &design)?;
        }
        Ok(None)
    }

    /// The team of a design here.
    fn team_of(&self, step: &Known) -> TeamId {
        let ours = self.here.work.get(&WorkKind::Design).and_then(|designs| designs.get(step.here)?.get("team"));
        TeamId(ours.and_then(Value::as_i64).unwrap_or_default())
    }

    fn their_comment(&self, step: &Known) -> Result<Option<Comment>> {
        let Ok(id) = step.id.parse() else { return Ok(None) };
        self.copy.store.read(|read| read.comment(self.copy.project, &id))
    }

    /// Adds a comment, also on a diagram that was removed here: it is shown once the diagram is restored.
    fn add_comment(&mut self, kind: WorkKind, step: &Known) -> Result<Given> {
        let Some(theirs) = self.their_comment(step)? else { return Ok(None) };
        let is_taken = self.write.taken_id(&[(Identified::Comment, theirs.id.to_string())])?.is_some();
        let here = |kind, id: String| self.ids.here(kind, &id).unwrap_or(&id).to_owned();
        let comment = Comment {
            id: if is_taken { new_uuid()?.parse().map_err(StoreError::content)? } else { theirs.id.clone() },
            diagram: theirs.diagram.map(|id| diagram_id(&here(WorkKind::Diagram, id.to_string()))),
            design: theirs.design.as_ref().and_then(|id| here(WorkKind::Design, id.to_string()).parse().ok()),
            reply_to: theirs.reply_to.as_ref().and_then(|id| here(WorkKind::Comment, id.to_string()).parse().ok()),
            ..theirs
        };
        if !self.write.has_subject(self.here.project, &comment)? {
            self.leave_out(kind, step, "its subject is not here");
            return Ok(None);
        }
        let author = self.person(&comment.author)?;
        let resolved_by = comment.resolved_by.as_deref().map(|name| self.person(name)).transpose()?;
        let asked = comment.asked.iter().map(|name| self.person(name)).collect::<Result<Vec<_>>>()?;
        self.write.add_merged_comment(self.here.project, author, resolved_by, &asked, &comment)?;
        Ok(Some(comment.id.to_string()))
    }

    /// The user here of this name in the copy.
    fn person(&self, name: &str) -> Result<UserKey> {
        if self.here.stands_for(name) { Ok(self.here.user) } else { self.write.author_named(name) }
    }

    fn change_comment(&self, step: &Known) -> Result<Given> {
        let (Some(theirs), Some(ours)) = (self.their_comment(step)?, self.our_comment(step)?) else { return Ok(None) };
        let edit = CommentEdit {
            text: Some(theirs.text).filter(|_| step.has("text")),
            resolved: Some(theirs.resolved).filter(|_| step.has("resolved")),
        };
        let resolver = self.person(theirs.resolved_by.as_deref().unwrap_or(self.here.username.as_str()))?;
        self.write.edit_comment(self.here.project, resolver, &ours, &edit)?;
        Ok(None)
    }

    fn our_comment(&self, step: &Known) -> Result<Option<Comment>> {
        step.here.parse().map_or(Ok(None), |id| self.write.comment(self.here.project, &id))
    }

    fn remove_comment(&mut self, kind: WorkKind, step: &Known) -> Result<Given> {
        let Some(ours) = self.our_comment(step)? else { return Ok(None) };
        if self.write.replies_to(&ours.id)? > 0 {
            self.leave(kind, step, "it has replies here".to_owned());
        } else {
            self.write.delete_comment(self.here.project, &ours)?;
        }
        Ok(None)
    }

    /// The fields of a thing in the archive, with the ids that things have here.
    fn theirs(&self, kind: WorkKind, id: &str) -> WorkFields {
        let fields = self.copy.work.get(&kind).and_then(|things| things.get(id));
        fields.map(|fields| self.ids.translated(kind, fields)).unwrap_or_default()
    }

    /// The ids in a list after the merge.
    fn merged_ids(&self, kind: WorkKind, step: &Known, field: &str) -> Vec<String> {
        let theirs = self.theirs(kind, step.id);
        let ours = self.here.work.get(&kind).and_then(|things| things.get(step.here)?.get(field));
        let base = step.base.and_then(|base| base.get(field));
        let merged = merged_set(base, ours.unwrap_or(&Value::Null), theirs.get(field).unwrap_or(&Value::Null));
        merged.as_array().into_iter().flatten().map(id_text).collect()
    }

    fn leave_out(&mut self, kind: WorkKind, step: &Known, reason: &str) {
        self.left_out.push((kind, step.id.to_owned()));
        self.leave(kind, step, reason.to_owned());
    }

    fn leave(&mut self, kind: WorkKind, step: &Known, reason: String) {
        let title = self.theirs(kind, step.id).get("title").and_then(Value::as_str).unwrap_or(step.id).to_owned();
        self.left.push(LeftThing { kind, id: id_value(kind, step.id), title, reason });
    }
}

/// The id here of something that was added.
type Given = Option<String>;

/// The subject of a step: its ids in the archive and here, the fields to change, and the state that both sides began with.
#[derive(Clone, Copy)]
struct Known<'s> {
    id: &'s str,
    here: &'s str,
    fields: &'s [String],
    base: Option<&'s WorkFields>,
}

impl Known<'_> {
    fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|known| known == field)
    }
}

/// An id as a number. The ids of the archive were numbers when it was loaded.
fn number(id: &str) -> i64 {
    id.parse().unwrap_or_default()
}

fn diagram_id(id: &str) -> DiagramId {
    DiagramId(number(id))
}

/// An edit that leaves exactly `new`.
fn replacing(old: Quantities, new: Quantities) -> BTreeMap<String, Option<Quantity>> {
    let mut edit: BTreeMap<String, Option<Quantity>> = old.into_keys().map(|name| (name, None)).collect();
    edit.extend(new.into_iter().map(|(name, quantity)| (name, Some(quantity))));
    edit
}
