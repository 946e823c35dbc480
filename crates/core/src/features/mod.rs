//! Feature collections: JSON is parsed into Arrow columns with WKB geometries, and written as GeoJSON or HTML.
//!
//! A body is parsed once, when it is received, into a [`Table`]. [`FeatureCollection`] keeps the body along with the table, and writes
//! GeoJSON directly from its text.

mod checks;
mod collection;
mod columns;
#[cfg(feature = "geojson")]
mod geojson_crate;
mod problems;
mod read;
mod table;
mod write;

pub use checks::fault_of;
pub use collection::{EsriFeatureError, FeatureCollection, file_url};
pub use columns::{ColumnError, TableError, UnexpectedValue};
pub use problems::{GeometryProblem, ListedSystems, Problem, RowProblem};
pub use read::streaming::DiagramStream;
pub use read::{BodyError, Layout};
pub use table::{Geometries, Measuring, SystemLabel, Table};
pub use write::html_preview::{HtmlPreview, summary};
pub use write::ragged::{RaggedArray, RaggedArrays};
pub use write::with_unique_ids;
