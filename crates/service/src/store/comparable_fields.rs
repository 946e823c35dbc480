//! Everything that people made and set in a project, as fields to compare with an earlier state of the project or with a copy of it.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::Reader;
use super::database::values::ProjectKey;
use super::diagram_state::{DiagramState, Drawing};
use super::maps::Geography;
use super::system_map::SystemMap;
use geodesign::model::{Comment, DiagramId, GeometryText, SystemDetail, Vote, Work, WorkFields, WorkKind, vote_field};
use geodesign_common::digest::{hex, sha256};

/// Longer texts are replaced by their digest.
const MAX_TEXT: usize = 80;

impl Reader<'_> {
    /// Returns a project's work. Figures that the service computes, places in the grid and orders are left out.
    pub fn work(&self, project: ProjectKey) -> Result<Work> {
        let mut work = Work::new();
        let mut add = |kind, id: String, fields| work.entry(kind).or_default().insert(id, fields);
        if let Some(info) = self.project(project)? {
            let mut fields = fields([
                ("projecttitle", text(info.projecttitle.as_deref())),
                ("projectdesc", text(info.projectdesc.as_deref())),
            ]);
            // States from before projects had these settings have no such fields.
            let settings = [
                ("currency", &info.currency),
                ("language", &info.language),
                ("counted_land", &info.counted_land),
                ("drawings_on_constraints", &info.drawings_on_constraints),
            ];
            for (name, value) in settings {
                fields.extend(value.as_deref().map(|value| (name.to_owned(), text(Some(value)))));
            }
            add(WorkKind::Project, info.id.to_string(), fields);
        }
        for system in self.systems(project)? {
            let map =
                self.system_map(project, system.item.id, SystemMap::Evaluation)?.map(|map| map_digest(&map.geojson));
            add(WorkKind::System, system.item.id.to_string(), system_fields(&system));
            let fields = fields([("content", map.unwrap_or_default())]);
            add(WorkKind::Map, format!("evaluation{OF_SYSTEM}{}", system.item.id), fields);
        }
        for role in Geography::ALL {
            let content = map_digest(&self.geography(project, role)?.geojson);
            add(WorkKind::Map, role.name().to_owned(), fields([("content", content)]));
        }
        for team in self.teams(project)? {
            let mut members = self.team_members(team.id)?;
            members.sort_unstable();
            let values = [
                ("title", text(team.title.as_deref())),
                ("color", text(team.color.as_deref())),
                ("members", json!(members)),
            ];
            add(WorkKind::Team, team.id.to_string(), fields(values));
            for design in self.designs(project, team.id)? {
                let mut diagrams = self.design_diagram_ids(&design.details.id)?;
                diagrams.sort_unstable();
                let title = text(design.details.description.as_deref());
                let values = [("title", title), ("team", json!(team.id)), ("diagrams", json!(diagrams))];
                add(WorkKind::Design, design.details.id.to_string(), fields(values));
            }
        }
        for comment in self.comments(project)? {
            let kind = if comment.reply_to.is_some() { WorkKind::Reply } else { WorkKind::Comment };
            add(kind, comment.id.to_string(), comment_fields(&comment));
        }
        for tag in self.tags(project)? {
            let values = [("tag", text(tag.tag.as_deref())), ("code", text(tag.code.as_deref()))];
            add(WorkKind::Tag, tag.id, fields(values));
        }
        let columns = columns!((id, flat_geobuf_url, external_geometries));
        let diagrams = self.select(columns, "FROM diagrams WHERE project = ?1", [project.0])?;
        let mut votes: HashMap<DiagramId, Vec<Vote>> = HashMap::new();
        self.votes(project)?.into_iter().for_each(|vote| votes.entry(vote.diagram).or_default().push(vote));
        for (id, flat_geobuf, external) in diagrams {
            let state = self.diagram_state(project, id)?;
            let drawing = self.drawing(id)?;
            let geometry = drawing_digest(drawing.as_ref(), &[flat_geobuf, external]);
            let mut fields = diagram_fields(&state, geometry);
            fields.extend(votes.remove(&id).into_iter().flatten().map(|vote| {
                let ballot = json!([vote.vote, text(Some(&vote.comment))]);
                (vote_field(vote.username.as_str()), ballot)
            }));
            add(WorkKind::Diagram, id.to_string(), fields);
        }
        for member in self.members(project)? {
            let Some(user) = self.member(project, member.username.as_str())? else { continue };
            let mut diagrams = self.selected_ids(project, user)?;
            diagrams.sort_unstable();
            add(WorkKind::Selection, member.username.to_string(), fields([("diagrams", json!(diagrams))]));
        }
        for mut group in self.groups(project)? {
            group.diagrams.sort_unstable();
            add(WorkKind::Group, group.group_name, fields([("diagrams", json!(group.diagrams))]));
        }
        Ok(work)
    }
}

/// Between a map's name and its system's id.
pub const OF_SYSTEM: &str = " of system ";

fn fields<const N: usize>(values: [(&str, Value); N]) -> WorkFields {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn comment_fields(comment: &Comment) -> WorkFields {
    let Comment { author, text: words, diagram, design, place, reply_to, resolved, .. } = comment;
    fields([
        ("author", text(Some(author))),
        ("text", text(Some(words))),
        ("diagram", json!(diagram)),
        ("design", json!(design)),
        ("place", json!(place)),
        ("reply_to", json!(reply_to)),
        ("resolved", json!(resolved)),
    ])
}

fn system_fields(system: &SystemDetail) -> WorkFields {
    let SystemDetail { item, tag, cost, budget, current_ha, target_ha, impacts, quantities, .. } = system;
    let mut fields = fields([
        ("name", text(Some(&item.name))),
        ("color", text(item.color.as_deref())),
        ("tag", text(tag.as_deref())),
        ("verbose_description", text(item.verbose_description.as_deref())),
        ("cost", json!(cost)),
        ("budget", json!(budget)),
        ("current_ha", json!(current_ha)),
        ("target_ha", json!(target_ha)),
    ]);
    // States from before systems had them have no such fields.
    fields.extend((!impacts.is_empty()).then(|| ("impacts".to_owned(), json!(impacts))));
    fields.extend((!quantities.is_empty()).then(|| ("quantities".to_owned(), json!(quantities))));
    fields
}

/// Returns a diagram's fields. Dates and amounts that belong together are one field each.
fn diagram_fields(state: &DiagramState, geometry: Value) -> WorkFields {
    let dates = match state.undated {
        Some(true) => Value::Null,
        _ => json!([state.start_date, state.end_date]),
    };
    let amount = state.cost_override.filter(|amount| *amount != 0.0);
    let composed = fields([
        ("dates", dates),
        ("metadata", object(state.additional_metadata.as_deref())),
        ("cost", amount.map_or(Value::Null, |amount| json!([amount, state.cost_override_type]))),
        ("building_data", object(state.building_data.as_deref())),
        ("system", json!(state.system)),
        ("tags", json!(state.tags.as_deref().unwrap_or_default())),
        ("geometry", geometry),
    ]);
    let texts = DiagramState::PARTS.iter().filter(|part| !composed.contains_key(**part));
    let texts =
        texts.map(|part| ((*part).to_owned(), text(state.part(part).next().as_deref()))).collect::<WorkFields>();
    composed.into_iter().chain(texts).collect()
}

/// Returns a text, or the digest of a long one. A missing text counts as an empty one: databases do not always distinguish the two.
fn text(text: Option<&str>) -> Value {
    match text.unwrap_or_default() {
        text if text.len() <= MAX_TEXT => text.into(),
        text => digest(&[text.as_bytes()]),
    }
}

/// Returns a JSON object's text, independent of the order of its fields. Text that is not JSON is taken as it is.
fn object(json: Option<&str>) -> Value {
    match serde_json::from_str::<Value>(json.unwrap_or("{}")) {
        Ok(mut object) => {
            object.sort_all_objects();
            text(Some(&object.to_string()))
        }
        Err(_) => text(json),
    }
}

fn map_digest(map: &GeometryText) -> Value {
    digest(&[&without_whitespace(&map.0)])
}

fn drawing_digest(drawing: Option<&Drawing>, addresses: &[String]) -> Value {
    let mut parts: Vec<Vec<u8>> = addresses.iter().map(|address| address.clone().into_bytes()).collect();
    for feature in drawing.into_iter().flat_map(|drawing| &drawing.features) {
        parts.push(format!("{} {} ", feature.min_height, feature.max_height).into_bytes());
        parts.push(without_whitespace(&feature.geometry));
    }
    digest(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Removes whitespace: services and archives may write it differently in the same geometry.
fn without_whitespace(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

fn digest(parts: &[&[u8]]) -> Value {
    format!("sha256:{}", &hex(&sha256(parts))[..32]).into()
}
