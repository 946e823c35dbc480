//! Operations on change teams: their designs and negotiations.

#[macro_export]
macro_rules! team_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Project {
    TEAMS: GET "projects/{projectid}/cteams/" (InProject, archived, list)
        "The change teams of the project.";

    TEAM_MEMBERS: GET "projects/{projectid}/cteams/{cteamid}/members/" (InTeam, archived, members)
        "The members of a change team." {
        ///     A list of user names.
        get team_members as members(team: TeamId) -> Vec<Username> = |response: TeamMembers| response.members;
        ///     >>> len(project.team(1).members())
        ///     3
    }

    DESIGNS: GET "projects/{projectid}/cteams/{cteamid}/" (InTeam, archived, synthesis)
        "The designs that a change team saved, oldest first.";

    LATEST_DESIGN_DETAILS: GET "projects/{projectid}/cteams/{cteamid}/details/" (InTeam, archived)
        "The description of a change team's latest design, and the time at which it was saved.";

    DESIGN: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/" (InDesign, archived, features)
        "The features of the diagrams in a design, one for each part of a geometry." {
        ///     A `FeatureCollection`.
        features design_features(team: TeamId, design: DesignId) -> FeatureCollection;
        ///     >>> design = project.design("Design 1 – room")
        ///     >>> len(design.features()) > 0
        ///     True
    }

    DESIGN_DETAILS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/details/" (InDesign, archived)
        "The description of a design, and the time at which it was saved.";

    DESIGN_DIAGRAM_IDS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/diagrams/" (InDesign, archived, extension, diagrams)
        "The ids of the diagrams in a design." {
        "If the service lacks this operation, the ids come from the features of the design, so diagrams without features are missing."
        ///     A list of ints.
        ids_of_design design_diagram_ids as diagram_ids(team: TeamId, design: DesignId) -> Vec<DiagramId>;
        ///     >>> design = project.design("Design 1 – room")
        ///     >>> len(design.diagram_ids()) > 0
        ///     True
    }

    DESIGN_COSTS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/costs/" (InDesign, extension)
        "The cost of a design's diagrams, system by system." {
        "These are the figures of `costs(team=…, design=…)`, computed by the service."
        ///     A `CostFigures` dict, see `service_costs()`.
        get service_costs_of_design as service_costs(team: TeamId, design: DesignId) -> CostFigures;
        ///     >>> design = project.design("Design 1 – room")
        ///     >>> design.service_costs()["total"] == design.costs().total
        ///     True
    }

    DESIGN_TIMELINE: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/timeline/" (InDesign, archived)
        "The dates on which the diagrams of a design start and end." {
        ///     A dict from diagram id to a dict with `start` and `end` (`YYYY-MM-DD`, or None).
        get design_timeline as timeline(team: TeamId, design: DesignId) -> Timeline = DesignTimeline::given;
        ///     >>> design = project.design("Design 1 – room")
        ///     >>> sorted(design.timeline()) == design.diagram_ids()
        ///     True
    }

    BOARD_TIMELINE: GET "projects/{projectid}/boards/{boardid}/timeline/" (OnBoard)
        "The dates on which the diagrams of the project start and end, whatever the design board.";

    DESIGN_ESRI: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/esri/" (InDesign, archived)
        "The features of the diagrams in a design, as feature-JSON." {
        "It is for tools that read this format; `FeatureCollection.from_esri` reads it, too."
        ///     A list of `EsriFeature` dicts: `attributes`, and `geometry` with `rings` or `paths` and `spatialReference`.
        list design_esri as esri(team: TeamId, design: DesignId) -> Vec<EsriFeature>;
        ///     >>> design = project.design("Design 1 – room")
        ///     >>> design.esri()[0]["geometry"]["spatialReference"]
        ///     {'wkid': 4326}
    }

    DESIGN_SYSTEM_PROJECTS:
        GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/systems/{sysid}/projects/" (InDesignSystem, archived, features)
        "The features of one system's projects in a design, one for each part of a geometry." {
        ///     A `FeatureCollection`.
        features design_system_projects(team: TeamId, design: DesignId, system: SystemId) -> FeatureCollection;
        ///     >>> design = project.design("Design 1 – room")
        ///     >>> {feature["properties"]["sysid"] for feature in design.features(system=3)}
        ///     {3}
    }

    NEGOTIATION_LOGS: GET "projects/{projectid}/negotiation_logs/" (InProject, archived, all_negotiations)
        "The diagrams that change teams accepted and rejected while negotiating one design out of two, session by session." {
        ///     A list of `NegotiationSession` dicts: `session_id`, `cteams` (team ids) and `moves`, a list of dicts with
        ///     `diagram` (its id), `move` and `timestamp` (ISO 8601, without zone).
        get negotiation_logs in workshop() -> Vec<NegotiationSession> = |response: NegotiationLogs| response.all_negotiations;
        ///     >>> len(project.workshop.negotiation_logs())
        ///     3
    }
}

    } };
}
