//! The table of operations, asked by the Rust client: each is the documented request, and its answer is read.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use geodesign::client::{Client, Config, Error, NewDiagram, Progress, Project, Result, SelectionKind};
use geodesign::model::{
    DesignId, DiagramGroup, DiagramId, DiagramKind, LayerId, LinkedProjectCreation, ProjectCreation, SystemId, TeamId,
    Username,
};
use geodesign::service::{Server, ServiceConfig, StoreError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::net::TcpListener;

/// What `operations.py` describes.
#[derive(Deserialize)]
struct Table {
    given: Map<String, Value>,
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
struct Operation {
    method: String,
    path: String,
    status: u16,
    body: Option<Value>,
    operation: Option<String>,
    arguments: Option<Value>,
}

impl Table {
    fn read() -> Self {
        serde_json::from_str(include_str!("operations.json")).unwrap()
    }

    /// The value that a text in braces stands for.
    fn filled(&self, part: &Value) -> Value {
        match part {
            Value::Object(members) => {
                members.iter().map(|(key, inner)| (key.clone(), self.filled(inner))).collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.iter().map(|inner| self.filled(inner)).collect(),
            Value::String(text) => match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(name) => self.given[name].clone(),
                None => part.clone(),
            },
            _ => part.clone(),
        }
    }

    /// The path with the values in their places. `{jobid}` stays: the service makes it up.
    fn path(&self, operation: &Operation) -> String {
        let below = operation.path.strip_prefix('/').map(str::to_owned);
        let mut path = below.unwrap_or_else(|| format!("projects/{{projectid}}/{}", operation.path));
        for (name, value) in &self.given {
            if let Value::String(_) | Value::Number(_) = value {
                path = path.replace(&format!("{{{name}}}"), value.to_string().trim_matches('"'));
            }
        }
        format!("/api/v1/{path}")
    }
}

/// A request that went by, and the status of its answer.
#[derive(Debug)]
struct Passed {
    method: Method,
    /// Without a query.
    path: String,
    body: Option<Value>,
    status: StatusCode,
}

impl Passed {
    fn is(&self, operation: &Operation, path: &str, body: Option<&Value>) -> bool {
        let as_written = match path.split_once("{jobid}") {
            Some((before, after)) => self.path.starts_with(before) && self.path.ends_with(after),
            None => self.path == path,
        };
        as_written && self.method == *operation.method && self.body.as_ref() == body
    }
}

/// Stands between the client and the service and keeps what goes by.
#[derive(Clone)]
struct Proxy {
    service: String,
    http: reqwest::Client,
    passed: Arc<Mutex<Vec<Passed>>>,
}

impl Proxy {
    /// The proxy, and its address.
    async fn before(service: &Server) -> (Self, String) {
        let address = service.url();
        let origin = address.strip_suffix("/api/v1/").unwrap();
        // Where another test of this process came first, it installed the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let proxy = Proxy { service: origin.to_owned(), http: reqwest::Client::new(), passed: Arc::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api/v1/", listener.local_addr().unwrap());
        let router = Router::new().fallback(pass).with_state(proxy.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (proxy, url)
    }
}

async fn pass(State(proxy): State<Proxy>, request: Request) -> (StatusCode, HeaderMap, Bytes) {
    let (parts, body) = request.into_parts();
    let sent = to_bytes(body, usize::MAX).await.unwrap();
    let mut headers = parts.headers;
    headers.remove("host");
    let url = format!("{}{}", proxy.service, parts.uri);
    let forwarded = proxy.http.request(parts.method.clone(), url).headers(headers).body(sent.clone());
    let answer = forwarded.send().await.unwrap();
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    headers.remove("transfer-encoding");
    let content = answer.bytes().await.unwrap();
    let body = (!sent.is_empty()).then(|| serde_json::from_slice(&sent).unwrap());
    let path = parts.uri.path().to_owned();
    proxy.passed.lock().unwrap().push(Passed { method: parts.method, path, body, status });
    (status, headers, content)
}

struct Unwatched;

impl Progress for Unwatched {
    fn expect(&self, _total: usize) {}
    fn advance(&self) {}
}

/// The demo, with what the operations need.
fn service(table: &Table) -> Server {
    let service = Server::start(ServiceConfig::default()).unwrap();
    let given = |name: &str| table.given[name].as_str().unwrap();
    let added = service.store().write(|writer| {
        writer.add_creation_code(given("creation_code"))?;
        writer.add_linked_project(given("gpl_project_id"))
    });
    added.map_err(|error: StoreError| error.to_string()).unwrap();
    service
}

/// The arguments that name things, and the body for those that send one.
struct Call {
    arguments: Value,
    body: Value,
}

impl Call {
    fn argument<T: DeserializeOwned>(&self, name: &str) -> T {
        self.optional(name).unwrap_or_else(|| panic!("the table gives no {name}"))
    }

    fn optional<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.arguments.get(name).map(|value| serde_json::from_value(value.clone()).unwrap())
    }

    /// From text: geometry travels as its own text, which a tree of values does not keep.
    fn body<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.body.to_string()).unwrap()
    }

    fn kind(&self) -> DiagramKind {
        match self.optional::<String>("kind").as_deref() {
            None | Some("project") => DiagramKind::Project,
            Some("policy") => DiagramKind::Policy,
            Some(other) => panic!("no kind of diagram: {other}"),
        }
    }
}

async fn call(name: &str, call: &Call, client: &Client, project: &Project) -> Result<()> {
    let diagram = || call.argument::<DiagramId>("id");
    let system = || call.argument::<SystemId>("sysid");
    let team = || call.argument::<TeamId>("team");
    let design = || call.argument::<DesignId>("design");
    let member = || call.argument::<Username>("username");
    match name {
        "projects" => drop(client.projects().await?),
        "latest_project" => drop(client.latest_project().await?),
        "create_project" => drop(client.create_project(&call.body::<ProjectCreation>()).await?),
        "create_linked_project" => drop(client.create_linked_project(&call.body::<LinkedProjectCreation>()).await?),

        "info" => drop(project.info().await?),
        "members" => drop(project.members().await?),
        "stakeholders" => drop(project.stakeholders().await?),
        "add_stakeholders" => drop(project.add_stakeholders(&call.body::<Vec<String>>()).await?),
        "bounds" => drop(project.bounds().await?),
        "center" => drop(project.center().await?),
        "plugins" => drop(project.plugins().await?),
        "set_plugins" => drop(project.set_plugins(&call.body::<Vec<_>>()).await?),
        "constraints" => drop(project.constraints().await?),
        "boundaries" => drop(project.boundaries().await?),
        "second_boundaries" => drop(project.second_boundaries().await?),
        "negotiation_logs" => drop(project.negotiation_logs().await?),
        "layers" => drop(project.layers().await?),
        "add_layer" => drop(project.add_layer(&call.body()).await?),
        "delete_layer" => project.delete_layer(call.argument::<LayerId>("id")).await?,

        "tags" => drop(project.tags().await?),
        "create_tags" => {
            let mut body = call.body::<Map<String, Value>>();
            let tags = serde_json::from_value(body.remove("tags").unwrap()).unwrap();
            drop(project.create_tags(tags).await?);
        }
        "diagram_tags" => drop(project.diagram_tags(diagram()).await?),
        "diagram_tag_codes" => drop(project.diagram_tag_codes(diagram()).await?),
        "set_diagram_tags" => drop(project.set_diagram_tags(diagram(), &call.body::<Vec<_>>()).await?),
        "set_diagram_tag_codes" => drop(project.set_diagram_tag_codes(diagram(), &call.body::<Vec<_>>()).await?),

        "diagram_summaries" => drop(project.diagram_summaries().await?),
        "diagram_details" => drop(project.diagram_details().await?),
        "diagrams" => drop(project.diagrams().await?),
        "diagram" => drop(project.diagram(diagram()).await?),
        "update_diagram" => drop(project.update_diagram(diagram(), &call.body()).await?),
        "diagram_notes" => drop(project.diagram_notes(diagram()).await?),
        "set_diagram_notes" => drop(project.set_diagram_notes(diagram(), call.argument("text")).await?),
        "diagram_change_id" => drop(project.diagram_change_id(diagram()).await?),
        "group_diagrams" => {
            let mut body = call.body::<Map<String, Value>>();
            let groups: Vec<DiagramGroup> = serde_json::from_value(body.remove("diagram_groups").unwrap()).unwrap();
            drop(project.group_diagrams(groups).await?);
        }
        "selection" => {
            let kind = match call.optional("system") {
                None => SelectionKind::Everywhere,
                Some(system) => SelectionKind::InSystem(system, call.arguments.get("kind").map(|_| call.kind())),
            };
            drop(project.selection(&member(), kind).await?);
        }
        "thumbnail" => drop(project.thumbnail(diagram()).await?),
        "thumbnails" => drop(project.thumbnails(None, &Unwatched).await?),

        "systems" => drop(project.systems().await?),
        "system" => drop(project.system(system()).await?),
        "system_diagram_ids" => drop(project.system_diagram_ids(system()).await?),
        "evaluation" => drop(project.evaluation(system()).await?),
        "set_evaluation" => {
            drop(project.set_evaluation(system(), &call.body(), call.optional("username").as_ref()).await?)
        }
        "set_impact" => drop(project.set_impact(system(), &call.body(), call.optional("username").as_ref()).await?),
        "add_diagram" => {
            drop(project.add_diagram(system(), &NewDiagram { kind: call.kind(), drawn: call.body() }).await?);
        }
        "add_external_diagram" => {
            drop(project.add_external_diagram(system(), call.kind(), &call.body()).await?);
        }

        "teams" => drop(project.teams().await?),
        "designs" => drop(project.designs(team()).await?),
        "design_details" => drop(project.design_details(team(), call.optional("design").as_ref()).await?),
        "team_members" => drop(project.team_members(team()).await?),
        "design" => drop(project.design(team(), &design()).await?),
        "design_esri" => drop(project.design_esri(team(), &design()).await?),
        "design_diagram_ids" => drop(project.design_diagram_ids(team(), &design()).await?),
        "design_timeline" => drop(project.design_timeline(team(), &design()).await?),
        "design_system_projects" => drop(project.design_system_projects(team(), &design(), system()).await?),

        other => panic!("this test has no call for {other}"),
    }
    Ok(())
}

#[tokio::test]
async fn every_operation_is_asked_for_as_documented_and_its_answer_is_read() {
    let table = Table::read();
    for operation in table.operations.iter().filter(|operation| operation.operation.is_some()) {
        let (name, path) = (operation.operation.as_deref().unwrap(), table.path(operation));
        let body = operation.body.as_ref().map(|body| table.filled(body));
        let service = service(&table);
        let (proxy, url) = Proxy::before(&service).await;
        let token = service.store().issue_token(&"admin".parse().unwrap()).unwrap();
        let client = Client::new(Config::new(token, url)).unwrap();
        let project = client.project(serde_json::from_value(table.given["projectid"].clone()).unwrap());
        let arguments = operation.arguments.as_ref().map(|arguments| table.filled(arguments)).unwrap_or_default();
        let asked = Call { arguments, body: body.clone().unwrap_or_default() };

        let outcome = call(name, &asked, &client, &project).await;

        outcome.unwrap_or_else(|error| panic!("{} {path}: {error}", operation.method));
        let passed = proxy.passed.lock().unwrap();
        let found = passed.iter().find(|passed| passed.is(operation, &path, body.as_ref()));
        let found =
            found.unwrap_or_else(|| panic!("{} {path} {body:?} was not sent, but {passed:?}", operation.method));
        assert_eq!(found.status.as_u16(), operation.status, "{} {path}", operation.method);
    }
}

#[tokio::test]
async fn every_operation_says_when_the_token_is_not_valid() {
    let table = Table::read();
    let service = service(&table);
    let client = Client::new(Config::new("0123456789abcdef0123456789abcdef01234567", service.url())).unwrap();
    let project = client.project(serde_json::from_value(table.given["projectid"].clone()).unwrap());
    for operation in &table.operations {
        let Some(name) = operation.operation.as_deref() else { continue };
        let filled = |part: &Option<Value>| part.as_ref().map(|part| table.filled(part)).unwrap_or_default();
        let asked = Call { arguments: filled(&operation.arguments), body: filled(&operation.body) };
        let outcome = call(name, &asked, &client, &project).await;
        assert!(matches!(outcome, Err(Error::Api { status: 401, .. })), "{name}: {outcome:?}");
    }
}
