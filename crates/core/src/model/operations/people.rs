//! Extensions of the public platform: accounts, tokens and backups for the operator; guests and walk-ins for administrators.

#[macro_export]
macro_rules! people_operations {
    ($next:ident $($others:tt)*) => { $next! { $($others)*

Client {
    USERS: GET "users/" (NoIds, extension)
        "The accounts of the service, sorted by name. Only the operator of the service may do this." {
        "The operator is the user `admin`."
        ///     A list of `UserAccount` dicts: `username`, `projects` and `administers` (ids of projects), `withdrawn`.
        ///
        /// Raises:
        ///     PermissionDeniedError: The user is not the operator of the service.
        list users() -> Vec<UserAccount>;
        ///     >>> [user["username"] for user in client.users() if user["administers"]]
        ///     ['admin']
    }
    ACCOUNT: GET "account/" (NoIds, extension)
        "The user that the token belongs to." {
        "A guest has no account."
        ///     The name of the user.
        ///
        /// Raises:
        ///     PermissionDeniedError: The token belongs to a link for guests.
        get username() -> Username = |account: OwnAccount| account.username;
        ///     >>> sandbox.client("amara.okafor").username()
        ///     'amara.okafor'
    }
    ADD_USER: POST "users/" (NoIds, extension)
        "Adds an account, or restores one that was withdrawn, without its memberships. Only the operator of the service may do this.";
    REMOVE_USER: DELETE "users/{username}/" (OfUser, extension)
        "Withdraws an account with its tokens, memberships and selections. Its diagrams stay. Only the operator of the service may do this." {
        delete remove_user(username: Username);
        "BadRequestError: It is the operator's own account."
        ///     >>> client.add_user("guest")
        ///     >>> client.remove_user("guest")
    }
    TOKENS: GET "tokens/" (NoIds, extension)
        "Information about the valid tokens of all accounts, without the tokens themselves. Only the operator of the service may do this." {
        "The time of last use is exact to the minute; the service stores it with its next change."
        ///     A list of `TokenInfo` dicts: `id`, `username`, `issued_at`, `expires_at`, `last_used_at` (None if it was not used),
        ///     `on_card`. All times are in UTC.
        ///
        /// Raises:
        ///     PermissionDeniedError: The user is not the operator of the service.
        list tokens() -> Vec<TokenInfo>;
        ///     >>> [token["username"] for token in client.tokens() if token["last_used_at"]]
        ///     ['admin']
    }
    ADD_TOKEN: POST "tokens/" (NoIds, extension)
        "Makes a token for an account. It is shown only once. Only the operator of the service may do this.";
    WITHDRAW_TOKEN: DELETE "tokens/{tokenid}/" (OfToken, extension)
        "Withdraws a token. Only the operator of the service may do this." {
        delete withdraw_token(id: SecretId);
        ///     >>> token = client.add_token("amara.okafor")
        ///     >>> client.withdraw_token(token["id"])
    }
    SERVICE_HISTORY: GET "history/" (NoIds, extension)
        "Changes of the service's accounts, tokens, creation codes and plugins, with author and time, newest first. Only the operator of the service may see this." {
        ///     A list of `HistoryEntry` dicts, see `Project.history`.
        ///
        /// Raises:
        ///     PermissionDeniedError: The user is not the operator of the service.
        list service_history() -> Vec<HistoryEntry>;
        ///     >>> client.add_user("noor.haddad")
        ///     >>> entry = client.service_history()[0]
        ///     >>> entry["username"], entry["operation"], entry["subject"]
        ///     ('admin', 'add_user', 'user noor.haddad')
    }
    BACKUP: GET "backup/" (NoIds, extension)
        "A copy of the whole database in its current state. Only the operator of the service may do this.";
    WALK_IN: POST "walk_ins/" (NoIds, extension)
        "Walks in to a project with a joining code and a name, and returns a token, which is shown only once. The request needs no token.";
    SIGN_IN: POST "cards/" (NoIds, extension)
        "The member whose card has a code, with the card's token. The request needs no token.";
}

Project {
    MEMBER_TOKENS: GET "projects/{projectid}/members/{username}/tokens/" (OfMember, extension)
        "Information about the valid tokens of a member of this project alone, without the tokens themselves. Only an administrator of the project may do this." {
        ///     A list of `TokenInfo` dicts, see `Client.tokens`.
        get member_tokens as tokens(username: Username) -> Vec<TokenInfo>;
        "PermissionDeniedError: The user is not an administrator of the project, or the member is in other projects, too."
        ///     >>> card = project.member("jose.villanueva").add_token()
        ///     >>> [token["on_card"] for token in project.member("jose.villanueva").tokens()]
        ///     [True]
    }
    ADD_MEMBER_TOKEN: POST "projects/{projectid}/members/{username}/tokens/" (OfMember, extension)
        "Makes a token for the card of a member of this project alone, in place of the token on an earlier card. It is shown only once. Only an administrator of the project may do this.";
    WITHDRAW_MEMBER_TOKENS: DELETE "projects/{projectid}/members/{username}/tokens/" (OfMember, extension)
        "Withdraws all tokens of a member of this project alone. Only an administrator of the project may do this." {
        delete withdraw_member_tokens as withdraw_tokens(username: Username);
        "PermissionDeniedError: The user is not an administrator of the project, or the member is in other projects, too."
        ///     >>> project.member("jose.villanueva").withdraw_tokens()
    }

    LINKS: GET "projects/{projectid}/links/" (InProject, extension)
        "The links with which guests read the project, without their tokens. Only an administrator of the project may do this." {
        ///     A list of `GuestLink` dicts: `id`, `title`, `names`, `created_at`, `expires_at`, `last_used_at` (UTC; None if it
        ///     was not used).
        get links in workshop() -> Vec<GuestLink>;
        ///     >>> link = project.workshop.add_link("City council", expires_at="2999-06-01")
        ///     >>> [link["title"] for link in project.workshop.links()]
        ///     ['City council']
    }
    ADD_LINK: POST "projects/{projectid}/links/" (InProject, extension)
        "Makes a link with which guests can read the project until a set time. Its token is shown only once. Only an administrator of the project may do this.";
    WITHDRAW_LINK: DELETE "projects/{projectid}/links/{linkid}/" (OfLink, extension)
        "Withdraws a link. Its guests can no longer read anything. Only an administrator of the project may do this." {
        delete withdraw_link in workshop(id: SecretId);
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> link = project.workshop.add_link("Press", expires_at="2999-06-01")
        ///     >>> project.workshop.withdraw_link(link["id"])
    }

    WALK_INS: GET "projects/{projectid}/walk_ins/" (InProject, extension)
        "The state of the project's joining code, and the people waiting to be admitted. Only an administrator of the project may do this." {
        ///     A `WalkIns` dict: `open`, `closes_at` (UTC, or None), `by_hand`, `cteamid` (or None), `admitted`, and `waiting`, a list
        ///     of dicts with `username` and `asked_at` (UTC).
        get walk_ins in workshop() -> WalkIns;
        ///     >>> project.workshop.walk_ins()["waiting"]
        ///     []
    }
    OPEN_WALK_INS: PUT "projects/{projectid}/walk_ins/" (InProject, extension)
        "Opens the project to walk-ins until a set time, with a new joining code, which is shown only once. An earlier code ends. Only an administrator of the project may do this.";
    CLOSE_WALK_INS: DELETE "projects/{projectid}/walk_ins/" (InProject, extension)
        "Closes the project to walk-ins. People who are waiting stay in the list. Only an administrator of the project may do this." {
        "If it is already closed, nothing happens."
        delete close_walk_ins in workshop();
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> project.workshop.close_walk_ins()
    }
    ADMIT_WALK_IN: POST "projects/{projectid}/walk_ins/{name}/" (OfWalkIn, extension)
        "Admits a waiting person as a member of the project. Only an administrator of the project may do this.";
    REFUSE_WALK_IN: DELETE "projects/{projectid}/walk_ins/{name}/" (OfWalkIn, extension)
        "Refuses a waiting person. Only an administrator of the project may do this." {
        delete refuse_walk_in in workshop(name: Username);
        "PermissionDeniedError: The user is not an administrator of the project."
        ///     >>> code = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
        ///     >>> client.walk_in(code, "Zoe")["admitted"]
        ///     False
        ///     >>> project.workshop.refuse_walk_in("Zoe")
    }
}

    } };
}
