//! The handles whose methods are the operations.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use bytes::Bytes;
use parking_lot::Mutex;
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::bad_rows::BadRows;
use super::http::{Forwarded, RequestBody, Transport};
use super::reference::{Reference, Titled, among};
use super::{Config, Error, Result, shown};
use geodesign::features::FeatureCollection;
use geodesign::model::operations::{Endpoint, InDesign, InDiagram, InProject, InSystem, InTeam, OfMemberInSystem};
use geodesign::model::{DesignId, DiagramId, ProjectId, ProjectInfo, StudyArea, SystemId, TeamId, Username};
use geodesign_common::per_process::PerProcess;

/// A connection to the service as one user. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    pub(super) transport: Transport,
}

impl Client {
    /// Checks the configuration; sends nothing.
    pub fn new(config: Config) -> Result<Self> {
        Ok(Client::with(Transport::new(config)?))
    }

    /// Sends a request for any operation; returns the body of the response.
    pub async fn call(&self, endpoint: &Endpoint, body: Option<RequestBody>) -> Result<Bytes> {
        self.transport.call(endpoint, body).await
    }

    /// Returns a list, or the object that contains it, with the items of all pages.
    pub async fn whole_list(&self, endpoint: &Endpoint) -> Result<Bytes> {
        Ok(self.transport.whole_list(endpoint).await?.content)
    }

    /// Forwards a request of another program, such as a map in a notebook, unchanged: JSON, with these headers.
    pub async fn forward(&self, endpoint: Endpoint, body: Option<Bytes>, headers: HeaderMap) -> Result<Forwarded> {
        self.transport.forward(endpoint, body, headers).await
    }

    pub(super) fn with(transport: Transport) -> Self {
        Client { transport }
    }

    pub fn config(&self) -> &Config {
        self.transport.config()
    }

    /// The API root, ending in `/api/v1/`.
    pub fn root(&self) -> &str {
        self.transport.root()
    }

    /// True if the service runs on this machine and the connection to it is not encrypted.
    pub fn is_on_this_machine(&self) -> bool {
        self.transport.is_on_this_machine()
    }

    pub(super) async fn get<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<T> {
        self.transport.get(endpoint).await
    }

    pub(super) async fn list<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<Vec<T>> {
        self.transport.list(endpoint).await
    }

    pub(super) async fn delete(&self, endpoint: Endpoint) -> Result<()> {
        self.transport.delete(endpoint).await
    }

    /// A handle on a project; sends nothing.
    pub fn project(&self, id: ProjectId) -> Project {
        self.project_named(ProjectName { id: id.into(), title: String::new(), was_found: AtomicBool::new(false) })
    }

    /// Returns a handle on a project by its title, in upper or lower case, or by the title's unique start. Sends nothing:
    /// [`Project::find`] does.
    pub fn project_titled(&self, title: String) -> Project {
        self.project_named(ProjectName { id: OnceLock::new(), title, was_found: AtomicBool::new(false) })
    }

    fn project_named(&self, name: ProjectName) -> Project {
        Project { client: self.clone(), name: Arc::new(name), study_area: Arc::new(RememberedStudyArea::new()) }
    }
}

/// A project of the service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Project {
    client: Client,
    name: Arc<ProjectName>,
    study_area: Arc<RememberedStudyArea>,
}

/// Reference to a project: its id, or its title until it is found.
#[derive(Debug)]
struct ProjectName {
    id: OnceLock<ProjectId>,
    title: String,
    /// True after a response about the project: a later 404 is about something in it.
    was_found: AtomicBool,
}

/// Placeholder id of a project that has not been found yet. No project has it.
static NOT_FOUND: LazyLock<ProjectId> = LazyLock::new(|| "0000000000000000".parse().expect("it has 16 digits"));

impl Project {
    /// The project's id. A project given by its title has it once [`Project::find`] was called.
    pub fn id(&self) -> &ProjectId {
        self.name.id.get().unwrap_or(&NOT_FOUND)
    }

    /// The project's title as given, until the project is found.
    pub fn sought(&self) -> Option<&str> {
        self.name.id.get().is_none().then_some(&self.name.title)
    }

    /// Looks up a project by its title among the user's projects, once. If the id is known, no request is sent.
    pub async fn find(&self) -> Result<()> {
        if let Some(title) = self.sought() {
            let title = Reference::Title(title.to_owned());
            let projects = self.client.projects().await?;
            let id = among(&title, &projects)?.id.clone();
            self.name.id.get_or_init(|| id);
        }
        Ok(())
    }

    /// Notes a response about the project.
    pub fn note_found(&self) {
        self.name.was_found.store(true, Ordering::Relaxed);
    }

    /// True after a response about the project.
    pub fn was_found(&self) -> bool {
        self.name.was_found.load(Ordering::Relaxed)
    }

    /// Lists the user's projects in words, if this is not one of them.
    pub async fn listed_instead(&self) -> Option<String> {
        let projects = self.client.projects().await.ok()?;
        let unknown = among(&Reference::Id(self.id().clone()), &projects).err()?;
        let unknown = unknown.to_string();
        Some(unknown[..1].to_uppercase() + &unknown[1..])
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// See [`Client::is_on_this_machine`].
    pub fn is_on_this_machine(&self) -> bool {
        self.client.is_on_this_machine()
    }

    /// The same project with at most this many requests per second. It shares the connections.
    pub fn paced(&self, requests_per_second: f64) -> Self {
        let transport = self.client.transport.paced(requests_per_second);
        Project { client: Client { transport }, ..self.clone() }
    }

    /// The same project, where an unreadable row is an error, see [`Config::strict`].
    pub fn strictly(&self) -> Self {
        Project { client: Client { transport: self.client.transport.strictly() }, ..self.clone() }
    }
}

/// Helpers for sending a project's operations.
impl Project {
    pub(super) async fn get<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<T> {
        self.client.get(endpoint).await
    }

    pub(super) async fn list<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<Vec<T>> {
        self.client.list(endpoint).await
    }

    /// Same as `list`, but also returns true if the service said that the list is complete.
    pub(super) async fn list_with_certainty<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: Endpoint,
    ) -> Result<(Vec<T>, bool)> {
        self.client.transport.list_with_certainty(endpoint).await
    }

    /// Reads a list that our service never divides into pages, but others may.
    pub(super) async fn list_elsewhere<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: Endpoint,
    ) -> Result<Vec<T>> {
        self.list(endpoint).await
    }

    /// The list's items when last read, if cached. They may have changed.
    pub(super) async fn cached_list<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: Endpoint,
    ) -> Result<Option<Vec<T>>> {
        self.client.transport.cached_list(&endpoint).await
    }

    pub(super) async fn features(&self, endpoint: Endpoint) -> Result<FeatureCollection> {
        let features = self.client.transport.features(&endpoint, None).await?.collection;
        if let Some(next) = features.metadata().get("next").and_then(|next| next.as_str()) {
            let next = shown(next);
            let problem = format!(
                "it is one of several pages, and the next is {next}; features divided into pages cannot be read"
            );
            let error = Error::Decode { request: (&endpoint).into(), problem, source: None };
            return Err(self.client.transport.hide_token(error));
        }
        self.tell_bad_features(&endpoint, &features)?;
        Ok(features)
    }

    /// Warns of a collection's rows with problems; if the client is strict, they are an error.
    pub(super) fn tell_bad_features(&self, endpoint: &Endpoint, features: &FeatureCollection) -> Result<()> {
        match features.error().filter(|_| self.client.transport.is_strict()) {
            Some(error) => {
                let source = Some(error.clone().into());
                let error = Error::Decode { request: endpoint.into(), problem: error.to_string(), source };
                Err(self.client.transport.hide_token(error))
            }
            None => self.client.transport.tell_bad_rows(endpoint, &BadRows::of_features(features)),
        }
    }

    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        body: &(impl Serialize + ?Sized),
    ) -> Result<T> {
        self.client.transport.post(endpoint, body).await
    }

    /// Adds something, only once even if a response is lost and the request is sent again.
    pub(super) async fn add<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        body: &(impl Serialize + ?Sized),
    ) -> Result<T> {
        self.client.transport.add(endpoint, body).await
    }

    /// Sends a write without a body.
    pub(super) async fn send<T: DeserializeOwned>(&self, endpoint: Endpoint) -> Result<T> {
        self.post(endpoint, &()).await
    }

    pub(super) async fn delete(&self, endpoint: Endpoint) -> Result<()> {
        self.client.transport.delete(endpoint).await
    }

    pub(super) fn remembered_study_area(&self) -> &RememberedStudyArea {
        &self.study_area
    }

    pub(crate) fn in_project(&self) -> InProject {
        InProject { projectid: self.id().clone() }
    }

    pub(crate) fn in_system(&self, sysid: SystemId) -> InSystem {
        InSystem { projectid: self.id().clone(), sysid }
    }

    pub(crate) fn in_diagram(&self, diagramid: DiagramId) -> InDiagram {
        InDiagram { projectid: self.id().clone(), diagramid }
    }

    pub(crate) fn in_team(&self, cteamid: TeamId) -> InTeam {
        InTeam { projectid: self.id().clone(), cteamid }
    }

    pub(crate) fn in_design(&self, cteamid: TeamId, design: &DesignId) -> InDesign {
        InDesign { projectid: self.id().clone(), cteamid, synthesisid: design.clone() }
    }

    pub(crate) fn of_member_in_system(&self, member: &Username, sysid: SystemId) -> OfMemberInSystem {
        OfMemberInSystem { projectid: self.id().clone(), sysid, username: member.as_str().to_owned() }
    }
}

impl Titled for ProjectInfo {
    type Id = ProjectId;

    const KIND: (&'static str, &'static str) = ("project", "projects");

    fn id(&self) -> ProjectId {
        self.id.clone()
    }

    fn title(&self) -> &str {
        self.projecttitle.as_deref().unwrap_or_default()
    }
}

/// The project's study area as last read, so that not every new diagram needs a request for it. `None` until it has been read.
#[derive(Debug)]
pub struct RememberedStudyArea(PerProcess<Mutex<Option<Arc<StudyArea>>>>);

impl RememberedStudyArea {
    pub fn new() -> Self {
        RememberedStudyArea(PerProcess::new())
    }

    pub fn get(&self) -> Option<Arc<StudyArea>> {
        self.0.get_or_init(Mutex::default).lock().clone()
    }

    pub fn set(&self, study_area: Arc<StudyArea>) {
        *self.0.get_or_init(Mutex::default).lock() = Some(study_area);
    }
}
