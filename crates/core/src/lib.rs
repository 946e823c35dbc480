//! Collaborative geodesign: the data that a client and a service exchange, features, costs and archives.
//!
//! The crate knows neither HTTP nor a database: `geodesign-client` sends requests to a service, `geodesign-service` is one, and both take
//! their resources, operations and figures from here.
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
//! - [`json`]: resources read from JSON, with errors in plain words.
//! - [`model`]: the resources of the service, one file per resource, and its operations.
//! - [`features`]: feature collections, read from JSON into Arrow columns, and written as GeoJSON.
//! - [`costs`]: costs per system, with an audit trail.
//! - [`archive`]: a project in one file: writing, verifying, reading.
//!
//! A module uses only those above it in this list.
//!
//! # Features
//!
//! - `geojson`: conversion from and to the types of the crate `geojson`: [`Geometry`](geodesign_geometry::Geometry),
//!   [`model::DrawnGeometry`], [`model::GeojsonCollection`] and [`features::FeatureCollection`].
//! - `geo`: conversion from and to `geo_types::Geometry`: [`Geometry`](geodesign_geometry::Geometry) and [`model::DrawnGeometry`]. That
//!   crate has no heights; see [`Geometry::without_heights`](geodesign_geometry::Geometry::without_heights).

pub mod archive;
pub mod costs;
pub mod features;
pub mod json;
pub mod model;
pub mod named;
