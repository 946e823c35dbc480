//! State that handlers share, and the ways in which they read and write.
//!
//! Each way checks the access within the transaction that answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::FromRef;
use serde::Serialize;

use super::authority::RoomAuthority;
use super::error::{ApiError, Result};
use super::gate::{self, Gate, Pass};
use super::group_commit::GroupCommit;
use super::pages::Pages;
use super::paging::{ListLength, Paging, list_address};
use super::presence::Presence;
use super::request::auth::{Access, Granted, Member, Membership, Permit, Sent};
use super::request::keyed::{Keyed, Repeatable};
use super::request::origin::OwnNames;
use super::request::page_params::PageParams;
use super::response::cache::{CachedResponse, Key, LARGE_RESPONSE};
use super::response::memory::{Memory, leased_bytes};
use super::response::{HasList, Json, PageResponse, WholeResponse, encode};
use crate::limits::{LimitExceeded, Limits};
use crate::processes::Processes;
use crate::rate_limiter::RateLimiter;
use crate::store::{Author, ProjectKey, Reader, Store, Usage, UserKey, Writer};
use geodesign::model::AuthorityKey;
use geodesign::model::operations::ProjectPathIds;

/// Everything that handlers can reach. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Inner>);

struct Inner {
    store: Store,
    commits: GroupCommit,
    resources: Resources,
    presence: Presence,
    /// Prefix of this workshop's paths, such as `/w/spring`. Requests come without it.
    prefix: Arc<str>,
    operations: fn(AppState) -> Router,
}

impl AppState {
    /// `operations` makes the router of all operations, for those that call others.
    pub fn new(
        store: Store,
        resources: Resources,
        prefix: impl Into<Arc<str>>,
        operations: fn(AppState) -> Router,
    ) -> Self {
        let commits = GroupCommit::new(store.clone(), Duration::from_secs(resources.limits.write_seconds));
        let presence = Presence::default();
        AppState(Arc::new(Inner { store, commits, resources, presence, prefix: prefix.into(), operations }))
    }

    /// All operations of this workshop.
    pub fn operations(&self) -> Router {
        (self.0.operations)(self.clone())
    }

    pub fn limits(&self) -> &Arc<Limits> {
        &self.0.resources.limits
    }

    /// Prefix of this workshop's paths; requests come without it.
    pub fn prefix(&self) -> &str {
        &self.0.prefix
    }

    /// Identifies the service's own certificate authority in links, if it has one.
    pub fn authority_key(&self) -> Option<&AuthorityKey> {
        self.0.resources.authority.as_ref().map(|authority| &authority.key)
    }

    pub fn paging(&self) -> Paging {
        self.0.resources.paging
    }

    pub fn commits(&self) -> &GroupCommit {
        &self.0.commits
    }

    /// The members who are here.
    pub fn presence(&self) -> &Presence {
        &self.0.presence
    }

    pub fn wrong_codes(&self) -> &RateLimiter {
        &self.0.resources.wrong_codes
    }

    /// Python programs, if the service was started from Python.
    pub fn processes(&self) -> Option<&Processes> {
        self.0.resources.processes.as_deref()
    }

    /// Responds with a resource.
    pub async fn read<A: Access, T: Serialize>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<Json<T>> {
        let encoded = |read: &Reader, granted: A::Granted| Ok((encode(&question(read, granted)?)?, None));
        Ok(Json::from_encoded(self.respond(access, encoded).await?.0))
    }

    /// Responds with the page of a list that the request asks for.
    pub async fn read_page<A: Access, T: Serialize>(
        &self,
        access: A,
        PageParams { query, uri }: PageParams,
        question: impl FnOnce(&Reader, A::Granted) -> Result<Vec<T>> + Send + 'static,
    ) -> Result<PageResponse<T>> {
        let (paging, list) = (self.0.resources.paging, [&*self.0.prefix, &list_address(&uri)].concat());
        let encoded = move |read: &Reader, granted: A::Granted| {
            let query = query?;
            let (page, length) = paging.page(question(read, granted)?, query, &list)?;
            Ok((encode(&page)?, Some(length)))
        };
        let (body, length) = self.respond(access, encoded).await?;
        Ok(PageResponse { page: Json::from_encoded(body), length })
    }

    /// Responds with a complete list, or an object that has one, whatever page a request asks for.
    pub async fn read_whole<A: Access, T: Serialize + HasList>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<WholeResponse<T>> {
        let encoded = |read: &Reader, granted: A::Granted| {
            let content = question(read, granted)?;
            Ok((encode(&content)?, Some(ListLength { count: content.length(), next: None })))
        };
        let (body, length) = self.respond(access, encoded).await?;
        Ok(WholeResponse { content: Json::from_encoded(body), length })
    }

    /// Asks `question` once the access is granted, unless the response is cached.
    async fn respond<A: Access>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<(Vec<u8>, Option<ListLength>)> + Send + 'static,
    ) -> Result<(Bytes, Option<ListLength>)> {
        let sent = access.sent().clone();
        let begun = self.begin(&sent, &|read| {
            let granted = access.clone().grant(read)?;
            Ok((granted.user(), granted.permit()))
        })?;
        let ask = move |read: &Reader| {
            let granted = access.grant(read)?;
            let (user, permit) = (granted.user(), granted.permit());
            let (body, length) = question(&shown_to(read, &granted), granted)?;
            Ok(Asked { user, permit, body, length })
        };
        self.finish(begun, Box::new(ask)).await
    }

    /// Looks up what is known of a response on this thread: changing threads takes longer than most queries. Ends the request if the client
    /// already has the response.
    fn begin(&self, sent: &Sent, grant: &Grant<'_>) -> Result<Begun> {
        let Inner { store, resources: Resources { memory, .. }, .. } = &*self.0;
        // To the store, a refusal is a result like any other: its connection stays open.
        let granted = || store.read(|read| Ok(grant(read)))?;
        if sent.is_of_whole_project {
            let (user, permit) = granted()?;
            let permit = permit.ok_or(ApiError::Panic)?;
            let key = (store.number(), sent.key_in(&permit));
            return Ok(Begun::WholeProject { user, project: permit.project, key });
        }
        let key = sent.key().map(|key| (store.number(), key));
        if let Some(key) = key {
            if let Some(cached) = memory.cache.get(&key, store, Instant::now())? {
                let permit = cached.permit.as_deref().ok_or(ApiError::Panic)?;
                sent.note_cached(store, permit.user);
                sent.not_modified_or(permit)?;
                return Ok(Begun::Cached(cached));
            }
            if memory.cache.was_quick(&key) {
                return Ok(Begun::Quick(key));
            }
        }
        if sent.is_conditional() {
            granted()?;
        }
        Ok(Begun::Unknown(key))
    }

    async fn finish(&self, begun: Begun, ask: Ask) -> Result<(Bytes, Option<ListLength>)> {
        let Inner { store, resources: Resources { memory, .. }, .. } = &*self.0;
        let (key, made) = match begun {
            Begun::Cached(cached) => return Ok((cached.body, cached.length)),
            Begun::WholeProject { user, project, key } => {
                // Waits for a share of the memory before there is a response, so that the wait keeps none from being dropped.
                let user = store.number().user(user);
                let mut lease = memory.share(user, memory.cache.last_bytes(&key).unwrap_or_default()).await?;
                let (body, length) = self.read_shared(project, key, ask).await?;
                memory.extend(&mut lease, body.len()).await?;
                return Ok((leased_bytes(body, lease), length));
            }
            Begun::Quick(key) => (Some(key), make(store, ask)?),
            Begun::Unknown(key) => {
                let store = store.clone();
                (key, gate::run(move || make(&store, ask)).await??)
            }
        };
        let Made { user, mut response } = made;
        if response.body.len() >= LARGE_RESPONSE {
            key.iter().for_each(|key| memory.cache.remove(key));
            let lease = memory.share(store.number().user(user), response.body.len()).await?;
            response.body = leased_bytes(memory.keep(response.body, memory.empty_lease(None)).await?, lease);
        } else if let Some(key) = key {
            memory.cache.insert(key, response.clone());
        }
        Ok((response.body, response.length))
    }

    /// Returns a response that many clients request at the same time: it is made once, in its turn, and cached.
    async fn read_shared(&self, project: ProjectKey, key: Key, ask: Ask) -> Result<(Bytes, Option<ListLength>)> {
        let (store, memory, limits) = (self.0.store.clone(), self.0.resources.memory.clone(), self.limits());
        let requested_at = Instant::now();
        let cached = || {
            let cached = memory.cache.get(&key, &store, requested_at)?;
            Ok::<_, ApiError>(cached.map(|cached| (cached.body, cached.length)))
        };
        let making = memory.making(key);
        // A request that waits for the response of another needs no turn.
        drop(making.lock().await);
        if let Some(cached) = cached()? {
            return Ok(cached);
        }
        let project_bytes = store.read(|read| read.project_bytes(project))?;
        // One of the largest project takes all places of its user.
        let bytes_of_place = (limits.project_bytes / limits.heavy_requests_per_user).max(1);
        let patience = Duration::from_secs(limits.statement_seconds);
        let turn = Pass::current().turn(project_bytes.div_ceil(bytes_of_place), patience).await?;
        let first = making.lock_owned().await;
        if let Some(cached) = cached()? {
            return Ok(cached);
        }
        let pass = turn.enter().await?;
        let lease = memory.to_make(project_bytes).await?;
        memory.cache.give_up(&key);
        // Not cancelled with its request, as others may wait for the response.
        let making = async move {
            let _until_made = first;
            let mut response = gate::run(move || make(&store, ask)).await??.response;
            response.body = memory.keep(response.body, lease).await?;
            response.permit = None;
            memory.cache.insert(key, response.clone());
            Ok((response.body, response.length))
        };
        tokio::spawn(pass.scope(making)).await?
    }

    /// Changes the database, all or nothing, unless the change is closed to members. The history records the changes with the user who
    /// sent the request.
    pub async fn write<A: Access, T: Send + 'static>(
        &self,
        access: A,
        change: impl Fn(&Writer, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.write_once_granted(access, while_open(change)).await
    }

    async fn write_once_granted<A: Access, T: Send + 'static>(
        &self,
        access: A,
        change: impl Fn(&Writer, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let body = access.sent().peer.as_ref().and_then(|peer| peer.body());
        let write = move |write: &Writer| {
            // What the body became is in memory until it is written, also if the client has gone meanwhile.
            let _body = &body;
            let granted = access.clone().grant(write)?;
            change(&write.by(Author::from(granted.user())), granted)
        };
        self.0.commits.write(write).await
    }

    /// The same for a change that adds something. A repeated request with the same key adds nothing and gets the first response, even if
    /// adding is closed meanwhile.
    pub async fn add<A: Access, T: Repeatable>(
        &self,
        access: Keyed<A>,
        change: impl Fn(&Writer, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (key, change) = (access.key(), while_open(change));
        let add = move |write: &Writer, granted: A::Granted| match &key {
            Some(key) => key.once(write, granted, &change),
            None => change(write, granted),
        };
        self.write_once_granted(access, add).await
    }

    /// Adds diagrams to a project as [`AppState::add`] does, within the limits of [`AppState::write_within_quota`].
    pub async fn add_within_quota<Ids: ProjectPathIds, T: Repeatable>(
        &self,
        member: Keyed<Member<Ids>>,
        change: impl Fn(&Writer, Membership<Ids>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.add(member, within_quota(self.limits().clone(), change)).await
    }

    /// Changes the diagrams or maps of a project, all or nothing. Refused if the project or the user would exceed a limit of diagrams or bytes.
    pub async fn write_within_quota<Ids: ProjectPathIds, T: Send + 'static>(
        &self,
        member: Member<Ids>,
        change: impl Fn(&Writer, Membership<Ids>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.write(member, within_quota(self.limits().clone(), change)).await
    }

    /// Reads on this thread what SQLite finds in microseconds.
    pub fn look_up<A: Access, T>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T>,
    ) -> Result<T> {
        let answer = |read: &Reader| {
            let granted = access.grant(read)?;
            question(&shown_to(read, &granted), granted)
        };
        self.0.store.read(|read| Ok(answer(read)))?
    }
}

/// The transaction, without names unless the access shows them.
fn shown_to<'c>(read: &Reader<'c>, granted: &impl Granted) -> Reader<'c> {
    if granted.shows_names() { *read } else { read.without_names() }
}

type Grant<'a> = dyn Fn(&Reader) -> Result<(UserKey, Option<Arc<Permit>>)> + 'a;
/// Asks the database for a response.
type Ask = Box<dyn FnOnce(&Reader) -> Result<Asked> + Send>;

struct Asked {
    user: UserKey,
    permit: Option<Arc<Permit>>,
    body: Vec<u8>,
    length: Option<ListLength>,
}

/// State of a response before it is made.
enum Begun {
    Cached(CachedResponse),
    /// Small and made within microseconds, the last time.
    Quick(Key),
    /// Without a key, it is not cached.
    Unknown(Option<Key>),
    WholeProject {
        user: UserKey,
        project: ProjectKey,
        key: Key,
    },
}

struct Made {
    user: UserKey,
    response: CachedResponse,
}

fn make(store: &Store, ask: Ask) -> Result<Made> {
    // The version is read before the body. A write in between is in the body, and makes it outdated all the same.
    let (read_at, version) = (Instant::now(), store.version()?);
    let Asked { user, permit, body, length } = store.read(|read| Ok(ask(read)))??;
    // Without spare capacity, as it may be cached.
    let body = Bytes::from(body.into_boxed_slice());
    Ok(Made { user, response: CachedResponse { permit, body, length, version, read_at, took: read_at.elapsed() } })
}

/// Returns the same change, refused while an administrator has closed it to members.
fn while_open<G: Granted, T>(change: impl Fn(&Writer, G) -> Result<T>) -> impl Fn(&Writer, G) -> Result<T> {
    move |write, granted| {
        granted.check_open(write)?;
        change(write, granted)
    }
}

/// Returns the same change, refused if the project or the user would exceed a limit.
fn within_quota<Ids: ProjectPathIds, T>(
    limits: Arc<Limits>,
    change: impl Fn(&Writer, Membership<Ids>) -> Result<T>,
) -> impl Fn(&Writer, Membership<Ids>) -> Result<T> {
    move |write, member| {
        let (project, user) = (member.project, member.user);
        let before = write.usage(project, user)?;
        let result = change(write, member)?;
        check_growth(&limits, before, write.usage(project, user)?)?;
        Ok(result)
    }
}

fn check_growth(limits: &Limits, before: Usage, after: Usage) -> std::result::Result<(), LimitExceeded> {
    let totals = [
        (limits.project_diagrams(), "the project", before.project_diagrams, after.project_diagrams),
        (limits.project_bytes(), "the project", before.project_bytes, after.project_bytes),
        (limits.user_bytes(), "the user", before.user_bytes, after.user_bytes),
    ];
    totals
        .into_iter()
        .try_for_each(|(limit, owner, before, after)| limit.check_total(owner, before, after.saturating_sub(before)))
}

impl FromRef<AppState> for Store {
    fn from_ref(state: &AppState) -> Self {
        state.0.store.clone()
    }
}

impl FromRef<AppState> for Arc<Memory> {
    fn from_ref(state: &AppState) -> Self {
        state.0.resources.memory.clone()
    }
}

impl FromRef<AppState> for Arc<Limits> {
    fn from_ref(state: &AppState) -> Self {
        state.limits().clone()
    }
}

/// Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Resources {
    pub limits: Arc<Limits>,
    pub paging: Paging,
    /// The service's own certificate authority, if it has one.
    pub authority: Option<RoomAuthority>,
    /// The pages for browsers, unless the service leaves them out.
    pub pages: Option<Arc<Pages>>,
    pub memory: Arc<Memory>,
    pub gate: Arc<Gate>,
    /// The wrong joining codes of each address.
    pub wrong_codes: Arc<RateLimiter>,
    /// Python programs, if the service was started from Python.
    pub processes: Option<Arc<Processes>>,
    pub own_names: OwnNames,
}

impl Resources {
    pub fn new(limits: Arc<Limits>, paging: Paging) -> Self {
        Resources {
            memory: Arc::new(Memory::new(limits.clone())),
            gate: Arc::new(Gate::new(limits.clone())),
            wrong_codes: Arc::new(RateLimiter::per_second(limits.walk_ins_per_second)),
            limits,
            paging,
            authority: None,
            pages: None,
            processes: None,
            own_names: OwnNames::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::http::paging::Paging;
    use crate::http::request::auth::Caller;
    use axum::extract::FromRequestParts;
    use axum::extract::Request;
    use axum::http::header::AUTHORIZATION;

    use super::*;

    #[tokio::test]
    async fn a_write_is_refused_where_the_token_was_revoked_after_the_request_arrived() {
        let store = Store::open(None).unwrap();
        let username = "amara.okafor".parse().unwrap();
        let user = store.write(|write| write.add_user(&username)).unwrap();
        let token = store.issue_token(&username).unwrap();
        let state =
            AppState::new(store.clone(), Resources::new(Arc::default(), Paging::default()), "", |_| Router::new());
        let request = Request::post("/").header(AUTHORIZATION, format!("Token {token}")).body(()).unwrap();
        let caller = Caller::from_request_parts(&mut request.into_parts().0, &state).await.unwrap();

        store.write(|write| write.revoke_tokens(user)).unwrap();

        let written = state.write(caller, |write, _| Ok(write.add_creation_code("FADO")?)).await;
        assert!(matches!(written, Err(ApiError::Unauthorized(_))), "{written:?}");
        assert!(!store.read(|read| read.has_creation_code("FADO")).unwrap());
    }
}
