//! Writing an archived project into a database, as the rows of a project of this service.

use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::content::{ArchivedDiagram, ArchivedSystem, ArchivedTeam, Content};
use super::problem::{IsInterrupted, LoadProblem, check};
use crate::store::{
    Author, DesignRow, DiagramContent, DiagramFilter, DiagramRow, DiagramState, FeatureRow, Identified, Loadable,
    LoadedFigures, LoadedThing, ProjectKey, ProjectRow, StoreError, SystemRow, TagRow, Writer, told_beside,
};
use geodesign::model::{
    ChangeTeam, Date, Design, Diagram, DiagramGroup, DiagramId, DiagramKind, JsonObject, Layer, ObjectText,
    Stakeholder, SystemDetail, Tag, TeamEdit, Username, Uuid,
};
use geodesign_common::digest::sha256;
use geodesign_geometry::Measure;

/// Stands in for dates that a database needs and an archive lacks.
const UNKNOWN_DAY: jiff::civil::Date = jiff::civil::date(1970, 1, 1);
const NO_FEATURES: &str = r#"{"type":"FeatureCollection","features":[]}"#;

/// A picture of a diagram from the time when the project was archived.
#[derive(Debug)]
pub struct Picture {
    pub diagram: DiagramId,
    /// Its job at the origin.
    pub job: Uuid,
    /// Its job in this service.
    pub own_job: String,
    pub png: Vec<u8>,
}

/// Writes a project with all that belongs to it. `operator` administers it.
pub fn insert(
    write: &Writer,
    content: &Content,
    pictures: &[Picture],
    operator: &Username,
    is_interrupted: IsInterrupted,
) -> Result<ProjectKey, LoadProblem> {
    // What the origin recorded is the history of the project.
    let write = &write.by(Author::Nobody);
    refuse_taken_ids(write, content)?;
    let project = write.insert_project(&project_row(content))?;
    let diagrams = content.diagrams.iter().map(|row| row.summary.id).collect();
    let members = content.members.iter().map(|member| member.username.as_str()).collect();
    let rows = Rows { write, content, project, diagrams, members };
    rows.add_people(operator)?;
    rows.insert_lists()?;
    content.systems.iter().try_for_each(|system| rows.insert_system(system))?;
    for diagram in &content.diagrams {
        check(is_interrupted)?;
        rows.insert_diagram(diagram)?;
    }
    content.tags.iter().try_for_each(|tag| rows.insert_tag(tag))?;
    for (member, diagrams) in &content.selections {
        let diagrams = rows.known(diagrams);
        write.set_selection(project, member, &diagrams)?;
        write.order_selection(member, &diagrams)?;
    }
    for vote in content.votes.iter().filter(|vote| rows.diagrams.contains(&vote.diagram)) {
        write.insert_loaded_vote(vote)?;
    }
    let known = |group: &DiagramGroup| DiagramGroup { diagrams: rows.known(&group.diagrams), ..group.clone() };
    write.set_groups(project, &content.groups.iter().map(known).collect::<Vec<_>>())?;
    content.teams.iter().try_for_each(|team| rows.insert_team(team))?;
    rows.insert_comments()?;
    rows.insert_loaded_things()?;
    for Picture { diagram, job, own_job, png } in pictures {
        write.insert_loaded_picture(*diagram, job, own_job, png)?;
    }
    write.insert_loaded_project(project, &content.loaded_from)?;
    Ok(project)
}

fn refuse_taken_ids(write: &Writer, content: &Content) -> Result<(), LoadProblem> {
    if write.project_ids()?.contains(&content.info.id) {
        return Err(LoadProblem::ProjectExists(content.info.id.clone()));
    }
    let mut ids: Vec<(Identified, String)> = Vec::new();
    ids.extend(content.systems.iter().map(|row| (Identified::System, row.detail.item.id.to_string())));
    ids.extend(content.diagrams.iter().map(|row| (Identified::Diagram, row.summary.id.to_string())));
    ids.extend(content.teams.iter().map(|row| (Identified::Team, row.team.id.to_string())));
    ids.extend(content.layers.iter().map(|row| (Identified::Layer, row.id.to_string())));
    ids.extend(content.tags.iter().map(|row| (Identified::Tag, row.id.clone())));
    ids.extend(content.stakeholders.iter().map(|row| (Identified::Stakeholder, row.id.clone())));
    let designs = content.teams.iter().flat_map(|team| &team.designs);
    ids.extend(designs.map(|(design, _)| (Identified::Design, design.details.id.to_string())));
    ids.extend(content.negotiations.iter().map(|row| (Identified::Negotiation, row.session_id.clone())));
    ids.extend(content.comments.iter().map(|row| (Identified::Comment, row.id.to_string())));
    write.taken_id(&ids)?.map_or(Ok(()), |taken| Err(LoadProblem::IdTaken(taken)))
}

struct Rows<'r> {
    write: &'r Writer<'r>,
    content: &'r Content,
    project: ProjectKey,
    /// The ids of the diagrams in the archive.
    diagrams: HashSet<DiagramId>,
    members: HashSet<&'r str>,
}

impl Rows<'_> {
    fn add_people(&self, operator: &Username) -> Result<(), LoadProblem> {
        for member in &self.content.members {
            self.write.add_member(self.project, self.write.add_loaded_user(&member.username)?, false)?;
        }
        Ok(self.write.add_unlisted_administrator(self.project, self.write.add_loaded_user(operator)?)?)
    }

    fn insert_lists(&self) -> Result<(), LoadProblem> {
        let (write, content, project) = (self.write, self.content, self.project);
        for Stakeholder { id, name, .. } in &content.stakeholders {
            write.insert_stakeholder(project, id, name.as_deref().unwrap_or_default())?;
        }
        content.plugins.iter().try_for_each(|plugin| write.insert_loaded_plugin(project, plugin))?;
        content.layers.iter().try_for_each(|layer| write.insert_loaded_layer(project, &with_text(layer)))?;
        for (role, map) in &content.geographies {
            write.insert_geography(project, *role, &map.resource, &map.geojson)?;
        }
        content.negotiations.iter().try_for_each(|session| write.add_negotiation(project, session))?;
        Ok(content.history.iter().try_for_each(|entry| write.insert_loaded_entry(project, entry))?)
    }

    fn insert_system(&self, ArchivedSystem { detail, evaluation, .. }: &ArchivedSystem) -> Result<(), LoadProblem> {
        let SystemDetail { item, tag, cost, budget, current_ha, target_ha, impacts, quantities, .. } = detail;
        let row = SystemRow {
            id: Some(item.id),
            project: self.project,
            name: &item.name,
            color: item.color.as_deref().unwrap_or_default(),
            tag: tag.as_deref().unwrap_or_default(),
            verbose_description: item.verbose_description.as_deref().unwrap_or_default(),
            cost: cost.unwrap_or_default(),
            budget: budget.unwrap_or_default(),
            current_ha: current_ha.unwrap_or_default(),
            target_ha: target_ha.unwrap_or_default(),
            impacts,
            quantities,
            evaluation: evaluation.as_ref().map_or(NO_FEATURES, |map| map.get()),
        };
        Ok(self.write.insert_system(&row).map(drop)?)
    }

    fn insert_diagram(&self, diagram: &ArchivedDiagram) -> Result<(), LoadProblem> {
        let ArchivedDiagram { summary, fields, location, feature_type, features, .. } = diagram;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let day = |date: &Option<Date>| date.as_ref().map(|date| **date);
        let created_at = summary.created_at.as_ref().or(fields.created_at.as_ref());
        let row = DiagramRow {
            id: Some(summary.id),
            project: self.project,
            location: location.clone(),
            content: DiagramContent {
                system: fields.sysid,
                author: self.write.author_named(summary.author.as_deref().unwrap_or_default())?,
                kind: kind(fields),
                title: &text(&fields.description),
                funding: "",
                measure: Measure::default(),
                cost_override: 0.0,
                cost_override_type: "",
                additional_metadata: object(fields.additional_metadata.as_deref()),
                flat_geobuf_url: &text(&fields.flat_geobuf_url),
                external_geometries: &text(&fields.external_geometries),
                feature_type: *feature_type,
                features: features
                    .iter()
                    .map(|feature| FeatureRow::measured(feature.heights, &feature.geometry))
                    .collect(),
                building_data: building_data(fields),
            },
            // With the rest of its state, as its costs are.
            notes: "",
            created_at: created_at.map_or_else(|| UNKNOWN_DAY.into(), |time| **time),
            dates: None,
            tag_codes: &[],
        };
        let id = self.write.insert_diagram(&row)?;
        let figures = LoadedFigures {
            area: fields.area.unwrap_or_default(),
            length: fields.length.unwrap_or_default(),
            start_date: day(&fields.start_date),
            end_date: day(&fields.end_date),
            undated: fields.undated,
        };
        self.write.set_loaded_figures(id, &figures)?;
        self.write.set_diagram_state(id, &DiagramState::loaded(fields))?;
        Ok(self.write.set_loaded_properties(id, features.iter().map(|feature| &feature.extra))?)
    }

    fn insert_tag(&self, Tag { id, tag, slug, code, diagrams, .. }: &Tag) -> Result<(), LoadProblem> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (tag, slug, code) = (text(tag), text(slug), text(code));
        self.write.insert_tag(&TagRow { id, project: self.project, tag: &tag, slug: &slug, code: &code })?;
        Ok(self.known(diagrams).into_iter().try_for_each(|diagram| self.write.add_loaded_tag(diagram, id))?)
    }

    fn insert_team(&self, ArchivedTeam { team, members, designs }: &ArchivedTeam) -> Result<(), LoadProblem> {
        let ChangeTeam { id, title, color, .. } = team;
        self.write.add_team(self.project, Some(*id), title.as_deref().unwrap_or_default())?;
        let color = TeamEdit { color: color.clone(), ..TeamEdit::default() };
        self.write.edit_team(self.project, *id, &color)?;
        for (position, member) in members.iter().filter(|member| self.members.contains(member.as_str())).enumerate() {
            self.write.insert_loaded_team_member(*id, member, position)?;
        }
        for (Design { details: design, .. }, diagrams) in designs {
            let diagrams = self.known(diagrams);
            let row = DesignRow {
                id: &design.id,
                team: *id,
                creationdate: &design
                    .creationdate
                    .as_ref()
                    .map_or("1970-01-01T00:00:00".to_owned(), ToString::to_string),
                description: design.description.as_deref().unwrap_or_default(),
                diagrams: &diagrams,
            };
            self.write.insert_design(self.project, &row)?;
            self.write.order_design(&design.id, &diagrams)?;
        }
        Ok(())
    }

    /// Inserts first comments before their replies. Some may be about things that were removed while the project was archived.
    fn insert_comments(&self) -> Result<(), LoadProblem> {
        let (replies, first): (Vec<_>, Vec<_>) =
            self.content.comments.iter().partition(|comment| comment.reply_to.is_some());
        for comment in first.into_iter().chain(replies) {
            if self.write.has_subject(self.project, comment)? {
                self.write.insert_loaded_comment(self.project, comment)?;
            }
        }
        Ok(())
    }

    /// Inserts the data that the rows do not hold: unknown fields, values that do not fit a column, orders, and each thing's base.
    fn insert_loaded_things(&self) -> Result<(), LoadProblem> {
        let (write, content, project) = (self.write, self.content, self.project);
        self.insert_told([(&content.info, content.loaded_from.changeid.as_deref())], write.project(project)?)?;
        self.insert_told(without_change_id(&content.members), write.members(project)?)?;
        self.insert_told(without_change_id(&content.stakeholders), write.stakeholders(project)?)?;
        self.insert_told(without_change_id(&content.plugins), write.plugins(project)?)?;
        self.insert_told(without_change_id(&content.layers), write.layers(project)?)?;
        self.insert_told(without_change_id(&content.tags), write.tags(project)?)?;
        self.insert_told(content.systems.iter().map(|row| (&row.detail, None)), write.systems(project)?)?;
        let diagrams = &content.diagrams;
        self.insert_told(diagrams.iter().map(|row| (&row.summary, None)), write.diagram_summaries(project)?)?;
        let fields = write.diagram_details(&DiagramFilter::InProject(project))?;
        self.insert_told(diagrams.iter().map(|row| (&row.fields, row.changeid.as_deref())), fields)?;
        self.insert_told(content.teams.iter().map(|row| (&row.team, None)), write.teams(project)?)?;
        content.teams.iter().try_for_each(|ArchivedTeam { team, designs, .. }| {
            self.insert_told(designs.iter().map(|(design, _)| (design, None)), write.designs(project, team.id)?)
        })
    }

    /// Inserts the parts of archived things that their rows do not give, with each one's change id at the origin.
    fn insert_told<'t, T, R>(
        &self,
        told: impl IntoIterator<Item = (&'t T, Option<&'t str>)>,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), LoadProblem>
    where
        T: Loadable + Clone + Serialize + 't,
        R: Loadable + Serialize + DeserializeOwned,
    {
        let rows: HashMap<String, R> = rows.into_iter().map(|row| (row.id(), row)).collect();
        for (position, (thing, changeid)) in told.into_iter().enumerate() {
            let id = thing.id();
            let thing = LoadedThing {
                kind: T::KIND,
                position,
                extra: serde_json::to_string(thing.clone().extra()).map_err(StoreError::content)?,
                told: rows.get(&id).map(|row| told_beside(row, thing)).transpose()?.flatten(),
                changeid: changeid.map(str::to_owned),
                digest: sha256(&[&serde_json::to_vec(thing).map_err(StoreError::content)?]),
                id,
            };
            self.write.insert_loaded_thing(self.project, &thing)?;
        }
        Ok(())
    }

    /// Returns the diagrams that are in the archive. Others were removed while the project was archived.
    fn known<'d>(&self, diagrams: impl IntoIterator<Item = &'d DiagramId>) -> Vec<DiagramId> {
        diagrams.into_iter().copied().filter(|diagram| self.diagrams.contains(diagram)).collect()
    }
}

/// Things without a change id.
fn without_change_id<T>(things: &[T]) -> impl Iterator<Item = (&T, Option<&str>)> {
    things.iter().map(|thing| (thing, None))
}

fn project_row(content: &Content) -> ProjectRow<'_> {
    fn text(text: &Option<String>) -> &str {
        text.as_deref().unwrap_or_default()
    }
    ProjectRow {
        id: &content.info.id,
        title: text(&content.info.projecttitle),
        description: text(&content.info.projectdesc),
        start_date: content.start_date.as_str(),
        kind: text(&content.info.projecttype),
        external_connection: text(&content.info.external_connection),
        bounds: content.bounds,
        center: content.center,
        zoom_level: 0,
        currency: content.info.currency.as_deref(),
        language: content.info.language.as_deref(),
        counted_land: content.info.counted_land.as_deref(),
        drawings_on_constraints: content.info.drawings_on_constraints.as_deref(),
    }
}

fn kind(diagram: &Diagram<Box<RawValue>>) -> DiagramKind {
    diagram.kind.as_deref().and_then(DiagramKind::from_name).unwrap_or(DiagramKind::Project)
}

/// Returns the text of an object; for any other value, of an empty object.
fn object(value: Option<&RawValue>) -> ObjectText {
    let object = value.map(|value| ObjectText::deserialize(&mut serde_json::Deserializer::from_str(value.get())));
    object.and_then(Result::ok).unwrap_or_default()
}

fn building_data(diagram: &Diagram<Box<RawValue>>) -> JsonObject {
    let value = diagram.building_data.as_deref().map(|value| serde_json::from_str(value.get()));
    value.and_then(Result::ok).unwrap_or_default()
}

fn with_text(layer: &Layer<Box<RawValue>>) -> Layer<ObjectText> {
    let layer = layer.clone();
    Layer {
        id: layer.id,
        server_type: layer.server_type,
        layer_type: layer.layer_type,
        url: layer.url,
        layer_name: layer.layer_name,
        attribution: layer.attribution,
        display_name: layer.display_name,
        additional_metadata: Some(object(layer.additional_metadata.as_deref())),
        extra: layer.extra,
    }
}
