//! The collections of the projects that a user sees, with their descriptions.

use serde_json::{Value, json};

use super::NO_COLLECTION;
use super::parameters::{collection_id, reference_systems};
use super::{GEOJSON, HTML, JSON, SCHEMA, link};
use crate::http::error::{ApiError, Result};
use crate::store::{Collection, ProjectKey, Reader, UserKey};
use geodesign::model::{Bounds, evaluation_classes_in_words};
use geodesign_geometry::Crs;

/// A collection with its description.
pub struct Described {
    pub collection: Collection,
    pub id: String,
    pub title: String,
    pub description: String,
    pub bounds: Option<Bounds>,
}

/// The collections of a project, including its evaluation maps that have features.
pub fn of_project(read: &Reader, project: ProjectKey, shows_names: bool) -> Result<Vec<Described>> {
    let info = read.project(project)?.ok_or(ApiError::NotFound("project"))?;
    let (id, title) = (info.id.to_string(), info.projecttitle.unwrap_or_default());
    let bounds = read.bounds(project)?;
    let mut collections = vec![
        (Collection::Diagrams, "diagrams".to_owned(), "One feature per diagram, with its cost.".to_owned()),
        (Collection::Parts, "parts of diagrams".to_owned(), "One feature per drawn feature.".to_owned()),
        (Collection::Boundaries, "boundaries".to_owned(), "The study area.".to_owned()),
        (Collection::Constraints, "constraints".to_owned(), "Land where nothing can be built.".to_owned()),
        (Collection::Context, "context".to_owned(), "Places, water, roads and districts around.".to_owned()),
        (Collection::Layers, "layers".to_owned(), "Maps on other servers: a list without geometries.".to_owned()),
    ];
    for (system, name) in read.systems_with_evaluation(project)? {
        let about = format!("Land for {name} by class: {}.", evaluation_classes_in_words());
        collections.push((Collection::Evaluation(system), format!("evaluation of {name}"), about));
    }
    collections.push((Collection::Designs, "designs".to_owned(), "One feature per diagram in each design.".to_owned()));
    if shows_names {
        let about = "One feature per diagram that a member selected.".to_owned();
        collections.push((Collection::Selections, "selections".to_owned(), about));
    }
    Ok(collections
        .into_iter()
        .map(|(collection, name, description)| Described {
            id: collection_id(&id, collection),
            title: format!("{title}: {name}"),
            description,
            collection,
            bounds,
        })
        .collect())
}

impl Described {
    pub fn to_json(&self, root: &str) -> Value {
        let Described { collection, id, title, description, bounds } = self;
        let here = format!("{root}/collections/{id}");
        let mut described = json!({
            "id": id,
            "title": title,
            "description": description,
            "itemType": "feature",
            "links": [
                link("self", JSON, "This collection", format!("{here}?f=json")),
                link("alternate", HTML, "This collection as a page", format!("{here}?f=html")),
                link("items", GEOJSON, "The features", format!("{here}/items")),
                link("items", HTML, "The features as a page", format!("{here}/items?f=html")),
                link("describedby", SCHEMA, "The properties", format!("{here}/schema")),
                link("http://www.opengis.net/def/rel/ogc/1.0/schema", SCHEMA, "The properties", format!("{here}/schema")),
                link("http://www.opengis.net/def/rel/ogc/1.0/queryables", SCHEMA, "The properties to filter by", format!("{here}/queryables")),
            ],
        });
        if collection.has_geometry() {
            let systems = reference_systems(*bounds).into_iter().map(Crs::uri).collect::<Vec<_>>();
            described["crs"] = json!(systems);
            described["storageCrs"] = json!(Crs::Crs84.uri());
            if let Some(Bounds { west, south, east, north }) = bounds {
                described["extent"] =
                    json!({ "spatial": { "bbox": [[west, south, east, north]], "crs": Crs::Crs84.uri() } });
            }
        }
        described
    }
}

/// All collections of a user's projects.
pub fn of_user(read: &Reader, user: UserKey) -> Result<Vec<Described>> {
    let mut all = Vec::new();
    for info in read.projects(user)? {
        let Some((project, _)) = read.project_of_member(&info.id, user)? else { continue };
        // Some guests see no names.
        all.extend(of_project(read, project, !user.is_guest())?);
    }
    Ok(all)
}

/// Describes a collection; refuses one that the project does not have.
pub fn described(read: &Reader, project: ProjectKey, collection: Collection, shows_names: bool) -> Result<Described> {
    let all = of_project(read, project, shows_names)?;
    all.into_iter().find(|described| described.collection == collection).ok_or(NO_COLLECTION)
}
