//! The client reads the demo project from the embedded service.

use geodesign::features::FeatureCollection;
use geodesign::model::{DiagramId, DiagramKind, SystemId, TeamId};
use geodesign_client::{Client, Config, CostOptions, CostSelection, Error, Project, SelectionKind};
use geodesign_service::{Paging, Server, ServiceConfig};
use http::StatusCode;

struct RunningService {
    service: Server,
}

impl RunningService {
    fn new(paging: Paging) -> Self {
        let config = ServiceConfig { paging, ..ServiceConfig::default() };
        RunningService { service: Server::start(config).expect("the service starts") }
    }

    fn client(&self, username: &str) -> Client {
        let token = self.service.store().issue_token(&username.parse().unwrap()).unwrap();
        Client::new(Config::new(token, self.service.url())).unwrap()
    }

    fn project(&self) -> Project {
        let id = self.service.store().project_ids().unwrap().remove(0);
        self.client("admin").project(id)
    }
}

#[tokio::test]
async fn lists_are_complete_in_all_three_forms_of_paging() {
    for paging in [Paging::Plain, Paging::Enveloped, Paging::OnRequest] {
        let running = RunningService::new(paging);
        let project = running.project();
        assert_eq!(project.diagram_summaries().await.unwrap().len(), 180, "{paging:?}");
        assert_eq!(project.systems().await.unwrap().len(), 9);
        assert_eq!(project.tags().await.unwrap().len(), 11);
        assert_eq!(project.diagram_change_ids(None).await.unwrap().len(), 180);
    }
}

#[tokio::test]
async fn the_operations_that_read_return_the_content_of_the_demo_project() {
    let running = RunningService::new(Paging::Plain);
    let client = running.client("admin");
    let project = running.project();
    let (diagram, system, team) = (DiagramId(1001), SystemId(1), TeamId(1));

    assert_eq!(client.projects().await.unwrap(), [project.info().await.unwrap()]);
    assert_eq!(client.latest_project().await.unwrap().as_ref(), Some(&project.info().await.unwrap()));
    assert_eq!(project.members().await.unwrap().len(), 13);
    assert!(!project.stakeholders().await.unwrap().is_empty());
    assert!(!project.plugins().await.unwrap().is_empty());
    assert!(!project.layers().await.unwrap().is_empty());
    assert!(!project.negotiation_logs().await.unwrap().is_empty());

    let bounds = project.bounds().await.unwrap().unwrap();
    let center = project.center().await.unwrap().unwrap();
    assert_eq!(project.boundaries().await.unwrap().bounds(), Some(bounds));
    assert_eq!(bounds.center(), center);
    assert_eq!(project.second_boundaries().await.unwrap().len(), 5);
    assert!(project.constraints().await.unwrap().metadata().contains_key("area"));

    assert_eq!(project.system(system).await.unwrap().item.name, "Water");
    let ids = project.system_diagram_ids(system).await.unwrap();
    assert!(ids.contains(&diagram));
    assert!(project.evaluation(system).await.unwrap().len() > 1);

    let diagrams = project.diagrams().await.unwrap();
    let mut numbers = diagrams.diagram_ids();
    numbers.sort_unstable();
    assert_eq!(numbers, (1001..=1180).collect::<Vec<_>>());
    let details = project.diagram_details().await.unwrap();
    assert_eq!(details.len(), 180);
    assert_eq!(
        project.diagram(diagram).await.unwrap().metadata()["description"],
        *details[0].description.as_ref().unwrap()
    );
    assert_eq!(project.diagram_notes(diagram).await.unwrap(), *details[0].notes.as_ref().unwrap());
    let codes = project.diagram_tag_codes(diagram).await.unwrap();
    assert_eq!(codes.join("|"), *details[0].tag_codes.as_ref().unwrap());
    assert_eq!(project.diagram_tags(diagram).await.unwrap().len(), codes.len());
    assert_eq!(project.diagram_change_id(diagram).await.unwrap().len(), 64);

    let design = project.designs(team).await.unwrap().pop().unwrap();
    assert_eq!(project.design_details(team, None).await.unwrap(), design.details);
    let id = design.details.id;
    assert_eq!(project.design_details(team, Some(&id)).await.unwrap(), design_details(&project, team).await);
    assert!(!project.team_members(team).await.unwrap().is_empty());
    let in_design = project.design_diagram_ids(team, id.clone()).await.unwrap();
    assert_eq!(project.design_features(team, id.clone()).await.unwrap().diagram_ids().len(), in_design.len());
    assert_eq!(project.design_timeline(team, id.clone()).await.unwrap().len(), in_design.len());
    let of_system = project.design_system_projects(team, id, system).await.unwrap();
    assert!(of_system.diagram_ids().iter().all(|id| ids.contains(&DiagramId(*id))));
}

async fn design_details(project: &Project, team: TeamId) -> geodesign::model::DesignDetails {
    project.design_details(team, None).await.unwrap()
}

#[tokio::test]
async fn feature_json_and_geojson_of_a_design_have_the_same_diagrams_and_extent() {
    let running = RunningService::new(Paging::Plain);
    let project = running.project();
    let design = project.designs(TeamId(1)).await.unwrap().pop().unwrap().details.id;
    let geojson = project.design_features(TeamId(1), design.clone()).await.unwrap();
    let esri = project.design_esri(TeamId(1), design).await.unwrap();
    let esri = FeatureCollection::from_esri(&esri).unwrap();
    assert_eq!(esri.diagram_ids(), geojson.diagram_ids());
    assert_eq!(esri.bounds(), geojson.bounds());
    // The GeoJSON has a feature for each part of a geometry.
    assert!(geojson.len() > esri.len());
}

#[tokio::test]
async fn the_selections_by_system_and_kind_together_are_the_whole_selection() {
    let running = RunningService::new(Paging::Plain);
    let project = running.project();
    let member = "amara.okafor".parse().unwrap();
    let everywhere = project.selection(&member, SelectionKind::Everywhere).await.unwrap().diagram_ids();
    let mut by_kind = Vec::new();
    for system in project.systems().await.unwrap() {
        let system = system.item.id;
        let both = project.selection(&member, SelectionKind::InSystem(system, None)).await.unwrap().diagram_ids();
        let mut by_kind_in_system = Vec::new();
        for kind in [DiagramKind::Project, DiagramKind::Policy] {
            let kind_in_system = SelectionKind::InSystem(system, Some(kind));
            by_kind_in_system.extend(project.selection(&member, kind_in_system).await.unwrap().diagram_ids());
        }
        by_kind_in_system.sort_unstable();
        assert_eq!(by_kind_in_system, both);
        by_kind.extend(by_kind_in_system);
    }
    by_kind.sort_unstable();
    assert_eq!(by_kind, everywhere);
    assert!(!everywhere.is_empty());
}

#[tokio::test]
async fn the_total_is_the_sum_of_all_diagrams_and_an_unknown_diagram_is_an_error() {
    let running = RunningService::new(Paging::Plain);
    let project = running.project();
    let all = project.costs(CostSelection::All, CostOptions::default()).await.unwrap();
    assert_eq!(all.diagrams.len(), 180);
    let sum_of_rows: f64 = all.diagrams.iter().filter_map(|diagram| diagram.cost).sum();
    assert!((all.total() / sum_of_rows - 1.0).abs() < 1e-12);
    let ids = all.diagrams.iter().map(|diagram| DiagramId(diagram.diagramid)).collect();
    let same = project.costs(CostSelection::Diagrams(ids), CostOptions::default()).await.unwrap();
    assert_eq!(same.systems, all.systems);
    let unknown = project.costs(CostSelection::Diagrams(vec![DiagramId(7)]), CostOptions::default()).await.unwrap_err();
    assert!(unknown.to_string().contains("no diagram 7"), "{unknown}");
}

#[tokio::test]
async fn an_unknown_token_is_401_and_an_unknown_project_404() {
    let running = RunningService::new(Paging::Plain);
    let project = running.project();
    let stranger = Client::new(Config::new("nobody", running.service.url())).unwrap();
    let refused = stranger.project(project.id().clone()).info().await.unwrap_err();
    assert!(matches!(refused, Error::Api { status: StatusCode::UNAUTHORIZED, .. }), "{refused}");
    let unknown = running.client("admin").project("0000000000000000".parse().unwrap()).info().await.unwrap_err();
    assert!(matches!(unknown, Error::Api { status: StatusCode::NOT_FOUND, .. }), "{unknown}");
}

#[test]
fn several_services_start_within_seconds_and_run_side_by_side() {
    let started = std::time::Instant::now();
    let services: Vec<RunningService> = (0..3).map(|_| RunningService::new(Paging::Plain)).collect();
    assert!(started.elapsed().as_secs() < 10);
    let urls: std::collections::HashSet<String> = services.iter().map(|running| running.service.url()).collect();
    assert_eq!(urls.len(), 3);
    services[0].service.stop();
    assert!(!services[0].service.is_running() && services[1].service.is_running());
}

#[test]
fn reopening_a_file_does_not_add_the_demo_project_again_and_leaves_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workshop.sqlite");
    let config = ServiceConfig { path: Some(path.clone()), ..ServiceConfig::default() };
    for _ in 0..2 {
        let service = Server::start(config.clone()).unwrap();
        assert_eq!(service.store().project_ids().unwrap().len(), 1);
        service.stop();
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["workshop.sqlite"], "a stopped service leaves its database and nothing else");
}
