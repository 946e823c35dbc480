//! Fills an archive with a service's responses. When an archive is updated, responses for unchanged diagrams are copied, and all others
//! are requested with their ETags.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bytes::Bytes;
use http::StatusCode;
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::old_archive::{ChangedDiagrams, OldArchive};
use crate::http::{CONCURRENCY, WithEtag};
use crate::{Error, Progress, Project, Result};
use geodesign::archive::contents::{self, Ids, Responses, Wanted};
use geodesign::archive::{
    Archive, ArchiveError, ArchiveWriter, FORMAT, FORMAT_VERSION, Manifest, Member, MemberName, member_name,
};
use geodesign::model::operations::{
    ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, CHANGE_ID, DIAGRAM_TAG_CODES, DIAGRAM_TAGS, Endpoint, GENERATE_THUMBNAILS,
    MERGE, TAGS,
};
use geodesign::model::{DiagramId, JsonObject, MergeOptions, MergeReport, ProjectChangeId, ThumbnailJobs};
use geodesign_common::blocking;

/// Attempts to read a project that changes while it is read.
const MAX_ATTEMPTS: usize = 3;

/// Optional content of an archive, in addition to everything that can be read as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArchiveOptions {
    /// The pictures of all diagrams.
    pub thumbnails: bool,
}

/// Changes since an archive was written, and the traffic of updating it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncReport {
    pub added: Vec<DiagramId>,
    pub changed: Vec<DiagramId>,
    pub removed: Vec<DiagramId>,
    pub traffic: Traffic,
}

/// Amount of downloaded data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Responses that the service sent.
    pub downloaded: u64,
    /// Unchanged members.
    pub kept: u64,
    /// Bytes of the responses, after decompression and without headers.
    pub bytes: u64,
}

impl Project {
    /// Downloads everything that can be read of the project into one file, which gets its name once it is complete. If diagrams,
    /// systems, members or teams are added or removed in the meantime, the project is read again, up to three times.
    pub async fn archive(&self, path: &Path, options: ArchiveOptions, progress: &impl Progress) -> Result<Manifest> {
        Ok(fill(self, path, None, options.thumbnails, progress).await?.0)
    }

    /// Updates an archive of the project: afterwards the file has the same content as a new archive. Without such a file, the project
    /// is archived. If diagrams, systems, members or teams are added or removed in the meantime, the project is read again, up to three
    /// times; until the archive is complete, the old file stays unchanged. An archive that may hold work which the service does not
    /// have, such as the archive of a loaded copy, is refused.
    pub async fn sync(&self, path: &Path, progress: &impl Progress) -> Result<SyncReport> {
        if !path.try_exists().map_err(|source| ArchiveError::Open { path: path.to_owned(), source })? {
            return Ok(fill(self, path, None, false, progress).await?.1);
        }
        let (old, state) = OldArchive::open(self, path).await?;
        if old.changeid().is_some() && state.as_ref().map(|state| state.changeid.as_str()) == old.changeid() {
            // Nothing changed: a new archive would be the same file.
            let kept = (old.manifest().members.len() + old.manifest().refused.len()) as u64;
            return Ok(SyncReport { traffic: Traffic { kept, ..Traffic::default() }, ..SyncReport::default() });
        }
        let jobs = GENERATE_THUMBNAILS.at(self.in_project());
        let has_thumbnails = old.content(&jobs.path).await?.is_some();
        Ok(fill(self, path, Some(&old), has_thumbnails, progress).await?.1)
    }
}

impl Project {
    #[doc = summary!(MERGE)]
    ///
    /// The archive is verified before any request is sent.
    pub async fn merge(&self, path: &Path, options: MergeOptions) -> Result<MergeReport> {
        let owned = path.to_owned();
        let read = blocking::run(move || {
            let archive = Archive::open(&owned)?;
            Ok::<_, ArchiveError>((archive.manifest().projectid.clone(), archive.content()?))
        });
        let (projectid, content) = read.await??;
        if projectid != *self.id() {
            return Err(Error::Input(format!(
                "{} is an archive of the project {projectid}, not of {}; merge it into that project",
                path.display(),
                self.id()
            )));
        }
        let prefer = options.prefer.map(|prefer| format!("&prefer={}", prefer.name())).unwrap_or_default();
        let endpoint = MERGE.at(self.in_project()).with_query(format!("dry_run={}{prefer}", options.dry_run));
        self.client().transport.send_archive(endpoint, content).await
    }
}

/// Writes an archive. With an old one, updates it.
async fn fill(
    project: &Project,
    path: &Path,
    old: Option<&OldArchive>,
    thumbnails: bool,
    progress: &impl Progress,
) -> Result<(Manifest, SyncReport)> {
    let mut traffic = Traffic::default();
    for _ in 0..MAX_ATTEMPTS {
        let mut download = Download::new(project, path, old.cloned()).await?;
        let (ids, diagrams) = download.read_all(thumbnails, progress).await?;
        let is_current = !download.changed_meanwhile().await?;
        let Traffic { downloaded, kept, bytes } = download.traffic;
        traffic = Traffic { downloaded: traffic.downloaded + downloaded, kept, bytes: traffic.bytes + bytes };
        if is_current {
            let manifest = download.finish(&ids).await?;
            let ChangedDiagrams { added, changed, removed, .. } = diagrams;
            let [added, changed, removed] = [added, changed, removed].map(|ids| ids.into_iter().collect());
            return Ok((manifest, SyncReport { added, changed, removed, traffic }));
        }
    }
    Err(Error::Input(format!(
        "the project changed during each of {MAX_ATTEMPTS} reads; archive it again when fewer people are drawing"
    )))
}

/// An archive that is being filled.
struct Download<'p> {
    project: &'p Project,
    old: Option<OldArchive>,
    /// `None` only while a thread is writing.
    writer: Option<ArchiveWriter>,
    members: BTreeMap<String, Member>,
    refused: BTreeMap<String, u16>,
    etags: BTreeMap<String, String>,
    /// The project's change id and origin, read before anything else.
    state: Option<ProjectChangeId>,
    /// The project's last event, read at the same time.
    last_event: Option<String>,
    /// The responses that later steps need.
    responses: Responses,
    traffic: Traffic,
}

impl<'p> Download<'p> {
    async fn new(project: &'p Project, path: &Path, old: Option<OldArchive>) -> Result<Self> {
        Ok(Download {
            project,
            old,
            writer: Some(ArchiveWriter::create(path)?),
            members: BTreeMap::new(),
            refused: BTreeMap::new(),
            etags: BTreeMap::new(),
            state: project.service_state().await?,
            last_event: project.last_event().await,
            responses: Responses::new(),
            traffic: Traffic::default(),
        })
    }

    async fn read_all(&mut self, thumbnails: bool, progress: &impl Progress) -> Result<(Ids, ChangedDiagrams)> {
        let project = self.project;
        let mut of_project = contents::of_project(project.id(), thumbnails);
        if self.old.is_some() {
            let compared = [ALL_DIAGRAMS, TAGS].map(|list| list.at(project.in_project()));
            of_project.iter_mut().for_each(|wanted| wanted.has_ids |= compared.contains(&wanted.endpoint));
        }
        let before = of_project.len();
        self.read(of_project, &|| {}).await?;
        let mut ids = Ids::in_project(project.id(), &self.responses)?;
        self.read(contents::of_teams(project.id(), &ids), &|| {}).await?;
        ids.add_designs(project.id(), &self.responses)?;

        let (diagrams, mut wanted) = match self.old.clone() {
            Some(old) => self.copy_unchanged_diagrams(&old, &ids).await?,
            None => {
                let added: BTreeSet<DiagramId> = ids.diagrams.iter().copied().collect();
                let wanted = added.iter().flat_map(|&id| contents::of_diagram(project.id(), id)).collect();
                (ChangedDiagrams { added, ..ChangedDiagrams::default() }, wanted)
            }
        };
        wanted.extend(contents::of_systems(project.id(), &ids));
        wanted.extend(contents::of_members(project.id(), &ids));
        wanted.extend(contents::of_designs(project.id(), &ids));
        if thumbnails {
            wanted.extend(self.thumbnails()?);
        }
        progress.expect(before + wanted.len());
        (0..before).for_each(|_| progress.advance());
        self.read(wanted, &|| progress.advance()).await?;
        Ok((ids, diagrams))
    }

    /// Finds the diagrams that changed. Copies the others from the old archive, and returns the remaining requests.
    async fn copy_unchanged_diagrams(&mut self, old: &OldArchive, ids: &Ids) -> Result<(ChangedDiagrams, Vec<Wanted>)> {
        let project = self.project;
        let told = match (old.last_event(), &self.last_event) {
            (Some(before), Some(now)) => project.diagrams_changed_between(before, now).await,
            _ => None,
        };
        // If events show what changed, the other diagrams still have their change ids.
        let is_asked = |id: &DiagramId| told.as_ref().is_none_or(|changed| changed.contains(id));
        let change_id = |id| Wanted { has_ids: true, ..contents::one(CHANGE_ID.at(project.in_diagram(id))) };
        let (asked, others) = ids.diagrams.iter().copied().partition::<Vec<_>, _>(is_asked);
        let missing = self.copy(old, others.into_iter().map(change_id).collect()).await?;
        self.read(asked.into_iter().map(change_id).chain(missing).collect(), &|| {}).await?;
        let diagrams = old.changed_diagrams(project, ids.diagrams.clone(), self.responses.clone()).await?;

        let (mut unchanged, mut wanted) = (Vec::new(), Vec::new());
        for &id in &ids.diagrams {
            let change_id = CHANGE_ID.at(project.in_diagram(id));
            let about_tags = [DIAGRAM_TAGS, DIAGRAM_TAG_CODES].map(|resource| resource.at(project.in_diagram(id)));
            let is_changed = diagrams.added.contains(&id) || diagrams.changed.contains(&id);
            let is_retagged = diagrams.in_changed_tags.contains(&id);
            for one in contents::of_diagram(project.id(), id) {
                if one.endpoint == change_id {
                    // It has been read already.
                } else if is_changed || is_retagged && about_tags.contains(&one.endpoint) {
                    wanted.push(one);
                } else {
                    unchanged.push(one);
                }
            }
        }
        wanted.extend(self.copy(old, unchanged).await?);
        Ok((diagrams, wanted))
    }

    /// The requests for pictures that the service has drawn.
    fn thumbnails(&self) -> Result<Vec<Wanted>> {
        let generate = GENERATE_THUMBNAILS.at(self.project.in_project());
        if !self.responses.contains_key(&generate.path) {
            return Ok(Vec::new());
        }
        let jobs: ThumbnailJobs = contents::decode(&self.responses, &generate)?;
        let image = |url: &String| {
            let (_, endpoint) = self.project.thumbnail_result(&generate, url)?;
            Ok(contents::one(endpoint))
        };
        jobs.results_url.iter().map(image).collect()
    }

    /// Reads responses, several at the same time, and writes them as they arrive.
    async fn read(&mut self, wanted: Vec<Wanted>, advance: &impl Fn()) -> Result<()> {
        // More than can be under way, so that there are always requests to send while received responses are written.
        let limit = 4 * self.project.client().config().max_concurrency.unwrap_or(CONCURRENCY);
        let mut wanted = wanted.into_iter();
        let mut running = JoinSet::new();
        loop {
            for wanted in wanted.by_ref().take(limit - running.len()) {
                let (project, old) = (self.project.clone(), self.old.clone());
                running.spawn(async move { (respond(&project, &wanted, old.as_ref()).await, wanted) });
            }
            let Some(first) = running.join_next().await else { return Ok(()) };
            // Received responses are written together, since each write wakes up another thread.
            let others = std::iter::from_fn(|| running.try_join_next());
            let mut members = Vec::new();
            for done in std::iter::once(first).chain(others) {
                let (response, wanted) = done?;
                members.extend(self.member_of(wanted, response?));
                advance();
            }
            let add = move |writer: &mut ArchiveWriter| {
                let add = |(name, content): (MemberName, Bytes)| Ok((name.to_string(), writer.add(&name, &content)?));
                members.into_iter().map(add).collect::<Result<Vec<_>, ArchiveError>>()
            };
            let added = self.write(add).await?;
            self.members.extend(added);
        }
    }

    /// The archive member for a response; `None` if the service refused it.
    fn member_of(&mut self, wanted: Wanted, response: ServiceResponse) -> Option<(MemberName, Bytes)> {
        let name = name_of(self.project, &wanted.endpoint);
        let WithEtag { content, etag, .. } = match response {
            ServiceResponse::New(response) => {
                self.traffic.downloaded += 1;
                self.traffic.bytes += response.content.len() as u64;
                response
            }
            ServiceResponse::Unchanged(response) => {
                self.traffic.kept += 1;
                response
            }
            ServiceResponse::Refused(status) => {
                self.traffic.downloaded += 1;
                self.refused.insert(name.to_string(), status);
                return None;
            }
        };
        if wanted.has_ids {
            self.responses.insert(wanted.endpoint.path, content.clone());
        }
        self.etags.extend(etag.map(|etag| (name.to_string(), etag)));
        Some((name, content))
    }

    /// Copies from the old archive, including refusals of the service. Returns the remaining requests.
    async fn copy(&mut self, old: &OldArchive, wanted: Vec<Wanted>) -> Result<Vec<Wanted>> {
        let (old, project) = (old.clone(), self.project.clone());
        let copy = move |writer: &mut ArchiveWriter| {
            let (mut members, mut refused, mut missing, mut responses) =
                (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for wanted in wanted {
                let name = name_of(&project, &wanted.endpoint);
                match old.response(&wanted.endpoint.path)? {
                    Some(Ok(content)) => {
                        members.push((name.to_string(), writer.add(&name, &content)?));
                        responses.extend(wanted.has_ids.then_some((wanted.endpoint.path, content)));
                    }
                    Some(Err(status)) => refused.push((name.to_string(), status)),
                    None => missing.push(wanted),
                }
            }
            Ok((members, refused, missing, responses))
        };
        let (members, refused, missing, responses) = self.write(copy).await?;
        self.responses.extend(responses);
        self.traffic.kept += (members.len() + refused.len()) as u64;
        self.members.extend(members);
        self.refused.extend(refused);
        Ok(missing)
    }

    /// Compresses on a separate thread, so that no request waits.
    async fn write<T: Send + 'static>(
        &mut self,
        write: impl FnOnce(&mut ArchiveWriter) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T> {
        let mut writer = self.writer.take().expect("only one thread writes at a time");
        let write = move || {
            let written = write(&mut writer);
            (writer, written)
        };
        let (writer, written) = blocking::run(write).await?;
        self.writer = Some(writer);
        Ok(written?)
    }

    /// True if diagrams, systems, members or teams changed since they were first read.
    async fn changed_meanwhile(&self) -> Result<bool> {
        for wanted in contents::with_ids(self.project.id()) {
            let name = name_of(self.project, &wanted.endpoint);
            let etag = self.etags.get(name.as_str()).map(String::as_str);
            let now = read_if_changed(self.project, &wanted, etag).await?;
            if now.is_some_and(|now| Some(&now.content) != self.responses.get(&wanted.endpoint.path)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn finish(mut self, ids: &Ids) -> Result<Manifest> {
        let state = self.state.take();
        let (changeid, service, mut loaded_from) = match state {
            Some(ProjectChangeId { changeid, service, loaded_from, merged: _ }) => {
                (Some(changeid), service, loaded_from)
            }
            None => (None, None, None),
        };
        if let Some(from) = &mut loaded_from {
            // The archive may also contain changes made while the project was read.
            let now = self.project.service_state().await?;
            from.edited |= now.and_then(|now| now.loaded_from).is_none_or(|now| now.edited);
        }
        let manifest = Manifest {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            projectid: self.project.id().clone(),
            source: self.project.client().root().to_owned(),
            created_at: Timestamp::now().to_string(),
            counts: ids.counts(),
            members: self.members,
            refused: self.refused,
            etags: self.etags,
            changeid,
            last_event: self.last_event,
            service,
            loaded_from,
            extra: JsonObject::default(),
        };
        let writer = self.writer.expect("no member is being written");
        blocking::run(move || writer.finish(&manifest).map(|()| manifest)).await?.map_err(Error::from)
    }
}

fn name_of(project: &Project, endpoint: &Endpoint) -> MemberName {
    member_name(project.id().as_str(), &endpoint.path).expect("every path of the project is a name")
}

/// The response to a request, or the status with which the service refused it.
enum ServiceResponse {
    New(WithEtag),
    /// Same as in the old archive.
    Unchanged(WithEtag),
    Refused(u16),
}

/// Reads the complete response to a request. If the resource is forbidden or missing, returns the status, unless it is required.
async fn respond(project: &Project, wanted: &Wanted, old: Option<&OldArchive>) -> Result<ServiceResponse> {
    let path = &wanted.endpoint.path;
    if wanted.is_picture()
        && let Some(old) = old
        && let Some(content) = old.content(path).await?
    {
        // The path identifies the picture: a diagram that looks different has another path.
        return Ok(ServiceResponse::Unchanged(WithEtag { content, etag: None, total: None, next: None }));
    }
    let known = old.and_then(|old| Some((old, old.etag(path)?)));
    match read_if_changed(project, wanted, known.map(|(_, etag)| etag)).await {
        Ok(Some(response)) => Ok(ServiceResponse::New(response)),
        Ok(None) => {
            let (old, etag) = known.ok_or_else(|| Error::Internal("304 without an ETag".to_owned()))?;
            let content = old.content(path).await?.unwrap_or_default();
            Ok(ServiceResponse::Unchanged(WithEtag { content, etag: Some(etag.to_owned()), total: None, next: None }))
        }
        Err(Error::Api { status: status @ (StatusCode::FORBIDDEN | StatusCode::NOT_FOUND), .. })
            if !wanted.is_required =>
        {
            Ok(ServiceResponse::Refused(status.as_u16()))
        }
        Err(error) => Err(error),
    }
}

/// `None`: 304 Not Modified, the resource still has this ETag.
async fn read_if_changed(project: &Project, wanted: &Wanted, etag: Option<&str>) -> Result<Option<WithEtag>> {
    let (transport, endpoint) = (&project.client().transport, &wanted.endpoint);
    if wanted.is_picture() {
        let content = transport.png(endpoint.clone()).await?;
        return Ok(Some(WithEtag { content, etag: None, total: None, next: None }));
    }
    if wanted.is_list || endpoint.listed_in.is_some() {
        transport.list_if_changed(endpoint, etag).await
    } else if [ALL_DIAGRAMS, ALL_DIAGRAM_DETAILS].map(|all| all.at(project.in_project())).contains(endpoint) {
        project.all_if_changed(endpoint, etag).await
    } else {
        transport.read_if_changed(endpoint, etag).await
    }
}
