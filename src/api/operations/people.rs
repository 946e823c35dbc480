//! Members, accounts and tokens, and archives made by the service.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::api::client::{AsyncClient, Client};
use crate::api::project::{AsyncProject, Project};
use crate::convert::arguments::NewPeople;
use crate::convert::results::Nothing;
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use geodesign::model::{
    AddedMembers, CardHolder, IssuedToken, NewMembers, NewUserToken, Username, UtcMillis, WalkedIn,
};
use geodesign_client as client;
use geodesign_client::Identity;

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
    ///     expires_at: The time when the token expires, as for `Diagram.update`. Default: after the time set by the operator with
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

    /// The service, the saved login and the user that the token belongs to.
    ///
    /// It takes one request, at a service other than pygeodesign's two: such a service does not say who the user is, so that the token
    /// is tried.
    ///
    /// Returns:
    ///     An `Identity` dict: `service`, `profile` (None if the token was given or comes from the environment) and `username` (None
    ///     for a guest, and if the service does not say).
    ///
    /// Raises:
    ///     AuthenticationError: The service does not accept the token.
    ///
    /// Examples:
    ///     >>> sandbox.client("amara.okafor").whoami()["username"]
    ///     'amara.okafor'
    fn whoami() -> Json<Identity> = |client| {
        Ok(Json(client.whoami().await?))
    };

    #[doc = summary!(BACKUP)]
    ///
    /// `pygeodesign serve --db` serves it. It has all projects, and no usable token: the database has only
    /// digests of tokens. During the download, others can read and write.
    ///
    /// Args:
    ///     path: The file, such as `"copy.sqlite"`, which only you may read. An existing file is replaced when the new one is
    ///         complete.
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
    /// If you have no token yet, give the client any word instead.
    ///
    /// Args:
    ///     code: The joining code of a project. Case, spaces and dashes are ignored.
    ///     username: The name that others then see, 1 to 150 characters.
    ///
    /// Returns:
    ///     A `WalkedIn` dict: `username`, `projectid`, `token`, `expires_at` (UTC), `admitted`. While `admitted` is False, requests with
    ///     the token raise `PermissionDeniedError`, until an administrator of the project admits the user.
    ///
    /// Raises:
    ///     PermissionDeniedError: The code is not valid, or the project is closed to walk-ins.
    ///     BadRequestError: The code has reached its limit of people.
    ///     ApiError: With `status_code` 409, somebody has that name already, or one that looks the same.
    ///     RateLimitedError: There are too many wrong codes from the same address (the limit `walk_ins_per_second`).
    ///
    /// Examples:
    ///     >>> code = project.workshop.open_walk_ins("2999-06-01", team=1)["code"]
    ///     >>> client.walk_in(code, "Yara")["admitted"]
    ///     True
    ///     >>> "Yara" in project.team(1).members()
    ///     True
    fn walk_in(code: String, username: Username) -> Json<WalkedIn> = |client| {
        Ok(Json(client.walk_in(code, username).await?))
    };

    #[doc = summary!(SIGN_IN)]
    ///
    /// If you have no token yet, give the client any word instead.
    ///
    /// Args:
    ///     code: The code on your card. Case, spaces and dashes are ignored.
    ///
    /// Returns:
    ///     A `CardHolder` dict: `username`, `token`, `expires_at` (UTC).
    ///
    /// Raises:
    ///     PermissionDeniedError: No valid card has the code, or its holder is a member of no project.
    ///     RateLimitedError: There are too many codes from the same address (the limit `walk_ins_per_second`).
    ///
    /// Examples:
    ///     >>> card = project.member("jose.villanueva").add_token()
    ///     >>> client.sign_in(card["code"])["token"] == card["token"]
    ///     True
    fn sign_in(code: String) -> Json<CardHolder> = |client| {
        Ok(Json(client.sign_in(code).await?))
    };
}

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(ADD_MEMBERS)]
    ///
    /// Args:
    ///     members: Names, or dicts with `username`, and optionally `team` (a title) and `administrator` (true or false). A member of
    ///         the project joins the team and stays what he or she is.
    ///
    /// Returns:
    ///     An `AddedMembers` dict: `added`, the names that are new in the project, and `accounts`, those that had no account.
    ///
    /// Raises:
    ///     InputError: A team without a title; nothing was sent.
    ///     BadRequestError: A name looks like another one, or the operator of the service removed that person; nobody was added.
    ///     PermissionDeniedError: The caller is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.add_members([{"username": "zoe", "team": "Youth"}, "amara.okafor"])
    ///     {'added': ['zoe'], 'accounts': ['zoe']}
    fn add_members(members: NewPeople) -> Json<AddedMembers> = |project| {
        let new = NewMembers { members: members.0 };
        Ok(Json(project.add_members(&new).await?))
    };

    #[doc = summary!(ARCHIVE)]
    ///
    /// The service makes the file, so one request is enough. `archive` requests each part, from any service and as any member, and can add
    /// pictures; `sync` brings either file up to date.
    ///
    /// Args:
    ///     path: The file, such as `"staten.zip"`, which only you may read. An existing file is replaced when the new one is
    ///         complete.
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

}
