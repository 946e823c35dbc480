//! Operations on systems: their maps, and adding diagrams to them.

#[macro_export]
macro_rules! system_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Project {
    SYSTEMS: GET "projects/{projectid}/systems/" (InProject, archived, list)
        "The systems of the project.";

    SYSTEM: GET "projects/{projectid}/systems/{sysid}/" (InSystem, archived)
        "A system with its cost, budget and target area.";

    SYSTEM_DIAGRAM_IDS: GET "projects/{projectid}/systems/{sysid}/diagrams/" (InSystem, archived, diagrams)
        "The ids of a system's diagrams." {
        ///     A list of ints.
        get system_diagram_ids as diagram_ids(system: SystemId) -> Vec<DiagramId> = |response: DiagramIds| response.diagrams;
        ///     >>> project.system(1).diagram_ids()[:3]
        ///     [1001, 1002, 1003]
    }

    EVALUATION: GET "projects/{projectid}/systems/{sysid}/evaluation/" (InSystem, archived)
        "The evaluation map of a system: the places where change is wanted, and where it is not." {
        ///     A `FeatureCollection` with the properties `areatype` (`red` where change is least wanted, `green` where it is most wanted)
        ///     and `color`; its `metadata` has `sysid`.
        features evaluation as evaluation(system: SystemId) -> FeatureCollection;
        ///     >>> sorted({feature["properties"]["areatype"] for feature in project.system(1).evaluation()})
        ///     ['green', 'red', 'yellow']
    }

    IMPACT: GET "projects/{projectid}/systems/{sysid}/impact/" (InSystem, extension)
        "The impact map of a system, as it was set." {
        ///     A `FeatureCollection` with the properties that were given; its `metadata` has `sysid`.
        features impact as impact(system: SystemId) -> FeatureCollection;
        ///     >>> project.system("Water").set_impact(project.system("Water").evaluation())
        ///     >>> len(project.system("Water").impact()) == len(project.system("Water").evaluation())
        ///     True
    }

    SET_EVALUATION: POST "projects/{projectid}/systems/{sysid}/e/map/json/" (InSystem)
        "Replaces the evaluation map of a system.";
    SET_EVALUATION_OF_MEMBER: POST "projects/{projectid}/systems/{sysid}/e/map/json/{username}/" (OfMemberInSystem)
        "Replaces the evaluation map of a system in the name of a member.";
    SET_IMPACT: POST "projects/{projectid}/systems/{sysid}/i/map/json/" (InSystem)
        "Replaces the impact map of a system.";
    SET_IMPACT_OF_MEMBER: POST "projects/{projectid}/systems/{sysid}/i/map/json/{username}/" (OfMemberInSystem)
        "Replaces the impact map of a system in the name of a member.";
    ADD_PROJECT: POST "projects/{projectid}/systems/{sysid}/add/project/" (InSystem)
        "Adds a drawn diagram to a system: a project, which is something to be built.";
    ADD_POLICY: POST "projects/{projectid}/systems/{sysid}/add/policy/" (InSystem)
        "Adds a drawn diagram to a system: a policy, which is a rule or an incentive.";
    PREVIEW: POST "projects/{projectid}/systems/{sysid}/preview/" (InSystem, extension, reading)
        "The effects of adding a drawing to a system: size, cost, faults, conflicts. It writes nothing.";
    ADD_EXTERNAL_PROJECT: POST "projects/{projectid}/systems/{sysid}/add/external/project/" (InSystem)
        "Adds to a system a project whose features are in a file on another server.";
    ADD_EXTERNAL_POLICY: POST "projects/{projectid}/systems/{sysid}/add/external/policy/" (InSystem)
        "Adds to a system a policy whose features are in a file on another server.";
}

    } };
}
