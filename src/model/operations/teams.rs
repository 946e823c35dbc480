//! The operations about change teams: their designs and negotiations.

macro_rules! team_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Project {
    TEAMS: GET "projects/{projectid}/cteams/" (InProject, archived, list)
        "The change teams of the project.";

    TEAM_MEMBERS: GET "projects/{projectid}/cteams/{cteamid}/members/" (InTeam, archived)
        "The members of a change team." {
        ///     A list of user names.
        get team_members(team: TeamId) -> Vec<Username> = |response: TeamMembers| response.members;
        ///     >>> len(project.team_members(1))
        ///     3
    }

    DESIGNS: GET "projects/{projectid}/cteams/{cteamid}/" (InTeam, archived)
        "The designs that a change team saved, oldest first.";

    LATEST_DESIGN_DETAILS: GET "projects/{projectid}/cteams/{cteamid}/details/" (InTeam, archived)
        "The description of the latest design of a change team, and when it was saved.";

    DESIGN: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/" (InDesign, archived)
        "The features of the diagrams in a design, one for each part of a geometry." {
        "A diagram of several parts has as many features, each with all its properties; `diagram` has them as they were drawn."
        ///     A `FeatureCollection`.
        features design_features(team: TeamId, design: DesignId) -> FeatureCollection;
        ///     >>> design = project.designs(1)[0]["id"]
        ///     >>> len(project.design_features(1, design)) > 0
        ///     True
    }

    DESIGN_DETAILS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/details/" (InDesign, archived)
        "The description of a design, and when it was saved.";

    DESIGN_DIAGRAM_IDS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/diagrams/" (InDesign, archived, extension)
        "The ids of the diagrams in a design." {
        "A service without this operation is asked for the features of the design, which tell the diagrams that have any."
        ///     A list of ints.
        ids_of_design design_diagram_ids(team: TeamId, design: DesignId) -> Vec<DiagramId>;
        ///     >>> design = project.designs(1)[0]["id"]
        ///     >>> len(project.design_diagram_ids(1, design)) > 0
        ///     True
    }

    DESIGN_COSTS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/costs/" (InDesign, extension)
        "What the diagrams of a design cost, system by system." {
        "The same figures as those of `costs(team=…, design=…)`, computed by the service."
        ///     A `CostFigures` dict, see `service_costs()`.
        get service_costs_of_design(team: TeamId, design: DesignId) -> CostFigures;
        ///     >>> design = project.designs(1)[0]["id"]
        ///     >>> project.service_costs_of_design(1, design)["total"] == project.costs(team=1, design=design).total
        ///     True
    }

    DESIGN_TIMELINE: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/timeline/" (InDesign, archived)
        "The dates on which the diagrams of a design start and end." {
        ///     A dict from diagram id to a dict with `start` and `end` (`YYYY-MM-DD`, or None).
        get design_timeline(team: TeamId, design: DesignId) -> Timeline = DesignTimeline::given;
        ///     >>> design = project.designs(1)[0]["id"]
        ///     >>> sorted(project.design_timeline(1, design)) == project.design_diagram_ids(1, design)
        ///     True
    }

    BOARD_TIMELINE: GET "projects/{projectid}/boards/{boardid}/timeline/" (OnBoard)
        "The dates on which the diagrams of the project start and end, whatever the design board.";

    DESIGN_ESRI: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/esri/" (InDesign, archived)
        "The features of the diagrams in a design, as feature-JSON." {
        "For tools that read this format; `FeatureCollection.from_esri` reads it too."
        ///     A list of `EsriFeature` dicts: `attributes`, and `geometry` with `rings` or `paths` and `spatialReference`.
        list design_esri(team: TeamId, design: DesignId) -> Vec<EsriFeature>;
        ///     >>> design = project.designs(1)[0]["id"]
        ///     >>> project.design_esri(1, design)[0]["geometry"]["spatialReference"]
        ///     {'wkid': 4326}
    }

    DESIGN_SYSTEM_PROJECTS:
        GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/systems/{sysid}/projects/" (InDesignSystem, archived)
        "The features of the projects of one system in a design, one for each part of a geometry." {
        ///     A `FeatureCollection`.
        features design_system_projects(team: TeamId, design: DesignId, system: SystemId) -> FeatureCollection;
        ///     >>> design = project.designs(1)[0]["id"]
        ///     >>> {feature["properties"]["sysid"] for feature in project.design_system_projects(1, design, 3)}
        ///     {3}
    }

    NEGOTIATION_LOGS: GET "projects/{projectid}/negotiation_logs/" (InProject, archived)
        "What change teams accepted and rejected while they negotiated one design out of two, session by session." {
        ///     A list of `NegotiationSession` dicts: `session_id`, `cteams` (team ids) and `moves`, a list of dicts with
        ///     `diagram` (its id), `move` and `timestamp` (ISO 8601, without zone).
        get negotiation_logs() -> Vec<NegotiationSession> = |response: NegotiationLogs| response.all_negotiations;
        ///     >>> len(project.negotiation_logs())
        ///     3
    }
}

    } };
}
