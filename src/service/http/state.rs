//! What handlers share, and the ways in which they read and write.
//!
//! Each way checks the access within the transaction that answers.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::FromRef;
use serde::Serialize;

use super::drawing_queue::DrawingQueue;
use super::error::{ApiError, Result};
use super::group_commit::GroupCommit;
use super::paging::{Cut, Paging};
use super::request::auth::{Access, Granted, Member, Membership};
use super::request::bodies::BodyBudget;
use super::request::extract::PageParams;
use super::response::respond::{Json, PageResponse, encode};
use super::response::response_cache::ResponseCache;
use super::response::response_memory::{LARGE_RESPONSE, ResponseMemory};
use crate::blocking;
use crate::model::operations::ProjectPathIds;
use crate::service::limits::{LimitExceeded, Limits};
use crate::service::peer::Peer;
use crate::service::store::{
    self, Author, DatabaseUser, Digest, Permit, ProjectKey, Reader, Store, Usage, UserKey, Writer,
};

/// What every handler can reach. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Inner>);

struct Inner {
    store: Store,
    commits: GroupCommit,
    resources: Resources,
    /// What the paths of this workshop begin with, such as `/w/spring`. Requests come without it.
    prefix: Arc<str>,
}

impl AppState {
    pub fn new(store: Store, resources: Resources, prefix: impl Into<Arc<str>>) -> Self {
        let commits = GroupCommit::new(store.clone(), Duration::from_secs(resources.limits.write_seconds));
        AppState(Arc::new(Inner { store, commits, resources, prefix: prefix.into() }))
    }

    pub fn limits(&self) -> &Arc<Limits> {
        &self.0.resources.limits
    }

    /// What the paths of this workshop begin with; requests come without it.
    pub fn prefix(&self) -> &str {
        &self.0.prefix
    }

    pub fn commits(&self) -> &GroupCommit {
        &self.0.commits
    }

    pub fn drawing(&self) -> &DrawingQueue {
        &self.0.resources.drawing
    }

    /// A user of this workshop, told from those of others.
    pub fn user(&self, user: UserKey) -> DatabaseUser {
        self.0.store.number().user(user)
    }

    /// Responds with a resource that SQLite finds in microseconds, which is less than a change of threads takes. What the project
    /// shows is cached until the database changes.
    pub fn read_small<A: Access, T: Serialize>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T>,
    ) -> Result<Json<T>> {
        let store = &self.0.store;
        let peer = access.peer().cloned();
        let key = access.answer_key();
        if let Some(cached) = key.map_or(Ok(None), |key| store.cached_answer(&key))? {
            access.grant_again(store.number(), &cached.permit)?;
            return Ok(Json::from_encoded(cached.body));
        }
        let mut question = Some(question);
        let mut ask = |read: &Reader| {
            let granted = access.clone().grant(read)?;
            let permit = granted.permit();
            let question = question.take().ok_or(ApiError::Panic)?;
            Ok((permit, encode(&question(read, granted)?)?))
        };
        self.respond_small(key, &mut ask, peer.as_deref()).map(Json::from_encoded)
    }

    fn respond_small(&self, key: Option<Digest>, ask: &mut AskSmall<'_>, peer: Option<&Peer>) -> Result<Bytes> {
        let store = &self.0.store;
        let body = match key {
            Some(key) => store.read_answer(key, |read| {
                let (permit, body) = ask(read)?;
                // The memory of a large response is counted each time that it is given.
                Ok::<_, ApiError>((permit.filter(|_| body.len() < LARGE_RESPONSE), body))
            })?,
            None => store.read(|read| Ok(ask(read)))??.1.into(),
        };
        self.0.resources.responses.try_keep(body, user_of(peer))
    }

    /// Responds with a resource that may be as large as its project. It is made when it is the turn of its reader.
    pub async fn read_large<Ids: ProjectPathIds, T: Serialize + 'static>(
        &self,
        member: Member<Ids>,
        question: impl FnOnce(&Reader, Membership<Ids>) -> Result<T> + Send + 'static,
    ) -> Result<Json<T>> {
        let project_bytes = self.look_up(member.clone(), |read, member| Ok(read.project_bytes(member.project)?))?;
        let _turn = self.0.resources.responses.turn(member.peer().map(Arc::as_ref), project_bytes).await?;
        self.read(member, question).await
    }

    /// Responds with a resource of any size.
    pub async fn read<A: Access, T: Serialize + 'static>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<Json<T>> {
        let peer = access.peer().cloned();
        self.check_condition(&access)?;
        let ask = move |read: &Reader| {
            let granted = access.grant(read)?;
            Ok((encode(&question(read, granted)?)?, None))
        };
        self.respond(Box::new(ask), peer).await.map(|(body, _)| Json::from_encoded(body))
    }

    /// Responds with the page of a list that the request asks for.
    pub async fn read_page<A: Access, T: Serialize + 'static>(
        &self,
        access: A,
        PageParams { query, uri }: PageParams,
        question: impl FnOnce(&Reader, A::Granted) -> Result<Vec<T>> + Send + 'static,
    ) -> Result<PageResponse<T>> {
        let (paging, path) = (self.0.resources.paging, [&*self.0.prefix, uri.path()].concat());
        let peer = access.peer().cloned();
        self.check_condition(&access)?;
        let ask = move |read: &Reader| {
            let granted = access.grant(read)?;
            let query = query?;
            let (page, cut) = paging.page(question(read, granted)?, query, &path)?;
            Ok((encode(&page)?, cut))
        };
        let (body, cut) = self.respond(Box::new(ask), peer).await?;
        Ok(PageResponse { page: Json::from_encoded(body), cut })
    }

    /// Reads on a thread where this may take long, and counts the memory of the response until it is sent, if it is a large one.
    /// Compiled once for all operations.
    async fn respond(&self, ask: Ask, peer: Option<Arc<Peer>>) -> Result<(Bytes, Option<Cut>)> {
        let store = self.0.store.clone();
        // To the store, a refusal is a result like any other: its connection stays open.
        let (body, cut) = blocking::run(move || store.read(|read| Ok(ask(read)))).await???;
        let make_room = || self.0.resources.all_diagrams.clear();
        let body = self.0.resources.responses.keep(body.into(), user_of(peer.as_deref()), make_room).await?;
        Ok((body, cut))
    }

    /// Ends a request where the client has the response already: to find that out takes less than a change of threads.
    fn check_condition<A: Access>(&self, access: &A) -> Result<()> {
        if access.is_conditional() { self.look_up(access.clone(), |_, _| Ok(())) } else { Ok(()) }
    }

    /// Responds with all diagrams of a project. By far the largest response, and many clients ask for it at the same time: it is
    /// cached until the database changes.
    pub async fn read_all_diagrams<T: Serialize>(
        &self,
        member: Member,
        question: impl FnOnce(&Reader, ProjectKey) -> store::Result<T> + Send + 'static,
    ) -> Result<Json<T>> {
        let peer = member.peer().cloned();
        let project = self.look_up(member, |_, member| Ok(member.project))?;
        let response = self.0.resources.all_diagrams.get(&self.0.store, project, move |read| {
            question(read, project).and_then(|diagrams| encode(&diagrams)).map_err(ApiError::from)
        });
        let expected_bytes = self.0.resources.all_diagrams.last_bytes(self.0.store.number(), project);
        let body = self.0.resources.responses.keep_shared(user_of(peer.as_deref()), expected_bytes, response).await?;
        Ok(Json::from_encoded(body))
    }

    /// Changes the database, all or nothing. The history records the changes with the user who sent the request.
    pub async fn write<A: Access, T: Send + 'static>(
        &self,
        access: A,
        change: impl Fn(&Writer, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let body = access.peer().and_then(|peer| peer.body());
        let write = move |write: &Writer| {
            // What the body became is in memory until it is written, also if the client has gone meanwhile.
            let _body = &body;
            let granted = access.clone().grant(write)?;
            change(&write.by(Author::User(granted.user())), granted)
        };
        self.0.commits.write(write).await
    }

    /// Changes the diagrams or maps of a project, all or nothing. Refused where the project or the user would have more diagrams
    /// or bytes than they may.
    pub async fn write_within_quota<Ids: ProjectPathIds, T: Send + 'static>(
        &self,
        member: Member<Ids>,
        change: impl Fn(&Writer, Membership<Ids>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let limits = self.limits().clone();
        let change_and_check = move |write: &Writer, member: Membership<Ids>| {
            let (project, user) = (member.project, member.user);
            let before = write.usage(project, user)?;
            let result = change(write, member)?;
            check_growth(&limits, before, write.usage(project, user)?)?;
            Ok(result)
        };
        self.write(member, change_and_check).await
    }

    /// Reads on this thread what SQLite finds in microseconds.
    pub fn look_up<A: Access, T>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T>,
    ) -> Result<T> {
        look_up(&self.0.store, access, question)
    }

    /// Reads on a thread where this may take long.
    pub async fn query<A: Access, T: Send + 'static>(
        &self,
        access: A,
        question: impl FnOnce(&Reader, A::Granted) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.check_condition(&access)?;
        let store = self.0.store.clone();
        blocking::run(move || look_up(&store, access, question)).await?
    }
}

/// Asks the database for an encoded response, and for what was cut off it.
type Ask = Box<dyn FnOnce(&Reader) -> Result<(Vec<u8>, Option<Cut>)> + Send>;
type AskSmall<'a> = dyn FnMut(&Reader) -> Result<(Option<Arc<Permit>>, Vec<u8>)> + 'a;

fn user_of(peer: Option<&Peer>) -> Option<DatabaseUser> {
    peer.and_then(Peer::user)
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

fn look_up<A: Access, T>(
    store: &Store,
    access: A,
    question: impl FnOnce(&Reader, A::Granted) -> Result<T>,
) -> Result<T> {
    // To the store, a refusal is a result like any other: its connection stays open.
    store.read(|read| Ok(access.grant(read).and_then(|granted| question(read, granted))))?
}

impl FromRef<AppState> for Store {
    fn from_ref(state: &AppState) -> Self {
        state.0.store.clone()
    }
}

impl FromRef<AppState> for Arc<BodyBudget> {
    fn from_ref(state: &AppState) -> Self {
        state.0.resources.bodies.clone()
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
    pub bodies: Arc<BodyBudget>,
    pub responses: Arc<ResponseMemory>,
    pub all_diagrams: ResponseCache,
    pub drawing: DrawingQueue,
}

impl Resources {
    pub fn new(limits: Arc<Limits>, paging: Paging) -> Self {
        let responses = Arc::new(ResponseMemory::new(limits.clone()));
        Resources {
            bodies: Arc::new(BodyBudget::new(limits.clone())),
            all_diagrams: ResponseCache::new(responses.clone()),
            responses,
            drawing: DrawingQueue::new(limits.clone()),
            limits,
            paging,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::service::http::paging::Paging;
    use crate::service::http::request::auth::Caller;
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
        let state = AppState::new(store.clone(), Resources::new(Arc::default(), Paging::default()), "");
        let request = Request::post("/").header(AUTHORIZATION, format!("Token {token}")).body(()).unwrap();
        let caller = Caller::from_request_parts(&mut request.into_parts().0, &state).await.unwrap();

        store.write(|write| write.revoke_tokens(user)).unwrap();

        let written = state.write(caller, |write, _| Ok(write.add_creation_code("FADO")?)).await;
        assert!(matches!(written, Err(ApiError::Unauthorized(_))), "{written:?}");
        assert!(!store.read(|read| read.has_creation_code("FADO")).unwrap());
    }
}
