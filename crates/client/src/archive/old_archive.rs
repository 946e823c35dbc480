//! The archive to update, and the diagrams that have changed since it was written.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{Error, Project, Result};
use geodesign::archive::contents::Responses;
use geodesign::archive::{Archive, ArchiveError, Manifest, member_name};
use geodesign::model::operations::{ALL_DIAGRAMS, CHANGE_ID, DIAGRAMS, TAGS};
use geodesign::model::{DiagramId, DiagramSummary, ProjectChangeId, Tag};
use geodesign_common::blocking;

/// An earlier archive of the same project. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OldArchive {
    archive: Arc<Archive>,
    /// True if it was read from the same service, whose ETags and change ids can be compared.
    is_of_service: bool,
}

/// The response to a request at that time: its content, or the status that it was refused with.
pub type OldResponse = std::result::Result<Bytes, u16>;

/// A project's diagrams compared with an archive's.
#[derive(Debug, Default)]
pub struct ChangedDiagrams {
    pub added: BTreeSet<DiagramId>,
    pub changed: BTreeSet<DiagramId>,
    pub removed: BTreeSet<DiagramId>,
    /// Diagrams with a tag that was added, removed or changed, even if only in its other diagrams.
    pub in_changed_tags: HashSet<DiagramId>,
}

impl OldArchive {
    /// Opens an archive and verifies the complete file. An archive of another project is an error, and so is one that may hold work
    /// which the service does not have. Returns the project's current state, too. The file is verified before any request is sent.
    pub async fn open(project: &Project, path: &Path) -> Result<(Self, Option<ProjectChangeId>)> {
        let owned = path.to_owned();
        let archive = blocking::run(move || Archive::open(&owned)).await??;
        let Manifest { projectid, source, service, .. } = archive.manifest();
        if projectid != project.id() {
            return Err(Error::Input(format!(
                "{} is an archive of the project {projectid}, not of {}; give another path",
                path.display(),
                project.id()
            )));
        }
        let state = project.service_state().await?;
        let is_of_service = match (service, state.as_ref().and_then(|state| state.service.as_ref())) {
            (Some(then), Some(now)) => then == now,
            _ => source == project.client().root(),
        };
        let old = OldArchive { archive: Arc::new(archive), is_of_service };
        match unknown_work(old.manifest(), state.as_ref()) {
            None => Ok((old, state)),
            Some(whose) => Err(old.refused(project, path, whose).await?),
        }
    }

    /// Returns the error with a list of the changes that would be lost.
    async fn refused(&self, project: &Project, path: &Path, whose: &str) -> Result<Error> {
        let there = project.diagram_summaries().await?;
        let there: HashMap<DiagramId, DiagramSummary> = there.into_iter().map(|one| (one.id, one)).collect();
        let list = self.content(&DIAGRAMS.at(project.in_project()).path).await?.unwrap_or_default();
        let here: Vec<DiagramSummary> = serde_json::from_slice(&list).unwrap_or_default();
        let (mut new, mut others) = (Vec::new(), Vec::new());
        for diagram in here {
            match there.get(&diagram.id) {
                None => new.push(diagram.id),
                Some(known) if *known != diagram => others.push(diagram.id),
                Some(_) => {}
            }
        }
        let mut held = Vec::new();
        for (what, ids) in [("diagrams that the service does not have", new), ("other versions of diagrams", others)] {
            held.extend((!ids.is_empty()).then(|| format!("{what} ({})", listed(&ids))));
        }
        if held.is_empty() {
            held.push("changes that the service may not have".to_owned());
        }
        Ok(Error::Input(format!(
            "{} was read from {whose}, {}, and holds {}; sync would lose them: merge them into {} first, or give another path",
            path.display(),
            self.manifest().source,
            held.join(" and "),
            project.client().root()
        )))
    }

    pub fn manifest(&self) -> &Manifest {
        self.archive.manifest()
    }

    /// The project's change id at that time, if it is comparable with the current one.
    pub fn changeid(&self) -> Option<&str> {
        self.manifest().changeid.as_deref().filter(|_| self.is_of_service)
    }

    /// The project's last event at that time, if it is comparable with the current one.
    pub fn last_event(&self) -> Option<&str> {
        self.manifest().last_event.as_deref().filter(|_| self.is_of_service)
    }

    /// The ETag of the response to a request for this path, if it is comparable with the current one.
    pub fn etag(&self, path: &str) -> Option<&str> {
        let Manifest { projectid, members, etags, .. } = self.manifest();
        let name = member_name(projectid.as_str(), path).filter(|name| members.contains_key(name.as_str()))?;
        etags.get(name.as_str()).map(String::as_str).filter(|_| self.is_of_service)
    }

    /// Returns the response to a request for this path; `None` if the archive has none. Call it on a thread that may wait for the disk.
    pub fn response(&self, path: &str) -> Result<Option<OldResponse>, ArchiveError> {
        let Manifest { projectid, members, refused, .. } = self.manifest();
        let Some(name) = member_name(projectid.as_str(), path) else { return Ok(None) };
        if !members.contains_key(name.as_str()) && !refused.contains_key(name.as_str()) {
            return Ok(None);
        }
        Ok(Some(self.archive.answer(path)?.map(Bytes::from)))
    }

    /// The content of a response that the service did not refuse.
    pub async fn content(&self, path: &str) -> Result<Option<Bytes>> {
        let (old, path) = (self.clone(), path.to_owned());
        Ok(blocking::run(move || old.response(&path)).await??.and_then(OldResponse::ok))
    }

    /// Compares the lists of diagrams, the change ids of all diagrams and the list of tags.
    pub async fn changed_diagrams(
        &self,
        project: &Project,
        ids: Vec<DiagramId>,
        responses: Responses,
    ) -> Result<ChangedDiagrams> {
        let (old, project) = (self.clone(), project.clone());
        Ok(blocking::run(move || old.compare_diagrams(&project, &ids, &responses)).await??)
    }

    fn compare_diagrams(
        &self,
        project: &Project,
        ids: &[DiagramId],
        responses: &Responses,
    ) -> Result<ChangedDiagrams, ArchiveError> {
        let before = |path: &str| Ok::<_, ArchiveError>(self.response(path)?.and_then(OldResponse::ok));
        let mut found = ChangedDiagrams::default();
        let lists = [DIAGRAMS, ALL_DIAGRAMS].map(|list| list.at(project.in_project()).path);
        let old_lists = [before(&lists[0])?.unwrap_or_default(), before(&lists[1])?.unwrap_or_default()];
        let old_items = old_lists.each_ref().map(|list| items(list));
        let new_items = lists.each_ref().map(|list| responses.get(list).map(|list| items(list)).unwrap_or_default());
        for &id in ids {
            let change_id = CHANGE_ID.at(project.in_diagram(id)).path;
            let has_same_items = || old_items.iter().zip(&new_items).all(|(old, new)| old.get(&id) == new.get(&id));
            if !old_items[0].contains_key(&id) {
                found.added.insert(id);
            } else if !has_same_items()
                || !responses.contains_key(&change_id)
                || responses.get(&change_id) != before(&change_id)?.as_ref()
            {
                found.changed.insert(id);
            }
        }
        found.removed = old_items[0].keys().filter(|id| !new_items[0].contains_key(id)).copied().collect();

        let tags = TAGS.at(project.in_project()).path;
        let (old_tags, new_tags) = (before(&tags)?, responses.get(&tags));
        if old_tags.as_ref() != new_tags {
            match (old_tags.as_deref().and_then(tags_by_id), new_tags.map(Bytes::as_ref).and_then(tags_by_id)) {
                (Some(old), Some(new)) => {
                    let is_other = |tag: &&Tag| old.get(&tag.id) != new.get(&tag.id);
                    let changed = old.values().chain(new.values()).filter(is_other);
                    found.in_changed_tags = changed.flat_map(|tag| tag.diagrams.iter().copied()).collect();
                }
                _ => found.in_changed_tags = ids.iter().copied().collect(),
            }
        }
        Ok(found)
    }
}

/// The origin of work in an archive that the service may not have; `None` if the service has all of it.
fn unknown_work(archive: &Manifest, state: Option<&ProjectChangeId>) -> Option<&'static str> {
    const COPY: &str = "a copy that was loaded from an archive";
    let loaded_from = archive.loaded_from.as_ref();
    let state = state.and_then(|state| Some((state.service.as_ref()?, state)));
    match (&archive.service, state) {
        (Some(then), Some((now, _))) if then == now => None,
        (Some(then), Some((now, state))) => {
            let is_unedited_copy = loaded_from.is_some_and(|from| !from.edited && from.service.as_ref() == Some(now));
            let was_merged =
                state.merged.iter().any(|merged| merged.service == *then && merged.created_at >= archive.created_at);
            // The project here started from this archive's content.
            let is_base = state.loaded_from.as_ref().is_some_and(|from| {
                from.service.as_ref() == Some(then) && from.changeid.is_some() && from.changeid == archive.changeid
            });
            let whose = if loaded_from.is_some() { COPY } else { "another service" };
            (!is_unedited_copy && !is_base && !was_merged).then_some(whose)
        }
        (None, Some(_)) => None,
        (_, None) => loaded_from.map(|_| COPY),
    }
}

fn listed(ids: &[DiagramId]) -> String {
    const MAX_LISTED: usize = 20;
    let named: Vec<String> = ids.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if ids.len() > MAX_LISTED { ", …" } else { "" };
    format!("{}{more}", named.join(", "))
}

/// The items of a list of diagrams, each as the service wrote it; empty if it is not such a list.
fn items(list: &[u8]) -> HashMap<DiagramId, &str> {
    #[derive(Deserialize)]
    struct Item {
        id: DiagramId,
    }
    let items: Vec<&RawValue> = serde_json::from_slice(list).unwrap_or_default();
    let with_id = |item: &&'_ RawValue| serde_json::from_str(item.get()).map(|Item { id }| id).ok();
    items.into_iter().filter_map(|item| Some((with_id(&item)?, item.get()))).collect()
}

fn tags_by_id(list: &[u8]) -> Option<BTreeMap<String, Tag>> {
    let tags: Vec<Tag> = serde_json::from_slice(list).ok()?;
    Some(tags.into_iter().map(|tag| (tag.id.clone(), tag)).collect())
}
