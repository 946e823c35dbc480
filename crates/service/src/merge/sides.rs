//! The two sides of a merge: the archive of a copy, and the project here.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;

use crate::limits::Limits;
use crate::load::{LoadError, PreparedArchive};
use crate::store::{OPERATOR, ProjectKey, Reader, Result, Store, StoreError, UserKey};
use geodesign::model::{DiagramId, LoadedFrom, ProjectId, TeamId, Username, Work, WorkKind, WorkState};

/// The name of the archive in messages: it came in a request.
const NAME: &str = "(the body)";
const HISTORY_MEMBER: &str = "history.json";

/// An archive of a copy, loaded.
pub struct Copy {
    /// The id of its service.
    pub service: String,
    /// When it was finished.
    pub created_at: String,
    /// The states that the copy began with.
    pub origins: Vec<WorkState>,
    pub store: Store,
    pub project: ProjectKey,
    pub work: Work,
    pub authors: BTreeMap<String, String>,
}

/// The project that an archive is merged into, and the user who merges it.
pub struct Here {
    pub project: ProjectKey,
    pub user: UserKey,
    pub username: Username,
    pub is_administrator: bool,
    pub work: Work,
    /// The ids of the user's diagrams and teams, and of the threads that the user may resolve.
    pub own_diagrams: HashSet<String>,
    pub own_teams: HashSet<String>,
    pub own_threads: HashSet<String>,
}

/// The reason why an archive is not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("it is an archive of the project {found}, not of {wanted}; merge it into that project")]
    OtherProject { found: ProjectId, wanted: ProjectId },
    #[error(
        "the service that the archive was read from gave no id, so the state that both sides began with is unknown; archive the copy again \
         with this version of pygeodesign"
    )]
    NoService,
    #[error(
        "the maker of the archive was not allowed to read {0}, so removals in the copy are unknown; have an administrator of the copy archive it"
    )]
    Incomplete(String),
    #[error(
        "the archive and this project have no common origin: neither was loaded from an archive of the other, nor both from the same one"
    )]
    NoCommonOrigin,
}

impl Copy {
    /// Verifies and loads an archive of a project, within the limits of every archive that is loaded.
    pub fn read(content: Bytes, wanted: &ProjectId, limits: &Arc<Limits>) -> std::result::Result<Self, MergeError> {
        let (archive, store) = PreparedArchive::read_content(content, Path::new(NAME), limits)?;
        if archive.projectid() != wanted {
            return Err(MergeError::OtherProject { found: archive.projectid().clone(), wanted: wanted.clone() });
        }
        let LoadedFrom { service, created_at, .. } = archive.read_from().clone();
        let service = service.ok_or(MergeError::NoService)?;
        // What is missing would count as removed. The history is not merged; older services refused it to members.
        if let Some(missing) = archive.refused().iter().find(|name| *name != HISTORY_MEMBER) {
            return Err(MergeError::Incomplete(missing.clone()));
        }
        let (project, authors) = store.read(|read| {
            let project = read.project_key(wanted)?;
            let summaries = read.diagram_summaries(project)?;
            let authors = summaries.into_iter().map(|one| (one.id.to_string(), one.author.unwrap_or_default()));
            Ok((project, authors.collect()))
        })?;
        let mut origins = archive.into_origins();
        let work = origins.pop().map(|state| state.work).unwrap_or_default();
        Ok(Copy { service, created_at, origins, store, project, work, authors })
    }

    pub fn author(&self, diagram: &str) -> String {
        self.authors.get(diagram).cloned().unwrap_or_default()
    }
}

impl Here {
    pub fn read(read: &Reader, project: ProjectKey, user: UserKey, username: Username) -> Result<Self> {
        let is_administrator = read.is_administrator(project, user)?;
        let work = read.work(project)?;
        let own = |kind, is_own: &dyn Fn(&str) -> Result<bool>| -> Result<HashSet<String>> {
            let mut found = HashSet::new();
            for id in work.get(&kind).into_iter().flat_map(BTreeMap::keys) {
                if is_own(id)? {
                    found.insert(id.clone());
                }
            }
            Ok(found)
        };
        let (own_diagrams, own_teams, own_threads) = if is_administrator {
            // Administrators may change everything and need no list of their own.
            Default::default()
        } else {
            let is_author = |id: &str| {
                let author = id.parse().map_or(Ok(None), |id| read.author_of(project, DiagramId(id)))?;
                Ok(author == Some(user))
            };
            let is_in = |id: &str| id.parse().map_or(Ok(false), |id| read.is_in_team(TeamId(id), user));
            let may_resolve = |id: &str| id.parse().map_or(Ok(false), |id| read.may_resolve(&id, user));
            (own(WorkKind::Diagram, &is_author)?, own(WorkKind::Team, &is_in)?, own(WorkKind::Comment, &may_resolve)?)
        };
        Ok(Here { project, user, username, is_administrator, work, own_diagrams, own_teams, own_threads })
    }

    /// True if the work of this user of a copy counts as the merging user's. A copy on a member's own machine is used by its operator.
    pub fn stands_for(&self, username: &str) -> bool {
        username == self.username.as_str() || username == OPERATOR
    }
}
