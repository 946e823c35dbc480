//! Collaborative geodesign: a client, costs, and the service itself. `pygeodesign` makes all of it available in Python.
//!
//! # Reading a project
//!
//! The example starts the embedded service, which has a demo project, and asks it for systems, diagrams and costs. For another
//! service, give [`Config`](client::Config) its address and your token.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use geodesign::client::{Client, Config, CostOptions, CostSelection};
//! use geodesign::service::{Server, ServiceConfig};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = Server::start(ServiceConfig::default())?;
//! let token = service.store().issue_token(&"admin".parse()?)?;
//!
//! let client = Client::new(Config::new(token, service.url()))?;
//! let info = client.projects().await?.remove(0);
//! let project = client.project(info.id);
//! assert_eq!(project.systems().await?.len(), 9);
//!
//! let diagrams = project.diagrams().await?;
//! println!("{} features of {} diagrams", diagrams.len(), diagrams.diagram_ids().len());
//!
//! let report = project.costs(CostSelection::All, CostOptions::default()).await?;
//! for system in &report.systems {
//!     println!("{}: {:.1} ha, cost {:.0}, budget {:?}", system.name, system.area_ha, system.cost, system.budget);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Pricing without a service
//!
//! ```
//! use geodesign::costs::CostReport;
//! use geodesign::features::{FeatureCollection, Layout};
//! use geodesign::model::SystemDetail;
//!
//! let system: SystemDetail = serde_json::from_str(r#"{"id": 1, "name": "Water", "cost": 2000}"#)?;
//! let diagrams = r#"[{
//!     "id": 1001, "sysid": 1, "type": "project", "description": "Pond",
//!     "geojson": {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry":
//!         {"type": "Polygon", "coordinates": [[[-74.15, 40.57], [-74.14, 40.57], [-74.14, 40.58], [-74.15, 40.57]]]}}]}
//! }]"#;
//! let diagrams = FeatureCollection::from_json(diagrams, Layout::Diagrams)?;
//!
//! let report = CostReport::new(&[system], &diagrams, None)?;
//! let pond = &report.diagrams[0];
//! let area_ha = pond.area_ha.expect("it has a geometry");
//! assert_eq!(area_ha.round(), 47.0);
//! assert_eq!(pond.cost, Some(area_ha * 2000.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! - [`geometry`]: geometries as GeoJSON, WKB and feature-JSON; their validity, area in hectares and length in kilometres.
//! - [`model`]: the resources of the service, one file per resource, shared by client and service.
//! - [`features`]: feature collections, read from JSON into Arrow columns, and written as GeoJSON.
//! - [`costs`]: costs per system, with an audit trail.
//! - [`archive`]: a project in one file: writing, verifying, reading.
//! - [`client`]: configuration, transport, errors, and the operations of the service, one file per group.
//! - `service`: the service itself, over SQLite (feature `service`).
//! - `cli`: the command line, `pygeodesign` (feature `cli`).
//! - `python`: the extension module of the Python package (feature `python`).
//!
//! A module uses only those above it in this list. The service uses none of the client: they share the types in [`model`].
//!
//! # Features
//!
//! - `service`: the embedded service. Without it, the crate is the client alone.
//! - `cli`: the command line; `python`: the extension module.
//! - `geojson`: conversion from and to the types of the crate `geojson`: [`geometry::Geometry`], [`model::DrawnGeometry`],
//!   [`model::GeojsonCollection`] and [`features::FeatureCollection`].
//! - `geo`: conversion from and to `geo_types::Geometry`: [`geometry::Geometry`] and [`model::DrawnGeometry`]. That crate has no
//!   heights; see [`geometry::Geometry::without_heights`].

// The first module: what follows it may use its macro `summary!`.
#[macro_use]
pub mod model;

pub mod archive;
mod blocking;
#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod costs;
#[cfg(any(feature = "cli", feature = "python"))]
mod csv;
mod digest;
mod drafts;
pub mod features;
mod fork;
pub mod geometry;
mod html;
mod json;
mod parallel;
mod regular_file;
#[cfg(feature = "service")]
pub mod service;
// Only the service limits the time of work.
#[cfg_attr(not(feature = "service"), allow(dead_code))]
mod work_time;

#[cfg(feature = "python")]
pub mod python;
