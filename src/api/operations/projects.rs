//! New projects, a project's title and description, its tags and its history.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::api::client::{AsyncClient, Client};
use crate::api::project::{AsyncProject, Project};
use crate::convert::arguments::{NewSystems, NewTags, Since};
use crate::convert::impacts::GivenImpacts;
use crate::convert::quantities::NewQuantities;
use crate::convert::results::{History, Nothing};
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use geodesign::model::{
    self, Bounds, Center, HistoryFilter, NewProject, ProjectEdit, ProjectInfo, Quantities, Username, Uuid,
};
use geodesign_client as client;
use geodesign_client::{DiagramReference, ImpactMatrix};

operations! { Client / AsyncClient of client::Client:
    /// The user's most recently created project.
    ///
    /// Returns:
    ///     A `ProjectInfo` dict, or None if the user has no project.
    ///
    /// Raises:
    ///     AuthenticationError: The token is missing, wrong or expired.
    ///
    /// Examples:
    ///     >>> client.latest_project()["startdate"]
    ///     '2026-03-02'
    fn latest_project() -> Json<Option<model::ProjectInfo>> = |client| Ok(Json(client.latest_project().await?));

    #[doc = summary!(CREATE_PROJECT)]
    ///
    /// It is then the result of `latest_project()`.
    ///
    /// Args:
    ///     creation_code: Issued by an administrator of the service.
    ///     title: Shown at the top of the project.
    ///     bounds: West, south, east, north of the study area in degrees.
    ///     systems: At most nine dicts with `name` and `color` (`#RRGGBB`), and optionally `tag`, `description` and `cost` (an
    ///         integer per hectare, or per kilometre of line).
    ///     description: The project's description.
    ///     center: Longitude, latitude of the map's middle in degrees. Default: the middle of the bounds.
    ///     zoom_level: The map's zoom, from 0 to 30.
    ///     tags: Dicts with `tag` and `code`, or names alone.
    ///     plugins: UUIDs.
    ///
    /// Returns:
    ///     The id of the new project, for `client.project`.
    ///
    /// Raises:
    ///     InputError: An invalid value; nothing was sent.
    ///     PermissionDeniedError: The creation code is not valid.
    ///     DecodeError: The project was created, but the service does not return its id: its message has none, and its list of
    ///         projects does not have exactly one project more than before.
    ///
    /// Examples:
    ///     >>> id = client.create_project(
    ///     ...     sandbox.creation_code(),
    ///     ...     title="Lisbon 2050",
    ///     ...     bounds=(-9.23, 38.69, -9.09, 38.80),
    ///     ...     systems=[{"name": "Water", "color": "#2B7BBA", "cost": 125000}],
    ///     ...     tags=["Resilience"],
    ///     ... )
    ///     >>> client.project(id).info()["projecttitle"]
    ///     'Lisbon 2050'
    #[pyo3(
        signature = (creation_code, *, title, bounds, systems, description="".to_owned(), center=None, zoom_level=10, tags=None, plugins=None),
        text_signature = "($self, creation_code, *, title, bounds, systems, description='', center=None, zoom_level=10, tags=None, plugins=None)"
    )]
    fn create_project(
        creation_code: String, title: String, bounds: Bounds, systems: NewSystems, description: String,
        center: Option<Center>, zoom_level: i64, tags: Option<NewTags>, plugins: Option<Vec<Uuid>>,
    ) -> String = |client| {
        let project = new_project(title, bounds, systems, description, center, zoom_level, tags, plugins);
        Ok(client.create_project(&model::ProjectCreation { creation_code, project }).await?.to_string())
    };

    #[doc = summary!(CREATE_LINKED_PROJECT)]
    ///
    /// Args:
    ///     gpl_project_id: The id of the project on that platform, issued by its administrator.
    ///     title: Shown at the top of the project.
    ///     bounds: West, south, east, north in degrees.
    ///     systems: Dicts as for `create_project`.
    ///     description: The project's description.
    ///     center: Longitude, latitude in degrees. Default: the middle of the bounds.
    ///     zoom_level: From 0 to 30.
    ///     tags: Dicts with `tag` and `code`, or names alone.
    ///     plugins: UUIDs.
    ///
    /// Returns:
    ///     The id of the new project, for `client.project`.
    ///
    /// Raises:
    ///     InputError: An invalid value; nothing was sent.
    ///     PermissionDeniedError: The service does not know the project to link to.
    ///     DecodeError: The project was created, but the service does not return its id, as for `create_project`.
    ///
    /// Examples:
    ///     >>> linked = {"title": "Linked", "bounds": (-9.23, 38.69, -9.09, 38.80), "systems": [{"name": "Water", "color": "#2B7BBA"}]}
    ///     >>> with Sandbox(setup={"linked_projects": ["GPL-7"]}) as other:
    ///     ...     id = other.client().create_linked_project("GPL-7", **linked)
    ///     ...     other.project(id).info()["external_connection"]
    ///     'esri'
    #[pyo3(
        signature = (gpl_project_id, *, title, bounds, systems, description="".to_owned(), center=None, zoom_level=10, tags=None, plugins=None),
        text_signature = "($self, gpl_project_id, *, title, bounds, systems, description='', center=None, zoom_level=10, tags=None, plugins=None)"
    )]
    fn create_linked_project(
        gpl_project_id: String, title: String, bounds: Bounds, systems: NewSystems, description: String,
        center: Option<Center>, zoom_level: i64, tags: Option<NewTags>, plugins: Option<Vec<Uuid>>,
    ) -> String = |client| {
        let project = new_project(title, bounds, systems, description, center, zoom_level, tags, plugins);
        Ok(client.create_linked_project(&model::LinkedProjectCreation { gpl_project_id, project }).await?.to_string())
    };
}

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(EDIT_PROJECT)]
    ///
    /// Args:
    ///     title: The project's title.
    ///     description: The project's description.
    ///     currency: The currency of rates, budgets and costs, such as `"USD"`; an empty string for none.
    ///     language: The language of reports, cards and the wall: `"ar"`, `"de"`, `"en"`, `"es"`, `"fr"`, `"it"` or
    ///         `"pt-BR"`; an empty string for none.
    ///     counted_land: The land that counts in the room: `"all"`, or `"inside"` for the part of each diagram inside the study area.
    ///     drawings_on_constraints: For drawings on land where nothing can change, `"warn"` their authors, or `"refuse"` them.
    ///
    /// Returns:
    ///     A `ProjectInfo` dict.
    ///
    /// Raises:
    ///     InputError: An empty title, a currency of more than 20 characters an unknown language, or another unknown value; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.edit(description="A fictional workshop")["projectdesc"]
    ///     'A fictional workshop'
    #[pyo3(signature = (*, title=None, description=None, currency=None, language=None, counted_land=None, drawings_on_constraints=None))]
    fn edit(
        title: Option<String>, description: Option<String>, currency: Option<String>, language: Option<String>,
        counted_land: Option<String>, drawings_on_constraints: Option<String>,
    ) -> Json<ProjectInfo> = |project| {
        let (projecttitle, projectdesc) = (title, description);
        let edit = ProjectEdit { projecttitle, projectdesc, currency, language, counted_land, drawings_on_constraints };
        Ok(Json(project.edit_project(&edit).await?))
    };

    /// The impacts of systems on each other: the effect of one system's projects on the others, per hectare.
    ///
    /// Impacts are whole numbers from -2 (much worse) to 2 (much better). A pair that is absent counts as 0: no effect, or nobody
    /// assessed it. `project.compare().impact()` multiplies them by hectares.
    ///
    /// Returns:
    ///     A dict of dicts: by the name of the acting system, then of the system that it acts on. It is empty if the project has no
    ///     impacts, as on services that do not store them. `pandas.DataFrame.from_dict(matrix, orient="index")` makes a table of it.
    ///
    /// Examples:
    ///     >>> project.set_impacts({"Industry & commerce": {"Water": -2}, "Green infrastructure": {"Water": 2}})
    ///     >>> project.impacts()["Industry & commerce"]
    ///     {'Water': -2}
    fn impacts() -> Json<ImpactMatrix> = |project| Ok(Json(project.impacts().await?));

    /// Sets impacts of systems on each other. Pairs that you leave out stay as they are.
    ///
    /// Args:
    ///     matrix: A dict of dicts, or a DataFrame with a row for each acting system: whole numbers from -2 (much worse) to 2 (much
    ///         better). 0 removes an impact; empty cells of a DataFrame stay as they are. Give systems by name, id or tag.
    ///
    /// Raises:
    ///     InputError: An impact is not on the scale, a system acts on itself, or the project has no such system; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.set_impacts({"Industry & commerce": {"Water": -2, "Green infrastructure": -1}})
    fn set_impacts(matrix: GivenImpacts) -> Nothing = |project| {
        project.set_impacts(&matrix.0).await?;
        Ok(Nothing)
    };

    /// Quantities of the systems: what their projects bring for each hectare, square metre of floor, or piece.
    ///
    /// Homes, people and jobs are such quantities. `project.compare().people()` sums them over designs and compares them with their targets.
    ///
    /// Returns:
    ///     A dict of dicts: by the name of the system, then of the quantity, dicts with `amount`, `per` (`"hectare"`, `"floor_m2"` or `"piece"`)
    ///     and, if it has one, `target`. It is empty if the project has no quantities, as on services that do not store them.
    ///
    /// Examples:
    ///     >>> project.set_quantities({"Mixed use": {"homes": {"amount": 0.01, "per": "floor_m2", "target": 300}}})
    ///     >>> project.quantities()["Mixed use"]
    ///     {'homes': {'amount': 0.01, 'per': 'floor_m2', 'target': 300.0}}
    fn quantities() -> Json<BTreeMap<String, Quantities>> = |project| Ok(Json(project.quantities().await?));

    /// Sets quantities of systems. Quantities that you leave out stay as they are.
    ///
    /// Args:
    ///     quantities: A dict of dicts: for each system (its name, id or tag), dicts by the name of the quantity. Each has `amount`, which may
    ///         be negative, `per`, and, if you like, `target`, the amount that the system should reach. `per` is `"hectare"` of a project's
    ///         area, `"floor_m2"` for a square metre of floor (its area on each storey, above the ground and below), or `"piece"` for a point.
    ///         None in place of a dict removes the quantity.
    ///
    /// Raises:
    ///     InputError: An amount or target is no number, a name is empty or long, or the project has no such system; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> homes, people = {"amount": 0.01, "per": "floor_m2", "target": 300}, {"amount": 0.024, "per": "floor_m2"}
    ///     >>> project.set_quantities({"Mixed use": {"homes": homes, "people": people}})
    fn set_quantities(quantities: NewQuantities) -> Nothing = |project| {
        project.set_quantities(&quantities.0).await?;
        Ok(Nothing)
    };

    #[doc = summary!(HISTORY)]
    ///
    /// Entries about memberships, tokens, links and walk-ins are for administrators; only they can `undo`. Guests with a link without
    /// names cannot read the history. The service's limits set how many changes are kept, and for how long. An opened archive
    /// has the entries that its writer could read when it was written.
    ///
    /// Args:
    ///     since: Only changes from this time on: a datetime, a date (its midnight), or a string of either. Without a zone it is in
    ///         UTC, like the service's times.
    ///     user: Only changes of this user.
    ///     diagram: Only changes of this diagram itself: its features, title, days, costs, tags, notes and votes. A removed
    ///         one is found by its id.
    ///
    /// Returns:
    ///     A `History`: a list of `HistoryEntry` dicts, newest first, with `to_pandas()`. An entry has `id`, `time` (ISO 8601, UTC,
    ///     without zone), `username` (None for the operator of the service), `operation`, `subject` (such as `diagram 1002`),
    ///     `diagram` (its id, or None), `before` and `after` (in short), `can_be_undone`.
    ///
    /// Raises:
    ///     InputError: `since` is neither a date nor a date-time, or the project has no diagram of that title, or several; it lists them.
    ///     PermissionDeniedError: The guest's link has no names, or the service shows the history to administrators only.
    ///     NotFoundError: The service keeps no history.
    ///
    /// Examples:
    ///     >>> project.diagram(1005).set_notes("Ask the school first.")
    ///     >>> entry = project.history()[0]
    ///     >>> entry["username"], entry["operation"], entry["subject"], entry["after"]
    ///     ('admin', 'set_notes', 'diagram 1005', 'notes: Ask the school first.')
    ///     >>> len(project.history("2026-03-02", user="admin", diagram=1005))
    ///     1
    ///     >>> str(project.history(diagram=1005).to_pandas()["time"].dt.tz)
    ///     'UTC'
    #[pyo3(signature = (since=None, *, user=None, diagram=None))]
    fn history(since: Option<Since>, user: Option<Username>, diagram: Option<DiagramReference>) -> History = |project| {
        let diagram = match diagram {
            Some(diagram) => Some(project.find_diagram(&diagram).await?),
            None => None,
        };
        let wanted = HistoryFilter { since: since.map(|Since(since)| since), user, diagram };
        Ok(History(project.history(&wanted).await?))
    };

    #[doc = summary!(CREATE_TAGS)]
    ///
    /// Args:
    ///     tags: Dicts with `tag` and `code`, or names alone. A code contains no `|`, and no two tags have the same code.
    ///
    /// Raises:
    ///     InputError: An empty name, or a code with `|`; nothing was sent.
    ///     ApiError: Another tag has that code (409).
    ///
    /// Examples:
    ///     >>> project.create_tags([{"tag": "Quick win", "code": "QW"}])
    fn create_tags(tags: NewTags) -> Nothing = |project| {
        project.create_tags(tags.0).await?;
        Ok(Nothing)
    };
}

#[allow(clippy::too_many_arguments)]
fn new_project(
    project_title: String,
    map_bounds: Bounds,
    NewSystems(systems): NewSystems,
    project_description: String,
    center: Option<Center>,
    zoom_level: i64,
    tags: Option<NewTags>,
    plugins: Option<Vec<Uuid>>,
) -> NewProject {
    NewProject {
        project_title,
        project_description,
        map_bounds,
        map_center: center.unwrap_or_else(|| map_bounds.center()),
        zoom_level,
        systems,
        tags: tags.map(|NewTags(tags)| tags).unwrap_or_default(),
        plugins: plugins.unwrap_or_default(),
    }
}
