//! Operations on a user's projects and on a project's setup: people, study area, layers, history.

#[macro_export]
macro_rules! project_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Client {
    PROJECTS: GET "projects/" (NoIds)
        "The projects that the user is a member of, oldest first." {
        ///     A list of `ProjectInfo` dicts, oldest first: `id`, `projecttitle`, `projectdesc`, `startdate`
        ///     (`YYYY-MM-DD`), `projecttype`, `external_connection`.
        ///
        /// Raises:
        ///     AuthenticationError: The token is missing, wrong or expired.
        list projects() -> Vec<ProjectInfo>;
        ///     >>> [project["id"] for project in client.projects()]
        ///     ['StatenIsland2050']
    }

    LATEST_PROJECT: GET "projects/latest/" (NoIds)
        "The user's most recently created project, in a list; an empty list if the user has no project.";
    CREATE_PROJECT: POST "projects/create/" (NoIds)
        "Creates a project. The user becomes its administrator.";
    CREATE_LINKED_PROJECT: POST "projects/create-igc-project/" (NoIds)
        "Creates a project that is linked to a project of the companion planning platform. The user becomes its administrator.";

    LIMITS: GET "limits/" (NoIds, extension)
        "The limits of the service: how much of it one request, one user or one project may use." {
        "Only the embedded service reports its limits."
        ///     A list of `Limit` dicts: `name`, `value`, `unit` (such as `bytes` or `seconds`), `description`.
        ///
        /// Raises:
        ///     AuthenticationError: The token is missing, wrong or expired.
        ///     NotFoundError: The service does not report its limits.
        get limits() -> Vec<Limit>;
        ///     >>> {limit["name"]: limit["value"] for limit in client.limits()}["connections"]
        ///     800
    }
}

Project {
    PROJECT: GET "projects/{projectid}/" (InProject, archived)
        "Title, description and start date of the project." {
        ///     A `ProjectInfo` dict.
        get info() -> ProjectInfo;
        ///     >>> project.info()["projecttitle"]
        ///     'Staten Island 2050'
    }

    PROJECT_CHANGE_ID: GET "projects/{projectid}/changeid/" (InProject, extension)
        "The change id of the project: a text that differs after each change of anything that the project shows.";
    PROJECT_EVENTS: GET "projects/{projectid}/events/" (InProject)
        "The changes of the project as they are committed: server-sent events.";

    HISTORY: GET "projects/{projectid}/history/" (InProject, archived, list, extension)
        "The changes of the project, with author and time, newest first. Administrators of the project see all changes, members the changes of data they can read.";

    ORIGINS: GET "projects/{projectid}/origins/" (InProject, archived, extension)
        "The states that the project began with: one for each archive that it was loaded from." {
        "`merge` compares with these states."
        ///     A list of dicts, oldest first: `service` (its id), `changeid`, `created_at` (of the archive; UTC) and `work`, which has the
        ///     fields of each thing by kind and id. Empty for a project that was created in this service.
        get origins in workshop() -> Vec<WorkState> = |response: ProjectOrigins| response.origins;
        ///     >>> project.workshop.origins()
        ///     []
    }
    MERGE: POST "projects/{projectid}/merge/" (InProject, extension, always)
        "Merges an archive of a copy of the project into it: everything added, changed and removed in the copy. Members can merge their own work, administrators everything.";

    UNDO: POST "projects/{projectid}/history/{entry}/undo/" (InHistory, extension)
        "Undoes a change of a diagram, its note or a map. Only an administrator of the project may do this." {
        "A removed diagram returns with its id, and with its places in designs, groups and selections. Undoing is a change
that can be undone in turn."
        send undo(entry: EntryId) -> String = |response: Status| response.status;
        "ApiError: The change cannot be undone (409)."
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> project.diagram(1006).set_notes("A mistake")
        ///     >>> project.undo(project.history()[0]["id"])
        ///     >>> "mistake" in project.diagram(1006).notes()
        ///     False
    }

    MEMBERS: GET "projects/{projectid}/members/" (InProject, archived, members)
        "The users who take part in the project.";

    COSTS: GET "projects/{projectid}/costs/" (InProject, extension)
        "The cost of all diagrams of the project, system by system, by the rules of the cost report." {
        "These are the figures of `costs()`, which computes them from downloaded diagrams: here the service computes them, so
that programs in other languages need no copy of the rules. External files are not opened. Other services may not have this."
        ///     A `CostFigures` dict: `project` and `selection` (what was priced, for titles), `total`, `unpriced`, `without_rate`,
        ///     `lines_at_area_rate`, `systems` (`SystemCost` dicts) and `diagrams` (`DiagramCost` dicts).
        get service_costs() -> CostFigures;
        ///     >>> figures = project.service_costs()
        ///     >>> figures["total"] == project.costs().total, figures["systems"] == project.costs().systems
        ///     (True, True)
    }

    LAND: POST "projects/{projectid}/land/" (InProject, extension, reading)
        "Land in hectares: the land that pairs of diagrams share, and the land of diagrams in each class of an evaluation map. It writes nothing.";

    STAKEHOLDERS: GET "projects/{projectid}/stakeholders/" (InProject, archived, stakeholders)
        "The people and groups whose interests the project considers." {
        ///     A list of dicts with `id` (a UUID) and `name`.
        get stakeholders in workshop() -> Vec<Stakeholder> = |response: Stakeholders| response.stakeholders;
        ///     >>> len(project.workshop.stakeholders())
        ///     8
    }

    ADD_STAKEHOLDERS: POST "projects/{projectid}/stakeholders/" (InProject)
        "Adds stakeholders by their names. Names that the project already has are skipped.";

    PLUGINS: GET "projects/{projectid}/plugins/" (InProject, archived)
        "The plugins: extensions that the project uses." {
        ///     A list of dicts with `id` (a UUID) and `description`.
        list plugins in workshop() -> Vec<Plugin>;
        ///     >>> len(project.workshop.plugins())
        ///     3
    }

    SET_PLUGINS: POST "projects/{projectid}/plugins/" (InProject)
        "Replaces the plugins that the project uses." {
        post set_plugins in workshop(; ids: [Uuid], "Their UUIDs.") -> String = |response: Message| response.message;
        "InputError: One of the ids is not a UUID; nothing was sent."
        ///     >>> project.workshop.set_plugins([plugin["id"] for plugin in project.workshop.plugins()])
    }

    BOUNDS: GET "projects/{projectid}/bounds/" (InProject, archived)
        "The bounds of the study area: west, south, east and north in degrees.";
    CENTER: GET "projects/{projectid}/center/" (InProject, archived)
        "The centre of the study area: longitude and latitude in degrees.";

    BOUNDARIES: GET "projects/{projectid}/boundaries/" (InProject, archived)
        "The outline of the study area." {
        ///     A `FeatureCollection`; its `metadata` has `description`, with the source.
        features boundaries in study_area() -> FeatureCollection;
        ///     >>> project.study_area.boundaries()["features"][0]["properties"]["bname"]
        ///     'Staten Island'
    }

    SECOND_BOUNDARIES: GET "projects/{projectid}/secondboundaries/" (InProject, archived)
        "The second set of boundaries, such as the surroundings of the study area." {
        ///     A `FeatureCollection`; its `metadata` has `description`, with the source.
        features second_boundaries in study_area() -> FeatureCollection;
        ///     >>> len(project.study_area.second_boundaries())
        ///     5
    }

    CONSTRAINTS: GET "projects/{projectid}/constraints/" (InProject, archived)
        "The constraints: land that no system may change." {
        ///     A `FeatureCollection`; its `metadata` has `description` and `area` (m²).
        features constraints in study_area() -> FeatureCollection;
        ///     >>> len(project.study_area.constraints())
        ///     3
    }

    CONTEXT: GET "projects/{projectid}/context/" (InProject, archived, extension)
        "The context: places, water, roads, railways, parks and districts that show where the project is." {
        "This is an addition of this service; other services may not have it."
        ///     A `FeatureCollection`; each feature has its `kind`, and its `name` if it has one. Its `metadata` has `description`.
        features context in study_area() -> FeatureCollection;
        ///     >>> project.study_area.context()["features"][0]["properties"]
        ///     {'kind': 'place', 'name': 'Annadale'}
    }

    LAYERS: GET "projects/{projectid}/data_layers/" (InProject, archived)
        "The external data layers: maps of other servers that the project shows." {
        ///     A list of `Layer` dicts: `id`, `server_type`, `layer_type`, `url`, `layer_name`, `attribution`,
        ///     `display_name`, `additional_metadata`.
        list layers in study_area() -> Vec<Layer>;
        ///     >>> [layer["layer_type"] for layer in project.study_area.layers()]
        ///     ['WMS', 'XYZ', 'esri-featurelayer', 'WMS']
    }

    ADD_LAYER: POST "projects/{projectid}/data_layers/" (InProject)
        "Adds an external data layer. A layer whose `url` is not https is skipped, and the response says so.";
    DELETE_LAYER: DELETE "projects/{projectid}/data_layers/{layer_id}/" (InLayer)
        "Removes an external data layer. Only an administrator of the project may do this." {
        delete delete_layer in study_area(id: LayerId);
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> project.study_area.delete_layer(project.study_area.layers()[-1]["id"])
    }

    TAGS: GET "projects/{projectid}/tags/" (InProject, archived)
        "The tags of the project, each with the ids of its diagrams." {
        ///     A list of `Tag` dicts: `id` (a UUID), `tag`, `slug`, `code` (may be empty), `diagrams` (a list of diagram ids).
        list tags() -> Vec<Tag>;
        ///     >>> sorted(tag["code"] for tag in project.tags())[:3]
        ///     ['', 'AH', 'BD']
    }

    CREATE_TAGS: POST "projects/{projectid}/tags/create/" (InProject)
        "Adds tags to the project. Tags that the project already has, with the same name and code, are skipped.";
    CREATE_TAGS_ALIAS: POST "projects/{projectid}/tags/" (InProject)
        "Adds tags to the project, as `tags/create/` does.";
}

    } };
}
