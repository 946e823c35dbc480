//! Operations on diagrams and on the diagrams that members selected.

#[macro_export]
macro_rules! diagram_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Project {
    DIAGRAMS: GET "projects/{projectid}/diagrams/" (InProject, archived, list)
        "The diagrams of the project, each with its title, author, system and rank only.";

    ALL_DIAGRAMS: GET "projects/{projectid}/diagrams/all/" (InProject, archived)
        "Every diagram of the project with its features.";

    ALL_DIAGRAM_DETAILS: GET "projects/{projectid}/diagrams/all/details/" (InProject, archived)
        "Every diagram of the project without its features.";

    DIAGRAM: GET "projects/{projectid}/diagrams/{diagramid}/" (InDiagram, archived)
        "A diagram with its features." {
        ///     A `FeatureCollection` of its features; its `metadata` holds the diagram's own fields.
        features diagram as features(id: DiagramId) -> FeatureCollection;
        ///     >>> project.diagram(1001).features().metadata["sysid"]
        ///     1
    }

    UPDATE_DIAGRAM: POST "projects/{projectid}/diagrams/{diagramid}/" (InDiagram)
        "Sets the metadata of a diagram and, if they are given, its title, tags and dates.";
    DELETE_DIAGRAM: DELETE "projects/{projectid}/diagrams/{diagramid}/" (InDiagram, extension)
        "Removes a diagram; undoing this restores it. Members can remove their own diagrams, administrators any." {
        "To restore it, pass the entry in `history()` to `undo`. No other diagram ever gets its id."
        delete delete_diagram as delete(id: DiagramId);
        "PermissionDeniedError: The user neither added the diagram nor administers the project, or drawing is closed."
        ///     >>> project.diagram(1179).delete()
        ///     >>> project.undo(project.history()[0]["id"])
        ///     >>> project.diagram(1179).features().metadata["id"]
        ///     1179
    }

    NOTES: GET "projects/{projectid}/diagrams/{diagramid}/notes/" (InDiagram, archived)
        "The note of a diagram." {
        ///     The note's text; empty if there is no note.
        get diagram_notes as notes(id: DiagramId) -> String = |response: Note| response.notes.unwrap_or_default();
        ///     >>> isinstance(project.diagram(1001).notes(), str)
        ///     True
    }

    SET_NOTES: POST "projects/{projectid}/diagrams/{diagramid}/notes/" (InDiagram)
        "Replaces the note of a diagram.";

    CHANGE_ID: GET "projects/{projectid}/diagrams/{diagramid}/changeid/" (InDiagram, archived)
        "The change id of a diagram: a text that differs after each change of the diagram." {
        "Compare it with an earlier change id."
        ///     The change id, a text.
        get diagram_change_id as change_id(id: DiagramId) -> String = |response: ChangeHash| response.changehash;
        ///     >>> project.diagram(1001).change_id() == project.diagram(1001).change_id()
        ///     True
    }

    DIAGRAM_TAGS: GET "projects/{projectid}/diagrams/{diagramid}/tags/" (InDiagram, archived)
        "The tags of a diagram." {
        ///     A list of `Tag` dicts.
        list diagram_tags as tags(id: DiagramId) -> Vec<Tag>;
        ///     >>> all(1002 in tag["diagrams"] for tag in project.diagram(1002).tags())
        ///     True
    }

    SET_DIAGRAM_TAGS: POST "projects/{projectid}/diagrams/{diagramid}/tags/" (InDiagram)
        "Replaces the tags of a diagram, named by their ids." {
        post set_diagram_tags as set_tags(id: DiagramId; ids: [Uuid], "The UUIDs of the tags.") -> String = |response: Status| response.status;
        "BadRequestError: A tag is not in the project; nothing was changed."
        ///     >>> project.diagram(1002).set_tags([tag["id"] for tag in project.diagram(1002).tags()])
    }

    DIAGRAM_TAG_CODES: GET "projects/{projectid}/diagrams/{diagramid}/tags/codes/" (InDiagram, archived)
        "The tags of a diagram, for reading their codes." {
        ///     The codes alone: a list of str.
        list_elsewhere diagram_tag_codes as tag_codes(id: DiagramId) -> Vec<String> = |tags: Vec<Tag>| tags.into_iter().filter_map(|tag| tag.code).collect();
        ///     >>> project.diagram(1002).tag_codes() == [tag["code"] for tag in project.diagram(1002).tags()]
        ///     True
    }

    SET_DIAGRAM_TAG_CODES: POST "projects/{projectid}/diagrams/{diagramid}/tags/codes/" (InDiagram)
        "Replaces the tags of a diagram, named by their codes." {
        post set_diagram_tag_codes as set_tag_codes(id: DiagramId; codes: [String], "The codes of the tags.") -> String = |response: Status| response.status;
        "BadRequestError: No tag of the project has one of the codes; nothing was changed."
        ///     >>> project.diagram(1002).set_tag_codes(project.diagram(1002).tag_codes())
    }

    GROUP_DIAGRAMS: POST "projects/{projectid}/diagrams/group/" (InProject)
        "Puts diagrams into groups. The diagrams of an existing group are replaced.";
    GROUP_DIAGRAMS_ALIAS: POST "projects/{projectid}/diagrams/groups/" (InProject)
        "Puts diagrams into groups, as `diagrams/group/` does.";
    GENERATE_THUMBNAILS: GET "projects/{projectid}/diagrams/all/generate_thumbnails/" (InProject)
        "Draws a thumbnail of every diagram of the project; the response has their addresses.";
    GENERATE_THUMBNAIL: GET "projects/{projectid}/diagrams/{diagramid}/generate_thumbnail/" (InDiagram)
        "Draws a thumbnail of a diagram; the response has its address.";
    THUMBNAIL: GET "projects/{projectid}/diagrams/{diagramid}/thumbnail/{jobid}/" (InThumbnail)
        "A thumbnail of a diagram: a PNG image of 256 × 256 pixels.";
    SELECTION: GET "projects/{projectid}/members/{username}/diagrams/" (OfMember, archived, features)
        "The features of the diagrams that a member selected, in all systems.";
    MEMBER_COSTS: GET "projects/{projectid}/members/{username}/costs/" (OfMember, extension)
        "The cost of a member's selected diagrams, system by system." {
        "These are the figures of `costs(member=…)`, computed by the service."
        ///     A `CostFigures` dict, see `service_costs()`.
        get service_costs_of_member as service_costs(username: Username) -> CostFigures;
        ///     >>> project.member("amara.okafor").service_costs()["selection"]
        ///     'Selection of amara.okafor'
    }

    SELECTION_IN_SYSTEM: GET "projects/{projectid}/systems/{sysid}/{username}/diagrams/" (OfMemberInSystem, archived, features)
        "The features of the diagrams that a member selected in a system.";
    SELECTED_PROJECTS:
        GET "projects/{projectid}/systems/{sysid}/{username}/diagrams/projects/" (OfMemberInSystem, archived, features)
        "The features of the projects that a member selected in a system.";
    SELECTED_POLICIES:
        GET "projects/{projectid}/systems/{sysid}/{username}/diagrams/policies/" (OfMemberInSystem, archived, features)
        "The features of the policies that a member selected in a system.";
}

    } };
}
