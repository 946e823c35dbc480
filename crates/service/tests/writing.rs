//! The embedded service stores what the client writes; client or service reject what is invalid.

use geodesign::model::{
    DiagramId, DiagramKind, DiagramUpdate, DrawnDiagram, DrawnFeatures, DrawnGeometry, FeatureType, FundingType,
    NewProject, NewSystem, NewTag, ProjectCreation, SystemId,
};
use geodesign_client::{Client, Config, Error, NewDiagram, Outside, Progress, Project};
use geodesign_geometry::{Geometry, GeometrySeed};
use geodesign_service::{Server, ServiceConfig};
use http::StatusCode;
use serde::de::DeserializeSeed;

struct WithoutProgress;

impl Progress for WithoutProgress {
    fn expect(&self, _total: usize) {}
    fn advance(&self) {}
}

fn service() -> Server {
    Server::start(ServiceConfig::default()).unwrap()
}

fn client(service: &Server) -> Client {
    let token = service.store().issue_token(&"admin".parse().unwrap()).unwrap();
    Client::new(Config::new(token, service.url())).unwrap()
}

fn project(service: &Server) -> Project {
    client(service).project(service.store().project_ids().unwrap().remove(0))
}

fn geometry(geojson: &str) -> Geometry {
    GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(geojson)).unwrap().unwrap()
}

fn new_diagram(title: &str, geojson: &str) -> NewDiagram {
    let geometry = DrawnFeatures::from_geometries([DrawnGeometry::new(&geometry(geojson)).unwrap()]);
    let featuretype = geometry.feature_type().unwrap();
    let drawn = DrawnDiagram {
        geometry,
        featuretype,
        description: title.into(),
        fundingtype: FundingType::Public,
        building_data: None,
    };
    NewDiagram { kind: DiagramKind::Project, drawn, outside: Outside::Refuse, dates: None }
}

const PARK: &str = r#"{"type":"Polygon","coordinates":[[[-74.123456789012345,40.57],[-74.1,40.57],[-74.1,40.59],[-74.123456789012345,40.57]]]}"#;
const LANE: &str = r#"{"type":"LineString","coordinates":[[-74.1,40.57,3.25],[-74.09,40.58,4.5]]}"#;

#[tokio::test]
async fn a_new_diagram_is_returned_bit_for_bit() {
    let service = service();
    let project = project(&service);
    for (geojson, feature_type) in [(PARK, FeatureType::Polygon), (LANE, FeatureType::Line)] {
        let diagram = new_diagram("New", geojson);
        assert_eq!(diagram.drawn.featuretype, feature_type);
        let added = project.add_diagram(SystemId(1), &diagram).await.unwrap();
        let back = project.diagram(added.diagram_id).await.unwrap();
        let back: serde_json::Value = serde_json::to_value(&back).unwrap();
        let sent: serde_json::Value = serde_json::from_str(geojson).unwrap();
        assert_eq!(back["features"][0]["geometry"], sent);
    }
}

#[tokio::test]
async fn the_outcomes_of_many_new_diagrams_are_in_order_with_different_grid_locations() {
    let service = service();
    let project = project(&service);
    let diagrams = (0..30).map(|number| new_diagram(&format!("Park {number}"), PARK)).collect();
    let outcomes = project.add_diagrams(SystemId(4), diagrams, &WithoutProgress).await.unwrap();
    let mut locations = std::collections::BTreeSet::new();
    for (number, added) in outcomes.into_iter().enumerate() {
        let added = added.unwrap();
        let diagram = project.diagram(added.diagram_id).await.unwrap();
        assert_eq!(diagram.metadata()["description"], format!("Park {number}"));
        locations.insert(added.grid_location);
    }
    assert_eq!(locations.len(), 30);
}

#[tokio::test]
async fn a_change_id_changes_exactly_when_its_diagram_does() {
    let service = service();
    let project = project(&service);
    let id = DiagramId(1001);
    let update = DiagramUpdate { title: Some("Another".into()), ..DiagramUpdate::default() };
    let before = project.diagram_change_id(id).await.unwrap();
    project.update_diagram(id, &update).await.unwrap();
    let changed = project.diagram_change_id(id).await.unwrap();
    assert_ne!(before, changed);
    project.update_diagram(id, &update).await.unwrap();
    project.thumbnail(id).await.unwrap();
    assert_eq!(project.diagram_change_id(id).await.unwrap(), changed);
}

#[tokio::test]
async fn an_unknown_tag_is_a_bad_request_and_changes_nothing() {
    let service = service();
    let project = project(&service);
    let id = DiagramId(1002);
    let before = (project.diagram_tag_codes(id).await.unwrap(), project.diagram_change_id(id).await.unwrap());
    let codes = vec![before.0[0].clone(), "NO SUCH".into()];
    let refused = project.set_diagram_tag_codes(id, &codes).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Api { status: StatusCode::BAD_REQUEST, body, .. } if body.contains("status")),
        "{refused}"
    );
    let after = (project.diagram_tag_codes(id).await.unwrap(), project.diagram_change_id(id).await.unwrap());
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_new_project_has_the_given_systems_bounds_and_tags() {
    let service = service();
    let client = client(&service);
    let system = NewSystem {
        name: "Water".into(),
        tag: "WAT".into(),
        display: String::new(),
        verbose_description: "Blue".into(),
        color: "#2B7BBA".into(),
        cost: 7,
    };
    let bounds: geodesign::model::Bounds = "-9.23,38.69,-9.09,38.8".parse().unwrap();
    let project = NewProject {
        project_title: "Lisbon".into(),
        project_description: String::new(),
        map_bounds: bounds,
        map_center: bounds.center(),
        zoom_level: 11,
        systems: vec![system; 9],
        tags: vec![NewTag { tag: "Quick win".into(), code: "QW".into() }],
        plugins: Vec::new(),
    };
    let code = service.store().write(|write| write.new_creation_code()).unwrap();
    let mut creation = ProjectCreation { creation_code: "wrong".into(), project };
    let refused = client.create_project(&creation).await.unwrap_err();
    assert!(matches!(refused, Error::Api { status: StatusCode::FORBIDDEN, .. }), "{refused}");
    creation.creation_code = code;
    let created = client.project(client.create_project(&creation).await.unwrap());
    assert_eq!(client.latest_project().await.unwrap().unwrap().id, *created.id());
    assert_eq!(created.systems().await.unwrap().len(), 9);
    assert_eq!(
        (created.bounds().await.unwrap(), created.center().await.unwrap()),
        (Some(bounds), Some(bounds.center()))
    );
    assert_eq!(created.tags().await.unwrap()[0].slug.as_deref(), Some("quick-win"));
    creation.project.systems.push(creation.project.systems[0].clone());
    let refused = client.create_project(&creation).await.unwrap_err();
    assert!(matches!(refused, Error::Input(_)), "{refused}");
}

#[tokio::test]
async fn thumbnails_are_png_images_that_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config = ServiceConfig { path: Some(folder.path().join("workshop.sqlite")), ..ServiceConfig::default() };
    let first = Server::start(config.clone()).unwrap();
    let images = project(&first).thumbnails(None, &WithoutProgress).await.unwrap();
    assert_eq!(images.len(), 180);
    assert!(images.values().all(|image| image.starts_with(b"\x89PNG")));
    first.stop();
    let second = Server::start(config).unwrap();
    let again = project(&second).thumbnails(Some(vec![DiagramId(1001)]), &WithoutProgress).await.unwrap();
    assert_eq!(again[&DiagramId(1001)], images[&DiagramId(1001)]);
}
