//! Access: accounts and tokens for a service's operator, guests and walk-ins for a project's administrators.

use std::path::Path;

use reqwest::StatusCode;
use serde::Serialize;

use crate::{Client, Error, Project, Result};
use geodesign::model::operations::{
    ADD_LINK, ADD_MEMBER_TOKEN, ADD_TOKEN, ADD_USER, ADMIT_WALK_IN, ARCHIVE, BACKUP, NoIds, OPEN_WALK_INS, OfMember,
    OfWalkIn, SIGN_IN, WALK_IN,
};
use geodesign::model::{
    Admission, CardHolder, IssuedToken, JoiningCode, NewCard, NewGuest, NewGuestLink, NewUser, NewUserToken, Status,
    TeamId, TypedCode, Username, UtcMillis, WalkIn, WalkInsEdit, WalkedIn,
};

/// First bytes of every database.
const DATABASE_SIGNATURE: &[u8] = b"SQLite format 3\0";
/// First bytes of every zip file.
const ZIP_SIGNATURE: &[u8] = b"PK\x03\x04";

/// The answer of [`Client::whoami`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Identity {
    /// The API root.
    pub service: String,
    /// The saved login; `None` if the token was given or comes from the environment.
    pub profile: Option<String>,
    /// `None` for a guest, and if the service has no request for it.
    pub username: Option<Username>,
}

impl Client {
    #[doc = summary!(ADD_USER)]
    pub async fn add_user(&self, username: Username) -> Result<()> {
        self.transport.post::<Status>(ADD_USER.at(NoIds {}), &NewUser { username }).await.map(drop)
    }

    #[doc = summary!(ADD_TOKEN)]
    pub async fn add_token(&self, new: &NewUserToken) -> Result<IssuedToken> {
        self.transport.post(ADD_TOKEN.at(NoIds {}), new).await
    }

    /// Returns the service, the saved login and the user that the token belongs to. A foreign service has no request for the user:
    /// there, the token is tried.
    pub async fn whoami(&self) -> Result<Identity> {
        let username = match self.username().await {
            Ok(username) => Some(username),
            // A foreign service, or a guest, who has no account.
            Err(Error::Api { status, .. }) if status.is_client_error() && status != StatusCode::UNAUTHORIZED => None,
            Err(Error::Decode { .. }) => None,
            Err(error) => return Err(error),
        };
        if username.is_none() {
            self.projects().await?;
        }
        let profile = self.config().profile.as_ref().map(|profile| profile.name().to_owned());
        Ok(Identity { service: self.root().to_owned(), profile, username })
    }

    #[doc = summary!(BACKUP)]
    ///
    /// The file gets its name once it is complete. Only its owner may read it.
    pub async fn backup(&self, path: &Path) -> Result<()> {
        self.transport.download(&BACKUP.at(NoIds {}), DATABASE_SIGNATURE, path).await
    }

    #[doc = summary!(WALK_IN)]
    pub async fn walk_in(&self, code: String, username: Username) -> Result<WalkedIn> {
        self.transport.post(WALK_IN.at(NoIds {}), &WalkIn { code, username }).await
    }

    #[doc = summary!(SIGN_IN)]
    pub async fn sign_in(&self, code: String) -> Result<CardHolder> {
        self.transport.post(SIGN_IN.at(NoIds {}), &TypedCode { code }).await
    }
}

impl Project {
    #[doc = summary!(ADD_MEMBER_TOKEN)]
    pub async fn add_member_token(&self, member: &Username, expires_at: Option<UtcMillis>) -> Result<IssuedToken> {
        let ids = OfMember::new(self.id().clone(), member.as_str().to_owned());
        self.post(ADD_MEMBER_TOKEN.at(ids), &NewCard { expires_at }).await
    }

    #[doc = summary!(ARCHIVE)]
    ///
    /// The service fills the archive, in one request. Only its owner may read the file.
    pub async fn download_archive(&self, path: &Path) -> Result<()> {
        self.client().transport.download(&ARCHIVE.at(self.in_project()), ZIP_SIGNATURE, path).await
    }

    #[doc = summary!(ADD_LINK)]
    pub async fn add_link(&self, link: &NewGuestLink) -> Result<NewGuest> {
        link.check().map_err(Error::input)?;
        self.post(ADD_LINK.at(self.in_project()), link).await
    }

    #[doc = summary!(OPEN_WALK_INS)]
    pub async fn open_walk_ins(&self, edit: &WalkInsEdit) -> Result<JoiningCode> {
        self.post(OPEN_WALK_INS.at(self.in_project()), edit).await
    }

    #[doc = summary!(ADMIT_WALK_IN)]
    pub async fn admit_walk_in(&self, name: &Username, team: Option<TeamId>) -> Result<()> {
        let ids = OfWalkIn::new(self.id().clone(), name.as_str().to_owned());
        self.post::<Status>(ADMIT_WALK_IN.at(ids), &Admission { cteamid: team }).await.map(drop)
    }
}
