//! Extensions of the public platform: changes that members, teams and administrators make in a workshop.

#[macro_export]
macro_rules! edit_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Project {
    EDIT_DIAGRAM: PATCH "projects/{projectid}/diagrams/{diagramid}/" (InDiagram, extension)
        "Changes the given values of a diagram: title, days, system, kind, features, cost. Members can change their own diagrams, administrators any. Undoing this restores the diagram.";
    VOTES: GET "projects/{projectid}/votes/" (InProject, archived, extension)
        "The votes of all members on the diagrams of the project." {
        "While votes are hidden, members see only their own, administrators all."
        ///     A list of `Vote` dicts: `diagram`, `username`, `vote` (from -2, strongly against, to 2, strongly for), `comment`,
        ///     `voted_at` (UTC).
        get votes() -> Vec<Vote> = |response: Votes| response.votes;
        ///     >>> project.diagram(1002).vote(2, "Shade where children play.")
        ///     >>> [(vote["diagram"], vote["vote"]) for vote in project.votes()]
        ///     [(1002, 2)]
    }
    SET_VOTE: PUT "projects/{projectid}/diagrams/{diagramid}/vote/" (InDiagram, extension, selecting)
        "Casts the caller's vote on a diagram, in place of an earlier one.";
    WITHDRAW_VOTE: DELETE "projects/{projectid}/diagrams/{diagramid}/vote/" (InDiagram, extension, selecting)
        "Withdraws the caller's vote on a diagram." {
        delete withdraw_vote as withdraw_vote(id: DiagramId);
        ///     >>> project.diagram(1003).vote(-1)
        ///     >>> project.diagram(1003).withdraw_vote()
    }
    COMMENTS: GET "projects/{projectid}/comments/" (InProject, archived, extension)
        "The comments on diagrams, designs and places of the project, oldest first." {
        "A thread is a first comment and its replies. Comments on removed diagrams are left out until the diagrams are restored."
        ///     A list of `Comment` dicts: `id`, `author`, `text`, `created_at` (UTC), `edited_at` (or None); one of `diagram` (its id),
        ///     `design` (its id) and `place` (longitude and latitude); `reply_to` (the id of the thread's first comment, or None),
        ///     `resolved`, `resolved_by` (or None); `review` (True if the thread asks for a review), `asked` (the members who are asked;
        ///     empty for all).
        get comments() -> Vec<Comment> = |response: Comments| response.comments;
        ///     >>> question = project.diagram(1002).comment("Why not further north?")
        ///     >>> answer = project.reply(question, "The pipe ends here.")
        ///     >>> [comment["text"] for comment in project.comments()]
        ///     ['Why not further north?', 'The pipe ends here.']
    }
    ADD_COMMENT: POST "projects/{projectid}/comments/" (InProject, extension, commenting)
        "Adds a comment on a diagram, a design or a place, or a reply to the first comment of a thread. With `review`, it asks for a review of the diagram or design.";
    EDIT_COMMENT: PATCH "projects/{projectid}/comments/{commentid}/" (InComment, extension, commenting)
        "Changes the text of a comment, or resolves or reopens a thread by its first comment. Members change their own texts and resolve every thread, but only its author and those asked resolve a review. Administrators do all of it.";
    DELETE_COMMENT: DELETE "projects/{projectid}/comments/{commentid}/" (InComment, extension, commenting)
        "Removes a comment that has no replies. Members remove their own, administrators every one.";
    PRESENCE: GET "projects/{projectid}/presence/" (InProject, extension)
        "The members who are here: those who listen to the project's events, in the room or in another program." {
        "Presence is never stored. A member is here until five seconds after the last of their streams ends."
        ///     A list of `PresentMember` dicts: `username`, `cteams` (the ids of the member's teams), `since` (UTC).
        get presence() -> Vec<PresentMember> = |response: Presence| response.presence;
        ///     >>> project.presence()
        ///     []
    }
    SHOW_OUTLINE: POST "projects/{projectid}/presence/" (InProject, extension)
        "Shows the others the outline of a drawing in progress, for ten seconds, if the project shows drawings.";
    SET_SELECTION: PUT "projects/{projectid}/members/{username}/diagrams/" (OfMember, extension, selecting)
        "Replaces the diagrams that a member selected. Only an administrator may do this for another member.";
    CHANGE_SELECTION: PATCH "projects/{projectid}/members/{username}/diagrams/" (OfMember, extension, selecting)
        "Adds diagrams to a member's selection and removes others from it. Only an administrator may do this for another member.";

    SAVE_DESIGN: POST "projects/{projectid}/cteams/{cteamid}/" (InTeam, extension, designing)
        "Saves a design of a change team. Members of the team and administrators may do this.";
    EDIT_DESIGN: PATCH "projects/{projectid}/cteams/{cteamid}/{synthesisid}/" (InDesign, extension, designing)
        "Renames a design. Members of its team and administrators may do this.";
    DELETE_DESIGN: DELETE "projects/{projectid}/cteams/{cteamid}/{synthesisid}/" (InDesign, extension, designing)
        "Removes a design. Members of its team and administrators may do this." {
        delete delete_design as delete(team: TeamId, design: DesignId);
        "PermissionDeniedError: The user is neither in the team nor an administrator of the project."
        ///     >>> design = project.team("Residents").save("A mistake", [1001])
        ///     >>> design.delete()
    }
    BEGIN_NEGOTIATION: POST "projects/{projectid}/negotiation_logs/" (InProject, extension, designing)
        "Begins a negotiation between change teams. Members of these teams and administrators may do this.";
    ADD_MOVE: POST "projects/{projectid}/negotiation_logs/{session_id}/" (InNegotiation, extension, designing)
        "Adds a decision to a negotiation. Members of its teams and administrators may do this.";

    ADD_TEAM: POST "projects/{projectid}/cteams/" (InProject, extension)
        "Adds a change team. Only an administrator of the project may do this.";
    EDIT_TEAM: PATCH "projects/{projectid}/cteams/{cteamid}/" (InTeam, extension)
        "Changes the title, colour or members of a change team. Only an administrator of the project may do this.";
    DELETE_TEAM: DELETE "projects/{projectid}/cteams/{cteamid}/" (InTeam, extension)
        "Removes a change team with its designs. Only an administrator of the project may do this." {
        delete delete_team as delete(team: TeamId);
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> project.add_team("A mistake").delete()
    }
    ADD_SYSTEM: POST "projects/{projectid}/systems/" (InProject, extension)
        "Adds a system. Only an administrator of the project may do this.";
    DELETE_SYSTEM: DELETE "projects/{projectid}/systems/{sysid}/" (InSystem, extension)
        "Removes a system in which nothing was ever drawn. Only an administrator of the project may do this." {
        delete delete_system as delete(system: SystemId);
        "ApiError: The system has diagrams, or had some (409)."
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> project.add_system("A mistake", "#2B7BBA").delete()
    }
    EDIT_SYSTEM: PATCH "projects/{projectid}/systems/{sysid}/" (InSystem, extension)
        "Changes the given values of a system: name, colour, tag, description, cost, budget, hectares. Only an administrator of the project may do this.";
    SET_BOUNDARIES: PUT "projects/{projectid}/boundaries/" (InProject, extension)
        "Replaces the boundaries of the project. Only an administrator of the project may do this.";
    SET_SECOND_BOUNDARIES: PUT "projects/{projectid}/secondboundaries/" (InProject, extension)
        "Replaces the second boundaries of the project. Only an administrator of the project may do this.";
    SET_CONSTRAINTS: PUT "projects/{projectid}/constraints/" (InProject, extension)
        "Replaces the constraints of the project: land that no system may change. Only an administrator of the project may do this.";
    SET_CONTEXT: PUT "projects/{projectid}/context/" (InProject, extension)
        "Replaces the context of the project: places, water, roads, railways, parks and districts. Only an administrator of the project may do this.";
    GROUPS: GET "projects/{projectid}/diagrams/groups/" (InProject, archived, extension)
        "The groups of diagrams, sorted by name." {
        ///     A list of dicts with `group_name` and `diagrams` (their ids).
        get diagram_groups() -> Vec<DiagramGroup> = |response: DiagramGroups| response.diagram_groups;
        ///     >>> project.group_diagrams({"Harbour": [1003, 1004]})
        ///     >>> project.diagram_groups()
        ///     [{'group_name': 'Harbour', 'diagrams': [1003, 1004]}]
    }
    EDIT_PROJECT: PATCH "projects/{projectid}/" (InProject, extension)
        "Changes the title or the description of the project. Only an administrator of the project may do this.";
    ADD_MEMBERS: POST "projects/{projectid}/members/" (InProject, extension)
        "Adds people to the project and to its teams, all of them or none. Names without an account get one, and missing teams are added. Only an administrator of the project may do this.";
    SET_MEMBER: PUT "projects/{projectid}/members/{username}/" (OfMember, extension)
        "Makes a user of the service a member of the project, or changes whether a member administers it. Only an administrator of the project may do this.";
    REMOVE_MEMBER: DELETE "projects/{projectid}/members/{username}/" (OfMember, extension)
        "Ends a membership, with the member's selection and votes. The diagrams that the member added stay. Only an administrator of the project may do this." {
        delete remove_member as remove(username: Username);
        "BadRequestError: The project would have no administrator."
        ///     >>> member = project.add_member("jose.villanueva")
        ///     >>> member.remove()
    }
    REMOVE_NAME: DELETE "projects/{projectid}/members/{username}/name/" (OfMember, extension)
        "Removes the name of a person who is, or was, in this project alone: the membership and the account end, and `former member` with a number replaces the name wherever the service keeps it. The diagrams stay. Only an administrator of the project may do this." {
        "Texts that people wrote, such as titles and comments, stay as they are. So do earlier backups and archives."
        delete remove_name in workshop(username: Username);
        "PermissionDeniedError: The user is not an administrator of the project, or the person is in other projects, too."
        "BadRequestError: The project would have no administrator."
        ///     >>> project.workshop.remove_name("jose.villanueva")
        ///     >>> "jose.villanueva" in sandbox.usernames
        ///     False
    }
    ARCHIVE: GET "projects/{projectid}/archive/" (InProject, extension)
        "The project in one file, as `archive` writes it. Only an administrator of the project may do this.";
    ACTIVITIES: GET "projects/{projectid}/activities/" (InProject, extension)
        "The activities that are open to members: drawing, selecting, designing, commenting." {
        ///     A dict with `drawing` (diagrams), `selecting` (selections and votes), `designing` (designs and negotiations) and `commenting`,
        ///     each a dict with `open`, `closes_at` (UTC, or None) and `message`.
        get activities in workshop() -> Activities;
        ///     >>> project.workshop.activities()["drawing"]["open"]
        ///     True
    }
    SET_ACTIVITIES: PATCH "projects/{projectid}/activities/" (InProject, extension)
        "Opens or closes activities of members, now or at a set time. Only an administrator of the project may do this.";
}

    } };
}
