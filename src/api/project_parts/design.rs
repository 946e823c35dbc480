//! Operations of a design.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{AsyncDesign, Design, Frame, call_project};
use crate::api::cost_report::CostReport;
use crate::api::features::FeatureCollection;
use crate::convert::arguments::Arg;
use crate::convert::external_frame::check_libraries;
use crate::convert::to_python::Json;
use crate::engine::operations::{making, operations};
use crate::engine::runtime::in_python_thread;
use geodesign::costs::CountedLand;
use geodesign::model::DesignDetails;
use geodesign_client::{CostOptions, DesignHandle, SystemReference};

making! { Design / AsyncDesign of DesignHandle:
    /// Renames the design. Members of its team and administrators may do this.
    ///
    /// Args:
    ///     title: Its new title.
    ///
    /// Returns:
    ///     The updated `Design`.
    ///
    /// Raises:
    ///     InputError: An empty title; nothing was sent. Or there is no such design; it lists them.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> design = project.team("Residents").save("Draft", [1001])
    ///     >>> design.rename("Round 4").title
    ///     'Round 4'
    fn rename(title: String) -> one Design / AsyncDesign = |design| design.rename(title).await;
}

operations! { Design / AsyncDesign of DesignHandle:
    /// The cost of its diagrams, system by system: `Project.costs` of this design.
    ///
    /// Args:
    ///     land: `"inside"` to count only land inside the study area, as `Project.costs` does.
    ///     check: True to check the geometries, as `Project.costs` does.
    ///     strict: True to raise an error for a diagram with a wrong or unreadable value, as in `Project.costs`.
    ///
    /// Returns:
    ///     A `CostReport`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them. For `land="inside"`, the project has no boundaries.
    ///     NotFoundError: The project has no design of that id.
    ///     DecodeError: A diagram has no id; with `strict=True`, a diagram is wrong.
    ///
    /// Examples:
    ///     >>> totals = {team.title: team.latest().costs().total for team in project.teams()}
    ///     >>> sorted(totals)
    ///     ['Conservation', 'Developers', 'Mobility', 'Residents']
    #[pyo3(
        signature = (*, land=Arg(CountedLand::All), check=false, strict=false),
        text_signature = "($self, *, land='all', check=False, strict=False)"
    )]
    fn costs(land: CountedLand, check: bool, strict: bool) -> CostReport = |design| {
        let design = if strict { design.strictly() } else { design };
        Ok(design.costs(CostOptions { check, land, external: None }).await?.into())
    };

    /// Its diagrams with their features, as they were drawn: `Project.diagrams` of this design.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> design = project.design("Design 1 – room")
    ///     >>> sorted({*design.diagrams().to_geopandas()["diagramid"]}) == sorted(design.diagram_ids())
    ///     True
    fn diagrams() -> FeatureCollection = |design| Ok(design.diagrams().await?.into());

    /// Its diagrams as a GeoDataFrame, in EPSG:4326: `diagrams().to_geopandas()`.
    ///
    /// Returns:
    ///     A GeoDataFrame with a row for each feature, and one for each diagram without features.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.
    ///
    /// Examples:
    ///     >>> frame = project.design("Design 1 – room").to_geopandas()
    ///     >>> frame.crs.to_epsg()
    ///     4326
    fn to_geopandas() -> Frame = |design| {
        check_libraries()?;
        let diagrams = design.diagrams().await?;
        let convert = move |py: Python<'_>| {
            Ok(Bound::new(py, FeatureCollection::from(diagrams))?.call_method0("to_geopandas")?.unbind())
        };
        in_python_thread(convert).await.map(Frame)
    };

    #[doc = summary!(DESIGN_DETAILS)]
    ///
    /// They are requested again; the attributes keep the values of the first read.
    ///
    /// Returns:
    ///     A `DesignDetails` dict: `id`, `creationdate` (ISO 8601), `description`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> project.design(team="Mobility").details()["description"]
    ///     'Design 3 – what the budget carries'
    fn details() -> Json<DesignDetails> = |design| Ok(Json(design.details().await?));

    #[doc = summary!(DESIGN)]
    ///
    /// A diagram of several parts has one feature per part, each with all properties; `diagrams` has the features as drawn.
    ///
    /// Args:
    ///     system: Only the projects of this system: the object, its id, name or tag, or the unique start of its name.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: There is no such design or system, or several have that title; it lists them.
    ///     NotFoundError: The project has no design of that id.
    ///
    /// Examples:
    ///     >>> {feature["properties"]["sysid"] for feature in project.design("Design 1 – room").features(system=3)}
    ///     {3}
    #[pyo3(signature = (system=None))]
    fn features(system: Option<SystemReference>) -> FeatureCollection = |design| {
        Ok(design.features(system.as_ref()).await?.into())
    };
}

#[pymethods]
impl Design {
    /// An interactive map of its diagrams: `Project.map` of this design.
    ///
    /// Args:
    ///     options: The other arguments of `Project.map`, such as `currency` and `basemap`.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.WebMap`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.
    ///
    /// Examples:
    ///     >>> project.design("Design 1 – room").map(currency="USD").to_html("design.html")
    #[pyo3(signature = (**options: "Any") -> "WebMap")]
    fn map<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "map", (), ("design", slf), options)
    }
}

#[pymethods]
impl AsyncDesign {
    /// An interactive map of its diagrams: `Project.map` of this design.
    ///
    /// Args:
    ///     options: The other arguments of `Project.map`, such as `currency` and `basemap`.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.WebMap`.
    ///
    /// Raises:
    ///     InputError: There is no such design, or several have that title; it lists them.
    ///     ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.
    ///
    /// Examples:
    ///     >>> project.design("Design 1 – room").map(currency="USD").to_html("design.html")
    #[pyo3(signature = (**options: "Any") -> "Coroutine[Any, Any, WebMap]")]
    fn map<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "map", (), ("design", slf), options)
    }
}
