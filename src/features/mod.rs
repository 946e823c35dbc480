//! Feature collections: JSON is parsed into Arrow columns with WKB geometries, and written as GeoJSON or HTML.
//!
//! A body is parsed once, when it is received, into a [`Table`]. [`FeatureCollection`] keeps the body beside the table,
//! and writes GeoJSON directly from its text.

mod body;
mod collection;
mod columns;
mod external_files;
#[cfg(feature = "geojson")]
mod geojson_crate;
mod problems;
mod read;
mod schema;
mod system_labels;
mod table;
mod write;

pub use body::{BodyError, Layout};
pub use collection::FeatureCollection;
pub use columns::{ColumnError, TableError, UnexpectedValue};
pub use external_files::file_url;
pub use problems::{GeometryProblem, fault_of};
pub use read::feature_json::EsriFeatureError;
pub use read::streaming::DiagramStream;
pub use system_labels::SystemLabel;
pub use table::{Geometries, Measuring, Table};
pub use write::html_preview::{HtmlPreview, summary};
pub use write::ragged::{RaggedArray, RaggedArrays};
pub use write::unique_ids::with_unique_ids;
