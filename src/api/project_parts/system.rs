//! Operations of a system.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{AsyncDiagram, AsyncSystem, Diagram, System, call_project};
use crate::convert::arguments::{Arg, Metadata};
use crate::convert::geometries::Features;
use crate::convert::results::Nothing;
use crate::engine::operations::{making, operations};
use geodesign::model::{CostType, DiagramKind, ExternalDiagram, FeatureType, FundingType, SystemEdit, Username};
use geodesign_client::{DiagramHandle, SystemHandle, SystemReference};

making! { System / AsyncSystem of SystemHandle:
    #[doc = summary!(EDIT_SYSTEM)]
    ///
    /// Omitted arguments stay unchanged. `set_evaluation` and `set_impact` set its maps, `project.set_impacts` its
    /// impacts on other systems, `project.set_quantities` what its projects bring.
    ///
    /// Args:
    ///     name: Its new name.
    ///     color: `#RRGGBB`.
    ///     tag: A short name.
    ///     description: The system's description.
    ///     cost: The cost per hectare of a project, or per kilometre of one with lines only.
    ///     budget: The budget of the complete system.
    ///     current_ha: Hectares that the system covers today.
    ///     target_ha: Hectares that it should cover.
    ///
    /// Returns:
    ///     The updated `System`.
    ///
    /// Raises:
    ///     NotFoundError: The project has no system of that id.
    ///     InputError: An empty name, no such colour, a figure below 0; nothing was sent. Or the project has no system of that name.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.system("High-density housing").edit(budget=4e9).budget
    ///     4000000000.0
    #[pyo3(signature = (*, name=None, color=None, tag=None, description=None, cost=None, budget=None, current_ha=None, target_ha=None))]
    fn edit(
        name: Option<String>, color: Option<String>, tag: Option<String>, description: Option<String>,
        cost: Option<f64>, budget: Option<f64>, current_ha: Option<f64>, target_ha: Option<f64>,
    ) -> one System / AsyncSystem = |system| {
        let verbose_description = description;
        let figures = SystemEdit { cost, budget, current_ha, target_ha, ..SystemEdit::default() };
        let edit = SystemEdit { name, color, tag, verbose_description, ..figures };
        system.edit(&edit).await
    };

    /// Adds a diagram whose geometry is in a file on another server.
    ///
    /// Args:
    ///     url: The address of the file.
    ///     title: The diagram's title.
    ///     layer_type: `fgb-layer` (FlatGeobuf), `cogs` (Cloud Optimized GeoTIFF), or another format that the service supports.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"`, `"line"` or `"point"`.
    ///     cost: An integer, in the unit of `cost_type`.
    ///     cost_type: `"total"`, or `"unit"` for a cost per hectare.
    ///     additional_metadata: A dict with any content.
    ///
    /// Returns:
    ///     The `Diagram`.
    ///
    /// Raises:
    ///     InputError: An empty address, an unknown name, or a cost without `cost_type`; nothing was added.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> parks = project.system(3).add_external(
    ///     ...     "https://data.example.org/parks.fgb", title="Parks", layer_type="fgb-layer", cost=12, cost_type="unit"
    ///     ... )
    ///     >>> parks["cost_override_type"]
    ///     'per hectare.'
    #[pyo3(
        signature = (url, *, title, layer_type, kind=Arg(DiagramKind::Project), funding=Arg(FundingType::Public), feature_type=Arg(FeatureType::Polygon), cost=None, cost_type=None, additional_metadata=None),
        text_signature = "($self, url, *, title, layer_type, kind='project', funding='public', feature_type='polygon', cost=None, cost_type=None, additional_metadata=None)"
    )]
    fn add_external(
        url: String, title: String, layer_type: String, kind: DiagramKind, funding: FundingType,
        feature_type: FeatureType, cost: Option<i64>, cost_type: Option<CostType>, additional_metadata: Option<Metadata>,
    ) -> one Diagram / AsyncDiagram = |system| {
        let (project, id) = (system.project(), system.id().await?);
        let diagram = ExternalDiagram {
            url,
            layer_type,
            featuretype: feature_type,
            description: title,
            fundingtype: funding,
            additional_metadata: additional_metadata.map(|Metadata(metadata)| metadata),
            cost,
            cost_type,
        };
        let added = project.add_external_diagram(SystemReference::Id(id), kind, &diagram).await?;
        Ok::<_, PyErr>(DiagramHandle::new(project.clone(), added.diagram_id.into()))
    };
}

operations! { System / AsyncSystem of SystemHandle:
    #[doc = summary!(SET_EVALUATION)]
    ///
    /// Args:
    ///     features: Polygons, as for `Project.add_diagram`, each with an `areatype`: `green3` (feasible), `green2` (suitable),
    ///         `green` (capable), `yellow` (not appropriate), `red2` or `red` (existing). They may also have a `color` (`#RRGGBB`).
    ///     username: The member in whose name to set it. Default: the user.
    ///
    /// Raises:
    ///     InputError: A feature without `areatype`, a geometry that cannot be sent, or no system of that name; nothing was sent.
    ///     NotFoundError: The project has no system with that id.
    ///     PermissionDeniedError: The user named is not a member of the project; or drawing is closed.
    ///
    /// Examples:
    ///     >>> project.system(1).set_evaluation(project.system(1).evaluation().to_geopandas())
    #[pyo3(signature = (features, username=None))]
    fn set_evaluation(features: Features, username: Option<Username>) -> Nothing = |system| {
        let (project, id) = (system.project(), system.id().await?);
        let features = features.into_evaluation()?;
        project.set_evaluation(id, &features, username.as_ref()).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_IMPACT)]
    ///
    /// Args:
    ///     features: Polygons, as for `Project.add_diagram`, with any attributes.
    ///     username: The member in whose name to set it. Default: the user.
    ///
    /// Raises:
    ///     InputError: A geometry that cannot be sent, or no system of that name; nothing was sent.
    ///     NotFoundError: The project has no system with that id.
    ///     PermissionDeniedError: The user named is not a member of the project; or drawing is closed.
    ///
    /// Examples:
    ///     >>> project.system(1).set_impact(project.system(1).evaluation().to_geopandas())
    #[pyo3(signature = (features, username=None))]
    fn set_impact(features: Features, username: Option<Username>) -> Nothing = |system| {
        let (project, id) = (system.project(), system.id().await?);
        let features = features.into_map()?;
        project.set_impact(id, &features, username.as_ref()).await?;
        Ok(Nothing)
    };
}

#[pymethods]
impl System {
    /// Adds a diagram for each row of a frame or file: `Project.add_diagrams` to this system.
    ///
    /// Args:
    ///     frame: A GeoDataFrame, a geometry, GeoJSON, or the path of a file, as for `Project.add_diagrams`.
    ///     title: The column that has the titles.
    ///     options: The other arguments of `Project.add_diagrams`.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts.
    ///
    /// Raises:
    ///     InputError: A row or an option that `Project.add_diagrams` refuses; nothing was sent.
    ///
    /// Examples:
    ///     >>> rows = project.system("Water").add(project.study_area.boundaries().to_geopandas(), title="bname", dry_run=True)
    ///     >>> len(rows) > 0
    ///     True
    #[pyo3(signature = (frame: "_Geometries", *, title: "str", **options: "Any") -> "list[UploadedRow]")]
    fn add<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
        title: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "add_diagrams", (slf, frame), ("title", title), options)
    }
}

#[pymethods]
impl AsyncSystem {
    /// Adds a diagram for each row of a frame or file: `Project.add_diagrams` to this system.
    ///
    /// Args:
    ///     frame: A GeoDataFrame, a geometry, GeoJSON, or the path of a file, as for `Project.add_diagrams`.
    ///     title: The column that has the titles.
    ///     options: The other arguments of `Project.add_diagrams`.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts.
    ///
    /// Raises:
    ///     InputError: A row or an option that `Project.add_diagrams` refuses; nothing was sent.
    ///
    /// Examples:
    ///     >>> rows = project.system("Water").add(project.study_area.boundaries().to_geopandas(), title="bname", dry_run=True)
    ///     >>> len(rows) > 0
    ///     True
    #[pyo3(signature = (frame: "_Geometries", *, title: "str", **options: "Any") -> "Coroutine[Any, Any, list[UploadedRow]]")]
    fn add<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
        title: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_project(slf, "add_diagrams", (slf, frame), ("title", title), options)
    }
}
