//! Loading an archived project into a database. The content of the archive becomes rows: ids, dates, authors, orders, figures, and the
//! fields that this service does not know. The service then reads and changes it like any other project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use self::content::{Content, Responses};
use self::problem::MAX_LISTED;
use self::rows::{Picture, insert};
use crate::limits::{LimitExceeded, Limits, positions};
use crate::store::{OPERATOR, ProjectKey, Store, StoreSettings, Writer, new_uuid};
use geodesign::archive::Archive;
use geodesign::model::{DiagramId, LoadedFrom, ProjectId, Username, Work, WorkState, extent_of};

mod content;
mod problem;
mod rows;

pub use self::problem::{IsInterrupted, LoadError, LoadProblem};

/// Maximum origins that are kept of a project: the first one and the latest ones.
const MAX_ORIGINS: usize = 16;

/// An archive in a request may unpack to this many times its limit.
const UNPACKED_OF_A_BODY: u64 = 8;

/// A verified archive, with everything that a database needs from it.
#[derive(Debug)]
pub struct PreparedArchive {
    path: PathBuf,
    content: Content,
    pictures: Vec<Picture>,
    /// Members of the archive that its reader was not allowed to see.
    refused: Vec<String>,
    /// The states that the project began with, and the one in the archive.
    origins: Vec<WorkState>,
}

impl PreparedArchive {
    /// Verifies an archive, and checks that its content can be loaded.
    pub fn read(path: &Path, limits: &Arc<Limits>, is_interrupted: IsInterrupted) -> Result<Self, LoadError> {
        Ok(PreparedArchive::prepare(&Archive::open(path)?, path, limits, is_interrupted)?.0)
    }

    /// Same as `read`, for an archive from a request, which messages call `path`. Also returns a temporary database with the project.
    pub fn read_content(content: Bytes, path: &Path, limits: &Arc<Limits>) -> Result<(Self, Store), LoadError> {
        let unpacked = limits.archive_bytes.saturating_mul(UNPACKED_OF_A_BODY);
        let archive = Archive::from_bytes_within(content, path.to_owned(), unpacked)?;
        PreparedArchive::prepare(&archive, path, limits, &|| false)
    }

    fn prepare(
        archive: &Archive,
        path: &Path,
        limits: &Arc<Limits>,
        is_interrupted: IsInterrupted,
    ) -> Result<(Self, Store), LoadError> {
        let prepare = || {
            let (limit, picture_bytes) = (limits.project_origin_bytes(), picture_bytes(archive));
            limit.check_total("the project", 0, picture_bytes)?;
            let (mut content, pictures) =
                (Content::read(Responses::new(archive, is_interrupted))?, read_pictures(archive)?);
            // As in any project, the oldest entries are forgotten.
            let kept = usize::try_from(limits.history_entries).unwrap_or(usize::MAX);
            content.history.drain(..content.history.len().saturating_sub(kept));
            check_parts(&content, limits)?;
            check_listed(&content)?;
            let mut prepared = PreparedArchive {
                path: path.to_owned(),
                pictures,
                refused: refused_members(archive, content.hides_votes),
                content,
                origins: Vec::new(),
            };
            // Refuses what would exceed a quota before there is a file.
            let store = Store::open_with(None, limits.clone(), StoreSettings::default())?;
            let project = store.write(|write| prepared.write(write, limits, is_interrupted))?;
            prepared.origins = origins(&prepared.content, store.read(|read| read.work(project))?);
            Ok((prepared, store))
        };
        prepare().map_err(|problem| LoadError::refused(path, problem))
    }

    /// The archived project.
    pub fn projectid(&self) -> &ProjectId {
        &self.content.info.id
    }

    /// The service that it was read from, and the time.
    pub fn read_from(&self) -> &LoadedFrom {
        &self.content.loaded_from
    }

    /// Members of the archive that its reader was not allowed to see.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// The states that the archived project began with, and the one in the archive.
    pub fn into_origins(self) -> Vec<WorkState> {
        self.origins
    }

    /// Writes the project into a database.
    pub fn load(&self, write: &Writer, limits: &Limits, is_interrupted: IsInterrupted) -> Result<(), LoadError> {
        let load = || {
            let project = self.write(write, limits, is_interrupted)?;
            Ok(write.set_origins(project, &self.origins)?)
        };
        load().map_err(|problem| LoadError::refused(&self.path, problem))
    }

    fn write(&self, write: &Writer, limits: &Limits, is_interrupted: IsInterrupted) -> Result<ProjectKey, LoadProblem> {
        let project = insert(write, &self.content, &self.pictures, &operator()?, is_interrupted)?;
        let pictures: usize = self.pictures.iter().map(|picture| picture.png.len()).sum();
        let kept = pictures as u64 + write.loaded_bytes(project)?;
        limits.project_origin_bytes().check_total("the project", 0, kept)?;
        check_totals(write, &self.content, project, limits)?;
        Ok(project)
    }
}

/// Members that an archive's reader was not allowed to see. Other refused ones do not exist, such as details that a team lacks.
fn refused_members(archive: &Archive, hides_votes: bool) -> Vec<String> {
    let refused = archive.manifest().refused.iter();
    let refused = refused.filter(|(_, status)| **status == 403).map(|(name, _)| name.clone());
    refused.chain(hides_votes.then(|| "the votes of others".to_owned())).collect()
}

fn operator() -> Result<Username, LoadProblem> {
    Ok(OPERATOR.parse()?)
}

fn picture_bytes(archive: &Archive) -> u64 {
    let members = archive.manifest().members.iter();
    members.filter(|(name, _)| name.ends_with(".png")).map(|(_, member)| member.size).sum()
}

/// The pictures in an archive. Those whose jobs this service cannot have are left out.
fn read_pictures(archive: &Archive) -> Result<Vec<Picture>, LoadProblem> {
    let mut pictures = Vec::new();
    for name in archive.manifest().members.keys() {
        let Some(path) = name.strip_suffix(".png") else { continue };
        let ["diagrams", diagram, "thumbnail", job] = *path.split('/').collect::<Vec<_>>() else { continue };
        let (Ok(diagram), Ok(job)) = (diagram.parse(), job.parse()) else { continue };
        let path = format!("projects/{}/{path}/", archive.manifest().projectid);
        if let Ok(png) = archive.answer(&path)? {
            pictures.push(Picture { diagram: DiagramId(diagram), job, own_job: new_uuid()?, png });
        }
    }
    Ok(pictures)
}

/// The states that the project began with, and the one in the archive.
fn origins(content: &Content, work: Work) -> Vec<WorkState> {
    let LoadedFrom { service, created_at, changeid, .. } = content.loaded_from.clone();
    let mut origins = content.origins.clone();
    origins.push(WorkState { service, changeid, created_at, work });
    if origins.len() > MAX_ORIGINS {
        // The first one is the project itself, where nobody had a copy yet.
        origins.drain(1..=origins.len() - MAX_ORIGINS);
    }
    origins
}

fn check_listed(content: &Content) -> Result<(), LoadProblem> {
    let of_tags = content.tags.iter().map(|tag| tag.diagrams.len());
    let of_selections = content.selections.iter().map(|(_, diagrams)| diagrams.len());
    let designs = content.teams.iter().flat_map(|team| &team.designs);
    let of_reviews = content.comments.iter().map(|comment| comment.asked.len());
    let listed =
        of_tags.chain(of_selections).chain(of_reviews).chain(designs.map(|(_, diagrams)| diagrams.len())).sum();
    if listed > MAX_LISTED { Err(LoadProblem::TooManyListed { listed }) } else { Ok(()) }
}

// A loaded project keeps to the limits of the service as others do.

/// Checks the parts of a project.
fn check_parts(content: &Content, limits: &Limits) -> Result<(), LimitExceeded> {
    fn text(text: &Option<String>) -> &str {
        text.as_deref().unwrap_or_default()
    }
    let (title, name, description) =
        (limits.title_characters(), limits.name_characters(), limits.description_characters());
    title.check_text("the title of the project", text(&content.info.projecttitle))?;
    description.check_text("the description of the project", text(&content.info.projectdesc))?;
    name.check_text("the currency of the project", text(&content.info.currency))?;
    name.check_text("the language of the project", text(&content.info.language))?;
    name.check_text("the land that counts in the project", text(&content.info.counted_land))?;
    name.check_text("the rule for drawings on constraints", text(&content.info.drawings_on_constraints))?;
    // Again once it is written, but what is far too much takes long to write.
    limits.project_diagrams().check_total("the project", 0, content.diagrams.len() as u64)?;
    limits.project_teams().check("the project", content.teams.len())?;
    limits.project_designs().check("the project", content.teams.iter().map(|team| team.designs.len()).sum())?;
    limits.project_negotiations().check("the project", content.negotiations.len())?;
    let grouped = content.groups.iter().map(|group| group.diagrams.len()).sum();
    limits.project_grouped_diagrams().check("the project", grouped)?;
    limits.project_tags().check("the project", content.tags.len())?;
    limits.project_stakeholders().check("the project", content.stakeholders.len())?;
    limits.project_layers().check("the project", content.layers.len())?;
    limits.project_comments().check("the project", content.comments.len())?;
    for comment in &content.comments {
        limits.comment_characters().check_text(&format!("the comment {}", comment.id), &comment.text)?;
    }
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
    // What no client could read is refused by the reader of its response.
    let Ok(extent) = extent_of(metadata.get()) else { return Ok(()) };
    limits.metadata_values().check(part, extent.values)?;
    limits.metadata_levels().check(part, extent.levels)
}

/// Checks the totals of a written project and of its diagrams' authors.
fn check_totals(write: &Writer, content: &Content, project: ProjectKey, limits: &Limits) -> Result<(), LoadProblem> {
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
