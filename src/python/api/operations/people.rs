//! Who may come: accounts and tokens for the operator of a service, guests and walk-ins for administrators of a project.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::client::{self, TeamReference};
use crate::model::{
    IssuedToken, JoiningCode, NewGuest, NewGuestLink, NewUserToken, Username, UtcMillis, WalkInsEdit, WalkedIn,
};
use crate::python::api::client::{AsyncClient, Client};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::results::Nothing;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Client / AsyncClient of client::Client:
    #[doc = summary!(ADD_USER)]
    ///
    /// Args:
    ///     username: 1 to 150 characters.
    ///
    /// Raises:
    ///     InputError: The name is not a valid user name; nothing was sent.
    ///     PermissionDeniedError: The user is not the operator of the service.
    ///
    /// Examples:
    ///     >>> client.add_user("noor.haddad")
    fn add_user(username: Username) -> Nothing = |client| {
        client.add_user(username).await?;
        Ok(Nothing)
    };

    #[doc = summary!(ADD_TOKEN)]
    ///
    /// Args:
    ///     username: A user of the service.
    ///     expires_at: When the token ends, as `update_diagram` takes dates. Default: when the operator decided with
    ///         `pygeodesign serve --token-lifetime`, or after six months.
    ///
    /// Returns:
    ///     An `IssuedToken` dict: `id`, `username`, `token`, `expires_at` (UTC).
    ///
    /// Raises:
    ///     BadRequestError: There is no such user, or the time has passed.
    ///     PermissionDeniedError: The user is not the operator of the service.
    ///
    /// Examples:
    ///     >>> token = client.add_token("amara.okafor", expires_at="2999-06-01")
    ///     >>> len(token["token"])
    ///     40
    #[pyo3(signature = (username, *, expires_at=None))]
    fn add_token(username: Username, expires_at: Option<UtcMillis>) -> Json<IssuedToken> = |client| {
        Ok(Json(client.add_token(&NewUserToken { username, expires_at, on_card: false }).await?))
    };

    #[doc = summary!(BACKUP)]
    ///
    /// `pygeodesign serve --db` serves it. It has all projects, and no token that anybody could use: of tokens, the database has
    /// only digests. While it is downloaded, others read and write.
    ///
    /// Args:
    ///     path: The file, such as `"copy.sqlite"`, which only you may read. One that has the name is replaced when the new one is
    ///         whole.
    ///
    /// Raises:
    ///     InputError: The file cannot be written.
    ///     PermissionDeniedError: The user is not the operator of the service.
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> client.backup(f"{tempfile.mkdtemp()}/copy.sqlite")
    fn backup(path: PathBuf) -> Nothing = |client| {
        client.backup(&path).await?;
        Ok(Nothing)
    };

    #[doc = summary!(WALK_IN)]
    ///
    /// Whoever has no token yet can give the client any word as one.
    ///
    /// Args:
    ///     code: The joining code of a project. Letters of either case are the same; spaces and dashes do not count.
    ///     username: The name that the others then see, 1 to 150 characters.
    ///
    /// Returns:
    ///     A `WalkedIn` dict: `username`, `projectid`, `token`, `expires_at` (UTC), `admitted`. While `admitted` is False, requests
    ///     with the token are a `PermissionDeniedError`, until an administrator of the project admits the user.
    ///
    /// Raises:
    ///     PermissionDeniedError: The code is not valid, or the project is closed to walk-ins.
    ///     BadRequestError: As many people as may have come with this code.
    ///     ApiError: With `status_code` 409, somebody has that name already, or one that looks the same.
    ///     RateLimitedError: More people than `walk_ins_per_second` of the service's limits come from the same address.
    ///
    /// Examples:
    ///     >>> code = project.open_walk_ins("2999-06-01", team=1)["code"]
    ///     >>> client.walk_in(code, "Yara")["admitted"]
    ///     True
    ///     >>> "Yara" in project.team_members(1)
    ///     True
    fn walk_in(code: String, username: Username) -> Json<WalkedIn> = |client| {
        Ok(Json(client.walk_in(code, username).await?))
    };
}

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(ARCHIVE)]
    ///
    /// The service puts it together, so that one request has all. `archive` asks any service for each part, also as a member, and
    /// adds pictures; `sync` brings either file up to date.
    ///
    /// Args:
    ///     path: The file, such as `"staten.zip"`, which only you may read. One that has the name is replaced when the new one is
    ///         whole.
    ///
    /// Raises:
    ///     InputError: The file cannot be written.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///     ApiError: With `status_code` 409, the project changed each of the three times that the service read it.
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> from pygeodesign import open
    ///     >>> path = f"{tempfile.mkdtemp()}/staten.zip"
    ///     >>> project.download_archive(path)
    ///     >>> open(path).costs().total == project.costs().total
    ///     True
    fn download_archive(path: PathBuf) -> Nothing = |project| {
        project.download_archive(&path).await?;
        Ok(Nothing)
    };

    #[doc = summary!(ADD_MEMBER_TOKEN)]
    ///
    /// It ends when the member becomes a member of another project, too.
    ///
    /// Args:
    ///     username: A member of this project and of no other.
    ///     expires_at: When the token ends, as `update_diagram` takes dates. Default: when the operator of the service decided, or
    ///         after six months.
    ///
    /// Returns:
    ///     An `IssuedToken` dict: `id`, `username`, `token`, `expires_at` (UTC).
    ///
    /// Raises:
    ///     BadRequestError: The time has passed.
    ///     PermissionDeniedError: The user is not an administrator of the project, or the member is in other projects too, or is the
    ///         operator of the service.
    ///
    /// Examples:
    ///     >>> project.add_member_token("amara.okafor", expires_at="2999-06-01")["username"]
    ///     'amara.okafor'
    #[pyo3(signature = (username, *, expires_at=None))]
    fn add_member_token(username: Username, expires_at: Option<UtcMillis>) -> Json<IssuedToken> = |project| {
        Ok(Json(project.add_member_token(&username, expires_at).await?))
    };

    #[doc = summary!(ADD_LINK)]
    ///
    /// A guest has the token of the link, reads all that members read of this project, and changes nothing.
    ///
    /// Args:
    ///     title: For whom the link is.
    ///     expires_at: When it ends, as `update_diagram` takes dates.
    ///     names: Whether guests are told the names of members and authors. Without, `author` is empty wherever it is told, and members,
    ///         selections and votes cannot be read.
    ///
    /// Returns:
    ///     A `NewGuest` dict: `id`, `title`, `names`, `created_at`, `expires_at`, `last_used_at`; `token`, for `Client(token, url)`;
    ///     and `path`, to be opened below the address of the service.
    ///
    /// Raises:
    ///     InputError: An empty title; nothing was sent.
    ///     BadRequestError: The time has passed, or the project has as many links as it may.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> link = project.add_link("Newspaper", expires_at="2999-06-01")
    ///     >>> from pygeodesign import Client
    ///     >>> guest = Client(link["token"], client.base_url)
    ///     >>> {row["author"] for row in guest.project(project.id).diagram_summaries()}
    ///     {''}
    #[pyo3(signature = (title, expires_at, *, names=false))]
    fn add_link(title: String, expires_at: UtcMillis, names: bool) -> Json<NewGuest> = |project| {
        Ok(Json(project.add_link(&NewGuestLink { title, names, expires_at }).await?))
    };

    #[doc = summary!(OPEN_WALK_INS)]
    ///
    /// Whoever comes with the code and a name, by `Client.walk_in`, gets an account of that name and is a member of the project.
    ///
    /// Args:
    ///     closes_at: When the code ends, as `update_diagram` takes dates. `close_walk_ins` ends it earlier.
    ///     by_hand: Whether who comes waits for an administrator, who admits or refuses. By default everybody is admitted at once.
    ///     team: The team of those who come: the object, its id, its title or the unique start of one. Default: none.
    ///
    /// Returns:
    ///     A dict with `code` and `closes_at` (UTC).
    ///
    /// Raises:
    ///     InputError: The project has no team of that title; it lists the teams.
    ///     BadRequestError: The time has passed, or the project has no team of that id.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> len(project.open_walk_ins("2999-06-01", by_hand=True)["code"])
    ///     11
    #[pyo3(signature = (closes_at, *, by_hand=false, team=None))]
    fn open_walk_ins(closes_at: UtcMillis, by_hand: bool, team: Option<TeamReference>) -> Json<JoiningCode> = |project| {
        let cteamid = project.find_teams(team.as_slice()).await?.pop();
        Ok(Json(project.open_walk_ins(&WalkInsEdit { closes_at, by_hand, cteamid }).await?))
    };

    #[doc = summary!(ADMIT_WALK_IN)]
    ///
    /// Args:
    ///     name: The `username` of one who waits.
    ///     team: The user's team: the object, its id, its title or the unique start of one. Default: that of the joining code.
    ///
    /// Raises:
    ///     BadRequestError: The project has no such team, or somebody got an account of that name meanwhile.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///     NotFoundError: Nobody of that name waits.
    ///
    /// Examples:
    ///     >>> code = project.open_walk_ins("2999-06-01", by_hand=True)["code"]
    ///     >>> walked_in = client.walk_in(code, "Yuki")
    ///     >>> project.admit_walk_in("Yuki", team=2)
    ///     >>> "Yuki" in project.team_members(2)
    ///     True
    #[pyo3(signature = (name, *, team=None))]
    fn admit_walk_in(name: Username, team: Option<TeamReference>) -> Nothing = |project| {
        let team = project.find_teams(team.as_slice()).await?.pop();
        project.admit_walk_in(&name, team).await?;
        Ok(Nothing)
    };
}
