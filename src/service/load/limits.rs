//! Whether a project keeps to the limits of the service, which hold for loaded projects as for others.

use serde_json::value::RawValue;

use super::LoadProblem;
use super::content::Content;
use crate::model::extent_of;
use crate::service::http::positions;
use crate::service::limits::LimitExceeded;
use crate::service::limits::Limits;
use crate::service::store::{ProjectKey, Writer};

/// Checks the parts of a project.
pub fn check_parts(content: &Content, limits: &Limits) -> Result<(), LimitExceeded> {
    fn text(text: &Option<String>) -> &str {
        text.as_deref().unwrap_or_default()
    }
    let (title, name, description) =
        (limits.title_characters(), limits.name_characters(), limits.description_characters());
    title.check_text("the title of the project", text(&content.info.projecttitle))?;
    description.check_text("the description of the project", text(&content.info.projectdesc))?;
    limits.project_tags().check("the project", content.tags.len())?;
    limits.project_stakeholders().check("the project", content.stakeholders.len())?;
    limits.project_layers().check("the project", content.layers.len())?;
    for tag in &content.tags {
        name.check_text(&format!("the name of the tag {}", tag.id), text(&tag.tag))?;
        name.check_text(&format!("the code of the tag {}", tag.id), text(&tag.code))?;
    }
    for layer in &content.layers {
        limits.url_characters().check_text(&format!("the url of the layer {}", layer.id), text(&layer.url))?;
        name.check_text(&format!("the name of the layer {}", layer.id), text(&layer.layer_name))?;
        if let Some(metadata) = &layer.additional_metadata {
            check_metadata(&format!("additional_metadata of the layer {}", layer.id), metadata, limits)?;
        }
    }
    for (_, map) in &content.geographies {
        limits.diagram_vertices().check("a map of the project", positions(map.geojson.get().as_bytes()))?;
    }
    for system in &content.systems {
        let item = &system.detail.item;
        name.check_text(&format!("the name of the system {}", item.id), &item.name)?;
        description
            .check_text(&format!("the description of the system {}", item.id), text(&item.verbose_description))?;
        let vertices = system.evaluation.as_ref().map_or(0, |map| positions(map.get().as_bytes()));
        limits.diagram_vertices().check(&format!("the evaluation map of the system {}", item.id), vertices)?;
    }
    for diagram in &content.diagrams {
        let (id, fields) = (diagram.summary.id, &diagram.fields);
        title.check_text(&format!("the title of the diagram {id}"), text(&fields.description))?;
        limits.note_characters().check_text(&format!("the note of the diagram {id}"), text(&fields.notes))?;
        limits.diagram_features().check(&format!("the diagram {id}"), diagram.features.len())?;
        let vertices = diagram.features.iter().map(|feature| positions(feature.geometry.as_bytes())).sum();
        limits.diagram_vertices().check(&format!("the diagram {id}"), vertices)?;
        for url in [&fields.flat_geobuf_url, &fields.external_geometries] {
            limits.url_characters().check_text(&format!("an address of the diagram {id}"), text(url))?;
        }
        for metadata in [&fields.additional_metadata, &fields.building_data].into_iter().flatten() {
            check_metadata(&format!("the metadata of the diagram {id}"), metadata, limits)?;
        }
    }
    Ok(())
}

fn check_metadata(part: &str, metadata: &RawValue, limits: &Limits) -> Result<(), LimitExceeded> {
    limits.metadata_bytes().check(part, metadata.get().len())?;
    // What no client could read is refused by the reader of its answer.
    let Ok(extent) = extent_of(metadata.get()) else { return Ok(()) };
    limits.metadata_values().check(part, extent.values)?;
    limits.metadata_levels().check(part, extent.levels)
}

/// Checks what a project and the authors of its diagrams have, once it is written.
pub fn check_totals(
    write: &Writer,
    content: &Content,
    project: ProjectKey,
    limits: &Limits,
) -> Result<(), LoadProblem> {
    let mut authors: Vec<&str> =
        content.diagrams.iter().map(|row| row.summary.author.as_deref().unwrap_or_default()).collect();
    authors.sort_unstable();
    authors.dedup();
    for author in authors {
        let usage = write.usage(project, write.author_named(author)?)?;
        limits.project_diagrams().check_total("the project", 0, usage.project_diagrams)?;
        limits.project_bytes().check_total("the project", 0, usage.project_bytes)?;
        limits.user_bytes().check_total("the author of diagrams", 0, usage.user_bytes)?;
    }
    Ok(limits.project_bytes().check_total("the project", 0, write.project_bytes(project)?)?)
}
