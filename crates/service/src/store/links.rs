//! Links with which guests read a project. A guest has no account, only the token of the link.

use rusqlite::params;

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, date_time_text, digest, utc_now};
use super::history::Change;
use super::tokens::NewToken;
use geodesign::model::{GuestLink, JsonObject, NewGuestLink, SecretId};

impl Reader<'_> {
    /// Returns the valid links of a project, oldest first.
    pub fn links(&self, project: ProjectKey) -> Result<Vec<GuestLink>> {
        let columns = columns!((
            digest,
            link: GuestLink {
                id: "digest",
                title,
                names,
                created_at,
                expires_at,
                last_used_at,
                extra: (JsonObject::new()),
            },
        ));
        let rest = "FROM links WHERE project = ?1 AND expires_at > ?2 ORDER BY key";
        let links = self.select(columns, rest, params![project.0, date_time_text(utc_now())])?.into_iter();
        links
            .map(|(digest, link)| Ok(GuestLink { last_used_at: self.last_use(&digest, link.last_used_at)?, ..link }))
            .collect()
    }

    /// Counts the valid links of a project.
    pub fn count_links(&self, project: ProjectKey) -> Result<u64> {
        Ok(self.links(project)?.len() as u64)
    }
}

impl Writer<'_> {
    /// Adds a link with this token, and deletes the project's expired ones.
    pub fn add_link(&self, project: ProjectKey, link: &NewGuestLink, token: &NewToken) -> Result<()> {
        let [created_at, expires_at] = token.times();
        self.run("DELETE FROM links WHERE project = ?1 AND expires_at <= ?2", params![project.0, created_at])?;
        let sql =
            "INSERT INTO links (digest, project, title, names, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![digest(&token.token), project.0, link.title, link.names, created_at, expires_at];
        self.insert(sql, values)?;
        let names = if link.names { "with names" } else { "without names" };
        let change = Change::of("add_link").subject(format_args!("link {}", token.id()?));
        self.record(project, change.after(format_args!("{}, {names}, until {}", link.title, token.end())))
    }

    /// Withdraws a link. Returns false if the project has none with this id.
    pub fn withdraw_link(&self, project: ProjectKey, id: &SecretId) -> Result<bool> {
        let found = "FROM links WHERE project = ?1 AND lower(hex(substr(digest, 1, 8))) = ?2";
        let found = self.select_one(columns!((key, title)), found, params![project.0, id.as_str()])?;
        let Some((key, title)): Option<(i64, String)> = found else { return Ok(false) };
        self.run("DELETE FROM links WHERE key = ?1", [key])?;
        let change = Change::of("withdraw_link").subject(format_args!("link {id}")).before(title);
        self.record(project, change).map(|()| true)
    }
}
