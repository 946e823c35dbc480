//! A project in one file, as the client's `archive` writes it. The service sends itself the requests that the client would send.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRef, Request, State};
use axum::http::{StatusCode, header};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use tempfile::TempDir;
use tower::ServiceExt;

use crate::ROOT;
use crate::http::error::{ApiError, Overload, Result};
use crate::http::gate;
use crate::http::paging::MAX_PAGE_SIZE;
use crate::http::request::auth::{Access, Administrator, INVALID_TOKEN, OwnRequest};
use crate::http::request::conditional::ConditionalRequest;
use crate::http::request::extract::ApiRoot;
use crate::http::response::file::{FileResponse, ProjectArchive};
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{Store, StoreError};
use geodesign::archive::contents::{self, Ids, Responses, Undecodable, Wanted};
use geodesign::archive::{
    ArchiveError, ArchiveWriter, FORMAT, FORMAT_VERSION, Manifest, Member, MemberName, member_name,
};
use geodesign::model::operations::{ARCHIVE, FIRST_PAGE_SIZE, InProject, PROJECT_CHANGE_ID};
use geodesign::model::{JsonObject, ProjectChangeId, ProjectId};

/// Number of times that a project is read if it changes meanwhile.
const MAX_ATTEMPTS: usize = 3;
/// Responses of this many bytes together are written at once.
const WRITTEN_AT_ONCE: usize = 1024 * 1024;

pub fn routes() -> Routes {
    Routes::of("Administration")
        .operation(ARCHIVE, archive)
        .refuses(StatusCode::CONFLICT, "The project changed during each attempt to read it")
}

async fn archive(
    administrator: Administrator,
    State(state): State<AppState>,
    root: ApiRoot,
) -> Result<FileResponse<ProjectArchive>> {
    let patience = Duration::from_secs(state.limits().statement_seconds);
    let (folder, path) = gate::hold(1, patience, archived(administrator, &state, root)).await?;
    Ok(FileResponse::open(folder, &path).map_err(|source| failed(&path, source))?)
}

/// An archive of a project in a folder that is removed when it is dropped.
pub(super) async fn archived(
    administrator: Administrator,
    state: &AppState,
    root: ApiRoot,
) -> Result<(TempDir, PathBuf)> {
    let sender = administrator.sent().own_request();
    let (project, key) =
        state.look_up(administrator, |_, granted| Ok((granted.ids.projectid.clone(), granted.project)))?;
    let store = Store::from_ref(state);
    let folder = store.folder_to_send()?;
    let path = folder.path().join("project.zip");
    for _ in 0..MAX_ATTEMPTS {
        let last_event = store.read(|read| read.project_version(key))?.ok_or(ApiError::NotFound("project"))?.version;
        let mut filling = Filling::new(state, &project, sender.clone(), &path)?;
        let before = filling.state_of_project().await?;
        let ids = filling.read_all().await?;
        if !filling.changed_meanwhile().await? {
            filling.finish(&ids, root.0, before, last_event.to_string()).await?;
            return Ok((folder, path));
        }
    }
    Err(ApiError::Conflict(format!(
        "The project changed during each of {MAX_ATTEMPTS} attempts to read it. Try again when fewer people are drawing."
    )))
}

fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::Backup { path: path.to_owned(), source: source.into() }
}

/// An archive that is being filled.
struct Filling {
    operations: Router,
    state: AppState,
    project: ProjectId,
    sender: OwnRequest,
    /// `None` only while a thread writes.
    writer: Option<ArchiveWriter>,
    members: BTreeMap<String, Member>,
    refused: BTreeMap<String, u16>,
    etags: BTreeMap<String, String>,
    /// The responses that later steps need.
    responses: Responses,
}

impl Filling {
    fn new(state: &AppState, project: &ProjectId, sender: OwnRequest, path: &Path) -> Result<Self> {
        Ok(Filling {
            operations: state.operations(),
            state: state.clone(),
            project: project.clone(),
            sender,
            writer: Some(ArchiveWriter::create(path).map_err(unwritable)?),
            members: BTreeMap::new(),
            refused: BTreeMap::new(),
            etags: BTreeMap::new(),
            responses: Responses::new(),
        })
    }

    async fn read_all(&mut self) -> Result<Ids> {
        let project = self.project.clone();
        self.read(contents::of_project(&project, false)).await?;
        let mut ids = Ids::in_project(&project, &self.responses).map_err(unreadable)?;
        self.read(contents::of_teams(&project, &ids)).await?;
        ids.add_designs(&project, &self.responses).map_err(unreadable)?;
        let mut wanted: Vec<Wanted> =
            ids.diagrams.iter().flat_map(|&diagram| contents::of_diagram(&project, diagram)).collect();
        wanted.extend(contents::of_systems(&project, &ids));
        wanted.extend(contents::of_members(&project, &ids));
        wanted.extend(contents::of_designs(&project, &ids));
        self.read(wanted).await?;
        Ok(ids)
    }

    /// Reads responses, and writes them into the archive.
    async fn read(&mut self, wanted: Vec<Wanted>) -> Result<()> {
        let mut waiting: Vec<(MemberName, Bytes)> = Vec::new();
        for wanted in wanted {
            let name = member_name(self.project.as_str(), &wanted.endpoint.path).ok_or(ApiError::Panic)?;
            match self.ask(&wanted).await? {
                Answer::Response { content, etag } => {
                    if wanted.has_ids {
                        self.responses.insert(wanted.endpoint.path, content.clone());
                    }
                    self.etags.extend(etag.map(|etag| (name.to_string(), etag)));
                    waiting.push((name, content));
                }
                Answer::Refused(status) => drop(self.refused.insert(name.to_string(), status.as_u16())),
            }
            if waiting.iter().map(|(_, content)| content.len()).sum::<usize>() >= WRITTEN_AT_ONCE {
                self.write(std::mem::take(&mut waiting)).await?;
            }
        }
        self.write(waiting).await
    }

    /// Compresses members on a thread that no request needs.
    async fn write(&mut self, members: Vec<(MemberName, Bytes)>) -> Result<()> {
        let mut writer = self.writer.take().ok_or(ApiError::Panic)?;
        let write = move || {
            let added = |(name, content): (MemberName, Bytes)| Ok((name.to_string(), writer.add(&name, &content)?));
            let added = members.into_iter().map(added).collect::<std::result::Result<Vec<_>, ArchiveError>>();
            (writer, added)
        };
        let (writer, added) = gate::run(write).await?;
        self.writer = Some(writer);
        self.members.extend(added.map_err(unwritable)?);
        Ok(())
    }

    /// Sends a request on behalf of the same sender, and returns its response. A list is complete.
    async fn ask(&self, wanted: &Wanted) -> Result<Answer> {
        let query = match (wanted.is_list, wanted.endpoint.listed_in) {
            (true, _) => format!("?page_size={MAX_PAGE_SIZE}"),
            // As clients ask, so that the response has the ETag that they get later.
            (false, Some(_)) => format!("?page_size={FIRST_PAGE_SIZE}"),
            (false, None) => String::new(),
        };
        let request = Request::get(format!("{ROOT}/{}{query}", wanted.endpoint.path)).extension(self.sender.clone());
        let mut request = request.body(Body::empty()).map_err(|_| ApiError::Panic)?;
        let conditional = ConditionalRequest::begin(&mut request, self.state.paging());
        let Ok(mut response) = self.operations.clone().oneshot(request).await;
        let status = response.status();
        conditional.finish(status, response.headers_mut());
        let etag = response.headers().get(header::ETAG).and_then(|etag| etag.to_str().ok()).map(str::to_owned);
        match status {
            StatusCode::OK => {
                let content = to_bytes(response.into_body(), usize::MAX).await.map_err(|_| ApiError::Panic)?;
                // A page's ETag is not the list's.
                let etag = etag.filter(|_| !wanted.is_list);
                Ok(Answer::Response { content: if wanted.is_list { whole_list(content)? } else { content }, etag })
            }
            StatusCode::FORBIDDEN | StatusCode::NOT_FOUND if !wanted.is_required => Ok(Answer::Refused(status)),
            StatusCode::UNAUTHORIZED => Err(INVALID_TOKEN),
            StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => Err(ApiError::NotFound("project")),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                let limit = self.state.limits().memory_bytes;
                Err(Overload::of_service("Other requests read too much at the same time", "memory_bytes", limit).into())
            }
            _ => Err(ApiError::Panic),
        }
    }

    /// True if diagrams, systems, members or teams are not the same as when they were first read.
    async fn changed_meanwhile(&self) -> Result<bool> {
        for wanted in contents::with_ids(&self.project) {
            match self.ask(&wanted).await? {
                Answer::Response { content, .. } if self.responses.get(&wanted.endpoint.path) == Some(&content) => {}
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Completes the archive. `before` is the state of the project before anything was read.
    async fn finish(self, ids: &Ids, source: String, before: ProjectChangeId, last_event: String) -> Result<()> {
        let ProjectChangeId { changeid, service, mut loaded_from, merged: _ } = before;
        if let Some(from) = &mut loaded_from {
            // What was changed while the project was read may be in the archive, too.
            from.edited |= self.state_of_project().await?.loaded_from.is_none_or(|now| now.edited);
        }
        let manifest = Manifest {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            projectid: self.project,
            source,
            created_at: Timestamp::now().to_string(),
            counts: ids.counts(),
            members: self.members,
            refused: self.refused,
            etags: self.etags,
            changeid: Some(changeid),
            last_event: Some(last_event),
            service,
            loaded_from,
            extra: JsonObject::default(),
        };
        let writer = self.writer.ok_or(ApiError::Panic)?;
        gate::run(move || writer.finish(&manifest)).await?.map_err(unwritable)
    }

    /// Returns the project's change id and its origin.
    async fn state_of_project(&self) -> Result<ProjectChangeId> {
        let endpoint = PROJECT_CHANGE_ID.at(InProject::new(self.project.clone()));
        match self.ask(&Wanted { is_required: true, ..contents::one(endpoint) }).await? {
            Answer::Response { content, .. } => {
                serde_json::from_slice(&content).map_err(|error| StoreError::content(error).into())
            }
            Answer::Refused(_) => Err(ApiError::NotFound("project")),
        }
    }
}

/// A response of the service to its own request.
enum Answer {
    Response { content: Bytes, etag: Option<String> },
    Refused(StatusCode),
}

/// A page of a list in the envelope of a service.
#[derive(Deserialize)]
struct Envelope<'b> {
    #[serde(borrow)]
    results: &'b RawValue,
}

/// Removes the envelope from a list of one page.
fn whole_list(page: Bytes) -> Result<Bytes> {
    if page.starts_with(b"[") {
        return Ok(page);
    }
    let Envelope { results } = serde_json::from_slice(&page).map_err(StoreError::content)?;
    Ok(page.slice_ref(results.get().as_bytes()))
}

/// Returns the reason if a project is too large for an archive; a disk's failure goes to the log.
fn unwritable(error: ArchiveError) -> ApiError {
    match error {
        ArchiveError::Refused { .. } => ApiError::invalid(error),
        error => StoreError::content(error).into(),
    }
}

fn unreadable(error: Undecodable) -> ApiError {
    StoreError::content(error).into()
}
