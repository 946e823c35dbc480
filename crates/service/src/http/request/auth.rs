//! The permission to carry out an operation, by sender: anybody, any user, a member or an administrator of the project, or the operator of
//! the service. A guest of a project reads what a member does, and writes nothing.
//!
//! The first argument of every handler is an [`Access`]. Extracting it only reads the request. [`Access::grant`] asks the database in the
//! transaction that answers: this takes one lock less than asking before, and nothing changes between the permission and the response.
//!
//! A request is refused first for its token, then for a project that the user is not a member or guest of, then for a missing right, and
//! last for another invalid id in its path.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts, Path};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};
use base64::prelude::{BASE64_STANDARD, Engine};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use zeroize::Zeroizing;

use super::conditional::ConditionalRequest;
use crate::OGC;
use crate::http::error::{ApiError, Result};
use crate::http::gate::Pass;
use crate::peer::Peer;
use crate::store::{DatabaseNumber, Digest, ProjectKey, Reader, Store, UserKey, ValidToken, digest};
use geodesign::model::operations::{InProject, NoIds, PathIds, ProjectPathIds};
use geodesign::model::{Activity, ProjectId};
use geodesign_common::digest::sha256;

/// Any user with a valid token.
#[derive(Clone)]
pub struct Caller(Sent);

/// A user who is a member of the project in the path. Other users get the same response as for a project that does not exist, so
/// that ids cannot be probed.
#[derive(Clone)]
pub struct Member<Ids = InProject> {
    sent: Sent,
    ids: PathContent<Ids>,
}

/// A member who administers the project in the path.
#[derive(Clone)]
pub struct Administrator<Ids = InProject>(Member<Ids>);

/// The user who runs the service.
#[derive(Clone)]
pub struct Operator<Ids = NoIds> {
    sent: Sent,
    /// `None` if the path has an invalid id.
    ids: Option<Ids>,
}

/// The operator, confirmed by the database, and the ids in the path.
pub struct Operating<Ids = NoIds> {
    user: UserKey,
    pub ids: Ids,
}

/// Anybody, whatever the token.
#[derive(Clone)]
pub struct Visitor(Sent);

/// The permission that anybody has.
pub struct Visit;

/// A membership that the database confirmed, and the ids in the path.
pub struct Membership<Ids = InProject> {
    pub user: UserKey,
    pub project: ProjectKey,
    pub ids: Ids,
    permit: Arc<Permit>,
    /// Condition of a write.
    precondition: Option<Arc<ConditionalRequest>>,
    closed_with: Option<Activity>,
}

/// A link without names shows neither who the members are nor what each of them did.
const NO_NAMES: ApiError = ApiError::Forbidden("This link shows no names.");
const READS_ONLY: ApiError = ApiError::Forbidden("Guests can read, but not change anything.");
const WAITING: ApiError =
    ApiError::Forbidden("An administrator of the project has not admitted you yet. Wait, and try again.");

/// The recipient and the subject of a response from the database.
#[derive(Debug)]
pub struct Permit {
    pub user: UserKey,
    pub project: ProjectKey,
    /// Expiry of the user's token, as stored in the database: a token expires without a commit.
    pub token_expires_at: String,
    /// The change id of the project that the response shows.
    pub changeid: String,
    /// True if the response may have the names of members and authors.
    pub shows_names: bool,
}

impl<Ids> Membership<Ids> {
    /// Refuses a guest whose link shows no names.
    pub fn check_shows_names(&self) -> Result<()> {
        if self.permit.shows_names { Ok(()) } else { Err(NO_NAMES) }
    }

    /// True if the sender of the request sees the names of members and authors.
    pub fn shows_names(&self) -> bool {
        self.permit.shows_names
    }

    /// Refuses members a closed activity. Administrators may still do it.
    pub fn check_activity(&self, read: &Reader, activity: Activity) -> Result<()> {
        let state = read.activity(self.project, activity)?;
        if state.open || read.is_administrator(self.project, self.user)? {
            return Ok(());
        }
        let message = if state.message.is_empty() { String::new() } else { format!(" {}", state.message) };
        Err(ApiError::Closed { activity, message })
    }

    /// Refuses a change of what belongs to others, except by administrators.
    pub fn check_own(&self, read: &Reader, is_own: bool, refusal: &'static str) -> Result<()> {
        if is_own || read.is_administrator(self.project, self.user)? {
            Ok(())
        } else {
            Err(ApiError::Forbidden(refusal))
        }
    }

    /// Refuses a write that is meant for another state of the project, or of the resource with this change id.
    pub fn check_unchanged(&self, resource: Option<&str>) -> Result<()> {
        let precondition = self.precondition.as_ref();
        precondition.map_or(Ok(()), |precondition| precondition.check_unchanged(&self.permit.changeid, resource))
    }
}

impl Access for Caller {
    type Ids = NoIds;
    type Granted = UserKey;

    fn grant(self, read: &Reader) -> Result<UserKey> {
        let user = self.0.valid_token(read)?.user;
        self.0.check_guest(user)?;
        Ok(user)
    }

    fn sent(&self) -> &Sent {
        &self.0
    }
}

impl<Ids: PathIds> Access for Operator<Ids> {
    type Ids = Ids;
    type Granted = Operating<Ids>;

    fn grant(self, read: &Reader) -> Result<Operating<Ids>> {
        let user = self.sent.valid_token(read)?.user;
        if !read.is_operator(user)? {
            return Err(ApiError::Forbidden("Only the operator of the service may do this."));
        }
        Ok(Operating { user, ids: self.ids.ok_or(ApiError::NotFound("resource"))? })
    }

    fn sent(&self) -> &Sent {
        &self.sent
    }
}

impl<Ids: PathIds> Granted for Operating<Ids> {
    type Access = Operator<Ids>;

    fn user(&self) -> UserKey {
        self.user
    }
}

impl Access for Visitor {
    type Ids = NoIds;
    type Granted = Visit;

    fn grant(self, _read: &Reader) -> Result<Visit> {
        Ok(Visit)
    }

    fn sent(&self) -> &Sent {
        &self.0
    }
}

impl Granted for Visit {
    type Access = Visitor;

    fn user(&self) -> UserKey {
        UserKey::NOBODY
    }
}

impl Granted for UserKey {
    type Access = Caller;

    fn user(&self) -> UserKey {
        *self
    }
}

impl<Ids: ProjectPathIds> Granted for Membership<Ids> {
    type Access = Member<Ids>;

    fn user(&self) -> UserKey {
        self.user
    }

    fn permit(&self) -> Option<Arc<Permit>> {
        Some(self.permit.clone())
    }

    fn shows_names(&self) -> bool {
        self.permit.shows_names
    }

    fn check_open(&self, read: &Reader) -> Result<()> {
        self.closed_with.map_or(Ok(()), |activity| self.check_activity(read, activity))
    }
}

impl<Ids: ProjectPathIds> Access for Member<Ids> {
    type Ids = Ids;
    type Granted = Membership<Ids>;

    fn grant(self, read: &Reader) -> Result<Membership<Ids>> {
        self.grant_if(read, |_, _| Ok(()))
    }

    fn sent(&self) -> &Sent {
        &self.sent
    }
}

impl<Ids: ProjectPathIds> Access for Administrator<Ids> {
    type Ids = Ids;
    type Granted = Membership<Ids>;

    fn grant(self, read: &Reader) -> Result<Membership<Ids>> {
        self.0.grant_if(read, |user, project| {
            let refusal = ApiError::Forbidden("Only an administrator of the project may do this.");
            if read.is_administrator(project, user)? { Ok(()) } else { Err(refusal) }
        })
    }

    fn sent(&self) -> &Sent {
        &self.0.sent
    }
}

impl<Ids: ProjectPathIds> Member<Ids> {
    fn grant_if(self, read: &Reader, may: impl FnOnce(UserKey, ProjectKey) -> Result<()>) -> Result<Membership<Ids>> {
        let ValidToken { user, expires_at, shows_names } = self.sent.valid_token(read)?;
        let project = self.ids.projectid().map(|id| read.project_of_member(id, user)).transpose()?.flatten();
        let (project, changeid) = project.ok_or(ApiError::NotFound("project"))?;
        self.sent.check_guest(user)?;
        may(user, project)?;
        if !shows_names && Ids::NAMES.contains(&"username") {
            return Err(NO_NAMES);
        }
        match self.ids {
            PathContent::Ids(ids) => {
                let permit = Arc::new(Permit { user, project, token_expires_at: expires_at, changeid, shows_names });
                self.sent.not_modified_or(&permit)?;
                let Sent { precondition, closed_with, .. } = self.sent;
                Ok(Membership { user, project, ids, permit, precondition, closed_with })
            }
            PathContent::ProjectOnly(_) | PathContent::Unreadable => Err(ApiError::NotFound("resource")),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller
where
    Store: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = Caller(Sent { conditional: None, ..Sent::in_request(parts)? });
        check_before_body(caller, parts, state)
    }
}

impl<Ids: PathIds, S: Send + Sync> FromRequestParts<S> for Operator<Ids>
where
    Store: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let sent = Sent { conditional: None, ..Sent::in_request(parts)? };
        let ids = Path::<Ids>::from_request_parts(parts, state).await.ok().map(|Path(ids)| ids);
        check_before_body(Operator { sent, ids }, parts, state)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self> {
        Ok(Visitor(Sent { conditional: None, ..Sent::with_token(parts, Digest::default()) }))
    }
}

impl<Ids: ProjectPathIds, S: Send + Sync> FromRequestParts<S> for Member<Ids>
where
    Store: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let member = Member::in_request(parts, state).await?;
        check_before_body(member, parts, state)
    }
}

impl<Ids: ProjectPathIds, S: Send + Sync> FromRequestParts<S> for Administrator<Ids>
where
    Store: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let administrator = Administrator(Member::in_request(parts, state).await?.uncached());
        check_before_body(administrator, parts, state)
    }
}

impl<Ids: ProjectPathIds> Member<Ids> {
    async fn in_request<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<Self> {
        let sent = Sent::in_request(parts)?;
        let ids = match Path::<Ids>::from_request_parts(parts, state).await {
            Ok(Path(ids)) => PathContent::Ids(ids),
            Err(_) => match Path::<InProject>::from_request_parts(parts, state).await {
                Ok(Path(InProject { projectid })) => PathContent::ProjectOnly(projectid),
                Err(_) => PathContent::Unreadable,
            },
        };
        Ok(Member { sent, ids })
    }

    /// Makes the response depend on this text in addition to the path.
    pub fn depending_on(mut self, text: &str) -> Self {
        let named = utf8_percent_encode(text, NON_ALPHANUMERIC);
        let path = self.sent.uri.path_and_query().map(|path| path.as_str()).unwrap_or_default();
        let sign = if path.contains('?') { '&' } else { '?' };
        match Uri::try_from(format!("{path}{sign}{named}")) {
            Ok(uri) => self.sent.uri = uri,
            Err(_) => self.sent.conditional = None,
        }
        self
    }

    /// Excludes the response from caching, because it depends on more than what the project shows. It gets no ETag of the project.
    pub fn uncached(mut self) -> Self {
        self.sent.conditional = None;
        self
    }

    /// Marks a response that may be as large as its project, and is the same for all members.
    pub fn of_whole_project(mut self) -> Self {
        self.sent.is_of_whole_project = true;
        self
    }

    /// Distinguishes responses of the same path that depend on the query.
    pub fn in_variant(mut self, variant: &'static str) -> Self {
        self.sent.variant = variant;
        self
    }

    /// Gives each reader an ETag of their own, for a response that differs between readers.
    pub fn of_reader(mut self) -> Self {
        self.sent.is_of_reader = true;
        self
    }

    /// Prepares for a response without an end: keeps nothing that would hold the buffer of the request.
    pub fn of_a_stream(mut self) -> Self {
        self.sent.uri = Uri::default();
        self.uncached()
    }
}

impl Member {
    /// Returns a member of the project with this id, for paths with another form of the id.
    pub fn of_project<S>(parts: &Parts, state: &S, projectid: &str) -> Result<Self>
    where
        Store: FromRef<S>,
    {
        let ids =
            projectid.parse().map_or(PathContent::Unreadable, |projectid| PathContent::Ids(InProject { projectid }));
        check_before_body(Member { sent: Sent::in_request(parts)?, ids }, parts, state)
    }
}

/// Checks access before the body of a write is read. The write's transaction checks again, in case the token is revoked meanwhile.
fn check_before_body<A: Access, S>(access: A, parts: &Parts, state: &S) -> Result<A>
where
    Store: FromRef<S>,
{
    if !parts.method.is_safe() {
        Store::from_ref(state).read(|read| Ok(access.clone().grant(read)))??;
    }
    Ok(access)
}

/// Ids in the path of a request. An invalid id counts as one that does not exist.
#[derive(Clone)]
enum PathContent<Ids> {
    Ids(Ids),
    /// Another id in the path is invalid.
    ProjectOnly(ProjectId),
    Unreadable,
}

impl<Ids: ProjectPathIds> PathContent<Ids> {
    fn projectid(&self) -> Option<&ProjectId> {
        match self {
            PathContent::Ids(ids) => Some(ids.projectid()),
            PathContent::ProjectOnly(project) => Some(project),
            PathContent::Unreadable => None,
        }
    }
}

/// The digest of a token, as an extension of a request that the service sends to itself on behalf of another request's sender.
#[derive(Clone)]
pub struct OwnRequest(Digest);

/// Effect of an operation, as an extension of its request.
#[derive(Clone, Copy)]
pub enum Effect {
    Reads,
    /// The activity, if it can be closed to members.
    Writes(Option<Activity>),
}

/// The parts of a request that are read before the database is asked.
#[derive(Clone)]
pub struct Sent {
    /// The digest of the token.
    token: Digest,
    /// The other end of the connection, if the request came over one.
    pub peer: Option<Arc<Peer>>,
    pass: Pass,
    /// For a read of what the project shows: a response that the client already has is not sent again.
    conditional: Option<Arc<ConditionalRequest>>,
    /// For a write that may be meant for one state of the project only.
    precondition: Option<Arc<ConditionalRequest>>,
    uri: Uri,
    /// True for a write.
    writes: bool,
    closed_with: Option<Activity>,
    /// True if the response may be as large as its project, and is the same for all members.
    pub is_of_whole_project: bool,
    /// The part of the query on which a response of the whole project depends.
    variant: &'static str,
    /// True if readers of the same path get different responses.
    is_of_reader: bool,
}

impl Sent {
    fn in_request(parts: &Parts) -> Result<Self> {
        if let Some(OwnRequest(token)) = parts.extensions.get() {
            return Ok(Sent::with_token(parts, *token));
        }
        let sent = Sent::with_token(parts, digest(&token_in(parts.uri.path(), &parts.headers)?));
        sent.pass.note_token(&sent.token);
        Ok(sent)
    }

    /// A request of the service itself, on behalf of this request's sender.
    pub fn own_request(&self) -> OwnRequest {
        OwnRequest(self.token)
    }

    fn with_token(parts: &Parts, token: Digest) -> Self {
        let conditional = ConditionalRequest::of(parts).cloned();
        let (conditional, precondition) =
            if parts.method.is_safe() { (conditional, None) } else { (None, conditional) };
        let effect = match parts.extensions.get() {
            _ if parts.method.is_safe() => Effect::Reads,
            Some(effect) => *effect,
            // Paths outside our operations write diagrams.
            None => Effect::Writes(Some(Activity::Drawing)),
        };
        let (writes, closed_with) = match effect {
            Effect::Reads => (false, None),
            Effect::Writes(closed_with) => (true, closed_with),
        };
        Sent {
            conditional,
            precondition,
            token,
            peer: parts.extensions.get::<Arc<Peer>>().cloned(),
            pass: Pass::current(),
            uri: parts.uri.clone(),
            writes,
            closed_with,
            is_of_whole_project: false,
            variant: "",
            is_of_reader: false,
        }
    }

    /// The token, if it is valid.
    fn valid_token(&self, read: &Reader) -> Result<ValidToken> {
        let token = read.token_with_digest(&self.token)?;
        self.note(read.database(), token.as_ref().map(|token| token.user));
        match token {
            Some(token) => {
                read.note_token_use(&self.token);
                Ok(token)
            }
            None if read.is_of_waiting(&self.token)? => Err(WAITING),
            None => Err(INVALID_TOKEN),
        }
    }

    /// Refuses a write of a guest.
    fn check_guest(&self, user: UserKey) -> Result<()> {
        if self.writes && user.is_guest() { Err(READS_ONLY) } else { Ok(()) }
    }

    /// Notes the use of the token for a response that needs no other access to the database.
    pub fn note_cached(&self, store: &Store, user: UserKey) {
        store.note_token_use(&self.token);
        self.note(store.number(), Some(user));
    }

    /// Notes the user of the token. If there are too many connections, the service keeps those of users.
    pub fn note(&self, database: DatabaseNumber, user: Option<UserKey>) {
        let user = user.map(|user| database.user(user));
        if let Some(peer) = &self.peer {
            peer.set_user(user);
        }
        user.into_iter().for_each(|user| self.pass.note_user(user));
    }

    /// Ends the request if the client already has the response.
    pub fn not_modified_or(&self, permit: &Permit) -> Result<()> {
        let Some(conditional) = &self.conditional else { return Ok(()) };
        if self.is_of_reader {
            return conditional.not_modified_or(&format!("{}-{}", permit.changeid, permit.user.0));
        }
        conditional.not_modified_or(&permit.changeid)
    }

    /// True if [`Access::grant`] may end the request because the client already has the response.
    pub fn is_conditional(&self) -> bool {
        self.conditional.as_ref().is_some_and(|conditional| conditional.is_conditional())
    }

    /// Returns a digest of everything but the database that the response to this token depends on; `None` if it is not cached.
    pub fn key(&self) -> Option<Digest> {
        self.conditional.as_ref()?;
        Some(sha256(&[&self.token, self.uri.path_and_query()?.as_str().as_bytes()]))
    }

    /// Returns the same for a response shared by all holders of such a permit.
    pub fn key_in(&self, permit: &Permit) -> Digest {
        let names = [u8::from(permit.shows_names)];
        sha256(&[&permit.project.0.to_le_bytes(), &names, self.variant.as_bytes(), self.uri.path().as_bytes()])
    }
}

pub const INVALID_TOKEN: ApiError = ApiError::Unauthorized("The token is invalid or has expired.");

/// True if a path accepts a token as a password, as GIS programs send it. A browser that has a password sends it with each request below
/// the same path, whichever page asks.
pub fn takes_password(path: &str) -> bool {
    path.strip_prefix(OGC).is_some_and(|rest| rest.starts_with('/'))
}

/// The token in the `Authorization` header of a request for a path within its workshop: `Token TOKEN`, `Bearer TOKEN`, or, for GIS
/// programs, `Basic` with any username and the token as the password.
pub fn token_in(path: &str, headers: &HeaderMap) -> Result<Zeroizing<String>> {
    let mut headers = headers.get_all(AUTHORIZATION).iter();
    let Some(header) = headers.next() else {
        return Err(ApiError::Unauthorized("Authentication credentials were not provided."));
    };
    // A proxy in between may have checked the other one.
    if headers.next().is_some() {
        return Err(ApiError::Unauthorized("The request has more than one Authorization header."));
    }
    let (scheme, credentials) = header.to_str().ok().and_then(|header| header.split_once(' ')).ok_or(INVALID_TOKEN)?;
    let credentials = credentials.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "token" | "bearer" => Ok(Zeroizing::new(credentials.to_owned())),
        "basic" if takes_password(path) => password(credentials).ok_or(INVALID_TOKEN),
        _ => Err(INVALID_TOKEN),
    }
}

/// The password in credentials of the scheme Basic (RFC 7617).
fn password(credentials: &str) -> Option<Zeroizing<String>> {
    let decoded = Zeroizing::new(BASE64_STANDARD.decode(credentials).ok()?);
    let (_, password) = str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(Zeroizing::new(password.to_owned()))
}

/// The sender of a request and, from its path, its subject.
pub trait Access: Clone + Send + 'static {
    /// The ids in the path of the operation.
    type Ids: PathIds;
    /// Facts from the database that the handler gets once the access is granted.
    type Granted: Granted;

    fn grant(self, read: &Reader) -> Result<Self::Granted>;

    fn sent(&self) -> &Sent;
}

/// Facts about the sender of a request that the database confirmed.
pub trait Granted: 'static {
    /// The access that requires no more than this.
    type Access: Access<Granted = Self>;

    fn user(&self) -> UserKey;

    /// True if the response may have the names of members and authors.
    fn shows_names(&self) -> bool {
        true
    }

    /// Refuses a write that an administrator closed to members.
    fn check_open(&self, _read: &Reader) -> Result<()> {
        Ok(())
    }

    /// Permit to check before a cached response is sent again; `None` if responses are not cached.
    fn permit(&self) -> Option<Arc<Permit>> {
        None
    }
}
