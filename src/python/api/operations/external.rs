//! The files of external diagrams.

use pyo3::prelude::*;

use crate::client::{self, ExternalLimits};
use crate::model::DiagramId;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::external_frame::{ExternalFrame, check_libraries};
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// Opens the FlatGeobuf file of an external diagram.
    ///
    /// The whole file is downloaded from the server that it is on, at the address that a member of the project entered. The token is not
    /// sent there, each redirect is checked as the address itself, no proxy is used, and the client's time limits apply.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     max_bytes: The largest file that is read. Default: 100 MB.
    ///     allow_private: Whether the file may be on this machine or in a private network. Any member can enter an address there,
    ///         so allow it only if you trust all of them.
    ///
    /// Returns:
    ///     A GeoDataFrame in EPSG:4326 (reprojected from the file's CRS) with the columns of the file.
    ///
    /// Raises:
    ///     ExternalFileError: The address is not https or leads to a private network; there is no answer; the file is too large, a
    ///         GeoTIFF, or of another format than FlatGeobuf; it has no CRS.
    ///     InputError: The diagram is not external; `max_bytes` is 0.
    ///     NotFoundError: The project has no such diagram.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Examples:
    ///     >>> from pygeodesign import ExternalFileError
    ///     >>> added = project.add_external_diagram(3, "https://127.0.0.1/parks.fgb", title="Parks", layer_type="fgb-layer")
    ///     >>> try:
    ///     ...     project.external(added["diagram_id"])
    ///     ... except ExternalFileError as error:
    ///     ...     print("private" in str(error))
    ///     True
    #[pyo3(signature = (id, *, max_bytes=100_000_000, allow_private=false))]
    fn external(id: DiagramId, max_bytes: usize, allow_private: bool) -> ExternalFrame = |project| {
        check_libraries()?;
        ExternalFrame::open(project.external_file(id, ExternalLimits { max_bytes, allow_private }).await?).await
    };
}
