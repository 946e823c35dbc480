//! `pygeodesign tokens`: new tokens for members, as a list or as cards for printing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use http::StatusCode;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::Serialize;

use super::cards::{Evening, MemberToken, Place, cards_page};
use super::connect::{Service, serve_database};
use super::context::Context;
use super::error::{CommandError, Result};
use super::found::choose_project;
use super::members::{teams_with_members, usernames};
use super::output::{ListingFormat, counted, note, text};
use super::serve::{own_authority_of, own_certificate_is_for};
use geodesign::model::{
    AuthorityKey, NewUserToken, ProjectInfo, SecretId, TokenInfo, UserAccount, Username, UtcMillis, is_out_of_reach,
};
use geodesign_client::{Client, Config, Error, JoinLink, Project, Token, api_root};
use geodesign_common::whole_files::{Readers, draft_of, write_whole};

/// Issue a new token for each member of a project, and print them.
///
/// The operator of the service may do this for all users, an administrator of a project for members who are in no other project.
/// Earlier tokens from the operator stay valid, unless --revoke is given; new cards end the tokens on the same users' earlier cards.
/// Tokens issued by an administrator are always card tokens.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign tokens
  pygeodesign tokens \"Staten Island 2050\" --cards cards.html --wifi \"Town hall\"
  pygeodesign tokens --db workshop.sqlite --url https://workshop.local:8443 --cards cards.html
  pygeodesign tokens --db workshop.sqlite --user ana --lifetime 8h --revoke --csv")]
pub struct Tokens {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// Only for this user; the operator may name users of any project. May be repeated.
    #[arg(long, value_name = "NAME")]
    user: Vec<Username>,
    /// Lifetime of the tokens, such as 8h or 30d [default: as set by `pygeodesign serve --token-lifetime`, or six months].
    #[arg(long, value_name = "TIME")]
    lifetime: Option<Span>,
    /// Make all earlier tokens of these users invalid, as the operator of the service.
    #[arg(long)]
    revoke: bool,
    /// Write a page to print, with a card for each member: name, team, three steps, a QR code of the link for joining, an address and
    /// a code to type, the day they expire, and the warning that a browser will show. The tokens on these users' earlier cards end.
    #[arg(long, value_name = "FILE")]
    cards: Option<PathBuf>,
    /// The name of the room's wireless network, for the cards.
    #[arg(long, value_name = "NAME", requires = "cards")]
    wifi: Option<String>,
    /// Add lines for programs to the cards: API address, token, and how to log in.
    #[arg(long, requires = "cards")]
    for_programs: bool,
    #[command(flatten)]
    format: ListingFormat,
    /// Issue them for the service of this database file, without a token, through a service in this process. Another service may be
    /// using the file; it sees the tokens at once. --url is then the address that the members use, for cards and CSV.
    #[arg(long, value_name = "FILE", conflicts_with = "ca_bundle")]
    db: Option<PathBuf>,
    #[command(flatten)]
    service: Service,
}

/// Time to wait for a service that may not be running yet.
const SHORT_TIMEOUT: Duration = Duration::from_secs(3);

/// The account that issues tokens.
enum Issuer {
    /// The service's operator, with all accounts.
    Operator(Vec<UserAccount>),
    /// An administrator of the project.
    Administrator,
}

/// New tokens, and the tokens that end because of them.
#[derive(Default)]
struct Issued {
    tokens: Vec<MemberToken>,
    /// The tokens replaced by new ones.
    replaced: Vec<SecretId>,
    /// Members without a new token, with the reasons.
    failures: Vec<(Username, Error)>,
    /// Members not tried, because an error was not about a single member.
    untried: Vec<Username>,
}

impl Tokens {
    pub fn run(&self, context: &Context) -> Result<()> {
        let ends = self.lifetime.map(end_of).transpose()?;
        let (client, root) = self.connect(context)?;
        if let Some(path) = &self.cards {
            // Before anything is sent, checks that the folder can be written to.
            draft_of(path, Readers::Owner).map_err(|error| unwritten(path, error))?;
        }
        let issuer = context.wait(issuer(&client))?;
        let (project, users) = self.users(context, &client, &issuer)?;
        // Everything on the cards is known before the first token is issued.
        let place = root.map(|root| self.place(context, &client, root)).transpose()?;
        let evening = match project.as_ref().filter(|_| self.cards.is_some()) {
            Some(project) => context.wait(evening(project))?,
            None => Evening::default(),
        };
        let evening = Evening { wifi: self.wifi.clone(), for_programs: self.for_programs, ..evening };
        let issued = match (&issuer, &project) {
            (Issuer::Operator(_), _) => self.issue_as_operator(context, &client, &users, ends)?,
            (Issuer::Administrator, Some(project)) => context.wait(self.issue_cards(project, &users, ends))?,
            (Issuer::Administrator, None) => unreachable!("an administrator's tokens are those of a project"),
        };
        let told = self.tell(context, &issued.tokens, place.as_ref(), &evening);
        if let (Issuer::Operator(_), Err(_)) = (&issuer, &told) {
            // Nobody has seen them. The earlier state is kept.
            let _ = context.wait(withdraw(&client, issued.tokens.iter().map(|token| &token.id)));
        }
        told?;
        context.wait(withdraw(&client, &issued.replaced))?;
        if issued.failures.is_empty() {
            return Ok(());
        }
        let reasons = issued.failures.iter().map(|(user, error)| format!("{user} ({error})"));
        let all: Vec<String> = reasons.chain(issued.untried.iter().map(Username::to_string)).collect();
        Err(CommandError::Partly(format!("no token was issued for {}", all.join(", "))))
    }

    /// Returns the service, and the address that members use, if known.
    fn connect(&self, context: &Context) -> Result<(Client, Option<String>)> {
        let Some(path) = &self.db else {
            let client = self.service.connect(context)?;
            let root = client.root().to_owned();
            self.warn_of_address(&root);
            return Ok((client, Some(root)));
        };
        let root = match (self.service.given_url(), &self.cards) {
            (Some(url), _) => Some(api_root(&url)?),
            (None, None) => None,
            (None, Some(_)) => {
                let problem =
                    "the cards need the address of the service: give --url, such as https://workshop.local:8443";
                return Err(CommandError::Input(problem.into()));
            }
        };
        root.iter().for_each(|root| self.warn_of_address(root));
        Ok((serve_database(path)?, root))
    }

    /// Returns the service to join, for cards and for lists that programs read.
    fn place(&self, context: &Context, client: &Client, root: String) -> Result<Place> {
        let is_told = self.cards.is_some() || self.format.json || self.format.csv;
        let key = match &self.db {
            _ if !is_told || !root.starts_with("https://") => None,
            None => context.wait(client.authority())?.map(|authority| *authority.key()),
            Some(path) => match own_authority_of(path)? {
                Some(key) => {
                    warn_of_certificate(path, &root);
                    context.wait(key_unless_another_answers(key, &root))?
                }
                None => None,
            },
        };
        Ok(Place { root, key })
    }

    fn warn_of_address(&self, root: &str) {
        if self.cards.is_some() && is_out_of_reach(host_of(root)) {
            note(&format!(
                "Phones cannot open {root}, so do not print these cards yet: start the service with --host 0.0.0.0 \
                 --tls-self-signed, and give --url with an address that it prints"
            ));
        }
    }

    /// Returns the users who get a token, and their project; an operator who names users needs none.
    fn users(&self, context: &Context, client: &Client, issuer: &Issuer) -> Result<(Option<Project>, Vec<Username>)> {
        if let (Issuer::Operator(accounts), None, [_, ..]) = (issuer, &self.project, &self.user[..]) {
            let known: Vec<&Username> =
                accounts.iter().filter(|account| !account.withdrawn).map(|account| &account.username).collect();
            self.check_users("user", &known)?;
            return Ok((None, self.user.clone()));
        }
        let own = context.wait(client.projects())?;
        let mut projects = own.clone();
        if let Issuer::Operator(accounts) = issuer {
            // The operator is not always a member of the project.
            for id in accounts.iter().flat_map(|account| &account.projects) {
                if !projects.iter().any(|other| other.id == *id) {
                    projects.push(ProjectInfo::untitled(id.clone()));
                }
            }
        }
        let id = &choose_project(self.project.as_deref(), &projects)?.id;
        let project = client.project(id.clone());
        let members = match issuer {
            Issuer::Operator(accounts) if !own.iter().any(|own| own.id == *id) => {
                let members = accounts.iter().filter(|account| account.projects.contains(id));
                members.map(|account| account.username.clone()).collect()
            }
            _ => context.wait(usernames(&project))?,
        };
        self.check_users("member", &members.iter().collect::<Vec<_>>())?;
        let users = if self.user.is_empty() { members } else { self.user.clone() };
        Ok((Some(project), users))
    }

    fn check_users(&self, role: &str, known: &[&Username]) -> Result<()> {
        let Some(unknown) = self.user.iter().find(|user| !known.contains(user)) else { return Ok(()) };
        let known = known.iter().map(|user| user.as_str()).collect::<Vec<_>>().join(", ");
        Err(CommandError::Input(format!("there is no {role} {unknown}; the {role}s are {known}")))
    }

    /// Issues tokens for all users or, after an error, for none.
    fn issue_as_operator(
        &self,
        context: &Context,
        client: &Client,
        users: &[Username],
        expires_at: Option<UtcMillis>,
    ) -> Result<Issued> {
        let on_card = self.cards.is_some();
        let mut issued = Issued::default();
        if self.revoke || on_card {
            let mut replaced: Vec<TokenInfo> = context.wait(client.tokens())?;
            replaced.retain(|token| users.contains(&token.username) && (self.revoke || token.on_card));
            // The token of this command comes last.
            replaced.sort_by_key(|token| token.last_used_at.as_ref().map(|used| **used));
            issued.replaced = replaced.into_iter().map(|token| token.id).collect();
        }
        for username in users {
            let new = NewUserToken { username: username.clone(), expires_at, on_card };
            match context.wait(client.add_token(&new)) {
                Ok(token) => issued.tokens.push(token.into()),
                Err(CommandError::Interrupted) => return Err(CommandError::Interrupted),
                Err(error) => {
                    let _ = context.wait(withdraw(client, issued.tokens.iter().map(|token| &token.id)));
                    return Err(error);
                }
            }
        }
        Ok(issued)
    }

    /// Issues tokens for members' cards. Each ends the token of the member's earlier card at once, so that members keep their new tokens
    /// even if others fail.
    async fn issue_cards(
        &self,
        project: &Project,
        users: &[Username],
        expires_at: Option<UtcMillis>,
    ) -> Result<Issued> {
        if self.revoke {
            return Err(CommandError::NoAccess(
                "--revoke is for the operator of the service; the tokens of a member end with \
                 `pygeodesign call withdraw_member_tokens username=NAME`"
                    .into(),
            ));
        }
        let mut issued = Issued::default();
        let mut users = users.iter();
        for user in users.by_ref() {
            match project.add_member_token(user, expires_at).await {
                Ok(token) => issued.tokens.push(token.into()),
                // The error is about this user; others may get theirs.
                Err(error @ Error::Api { status: StatusCode::FORBIDDEN | StatusCode::NOT_FOUND, .. }) => {
                    issued.failures.push((user.clone(), error))
                }
                Err(error) => {
                    issued.failures.push((user.clone(), error));
                    break;
                }
            }
        }
        issued.untried = users.cloned().collect();
        match issued.failures.pop() {
            Some((_, error)) if issued.tokens.is_empty() => Err(error.into()),
            last => {
                issued.failures.extend(last);
                Ok(issued)
            }
        }
    }

    /// Writes the cards, and prints the tokens.
    fn tell(&self, context: &Context, tokens: &[MemberToken], place: Option<&Place>, evening: &Evening) -> Result<()> {
        if let (Some(path), Some(place)) = (&self.cards, place) {
            let page = cards_page(tokens, place, evening)?;
            write_whole(path, page.as_bytes(), Readers::Owner).map_err(|error| unwritten(path, error))?;
            note(&format!("Wrote {} to {}, which only you can read", counted(tokens.len(), "card"), path.display()));
        }
        if self.cards.is_none() || self.format.json || self.format.csv {
            let rows: Vec<TokenRow> = tokens.iter().map(|token| TokenRow::of(token, place)).collect();
            let columns = [text("username", "User"), text("token", "Token"), text("expires_at", "Valid until (UTC)")];
            context.print(&self.format.listing(&rows, &columns)?)?;
        }
        Ok(())
    }
}

/// Reads the project's facts for the cards. An operator who is not a member may know only its id.
async fn evening(project: &Project) -> Result<Evening, Error> {
    let info = match project.info().await {
        Ok(info) => info,
        Err(Error::Api { status: StatusCode::FORBIDDEN | StatusCode::NOT_FOUND, .. }) => return Ok(Evening::default()),
        Err(error) => return Err(error),
    };
    let mut evening = Evening { project: info.projecttitle, language: info.language, ..Evening::default() };
    for (team, members) in teams_with_members(project).await? {
        for member in members {
            evening.teams.entry(member).or_default().push(team.clone());
        }
    }
    Ok(evening)
}

/// Warns if browsers would reject the certificate of a service's own authority: it is valid for the names of the last start.
fn warn_of_certificate(database: &Path, root: &str) {
    let host = host_of(root);
    if own_certificate_is_for(database, host) == Some(false) {
        note(&format!(
            "start the service with --tls-self-signed --tls-name {host}, or give --url with another address: the certificate of its last \
             start is not for {host}, and browsers would warn members who scan a card"
        ));
    }
}

/// Returns the machine's name or address in an API root, without brackets.
fn host_of(root: &str) -> &str {
    let address = root.split_once("://").map_or(root, |(_, address)| address);
    let address = address.split('/').next().unwrap_or(address);
    match address.strip_prefix('[').and_then(|address| address.split_once(']')) {
        Some((host, _)) => host,
        None => address.split(':').next().unwrap_or(address),
    }
}

/// Returns the key of the authority next to a database, unless the service at this address has its certificate from another one. A
/// service that does not respond may be started later.
async fn key_unless_another_answers(key: AuthorityKey, root: &str) -> Result<Option<AuthorityKey>, Error> {
    let link = JoinLink { root: root.into(), name: String::new(), token: Token::new(""), key: Some(key) };
    let settings = Config { timeout: SHORT_TIMEOUT, connect_timeout: SHORT_TIMEOUT, ..Config::new("", "") };
    match link.authority(&settings).await {
        Ok(_) | Err(Error::Transport { .. } | Error::Timeout { .. }) => Ok(Some(key)),
        Err(Error::OtherRoom { .. }) => {
            note(&format!(
                "{root} has its certificate from another authority than the database's own, so the links have no key"
            ));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Determines the issuer: only the operator may list accounts.
async fn issuer(client: &Client) -> Result<Issuer, Error> {
    match client.users().await {
        Ok(accounts) => Ok(Issuer::Operator(accounts)),
        Err(Error::Api { status: StatusCode::FORBIDDEN, .. }) => Ok(Issuer::Administrator),
        Err(error) => Err(error),
    }
}

/// Withdraws tokens. Those that have already ended are skipped.
async fn withdraw<'i>(client: &Client, tokens: impl IntoIterator<Item = &'i SecretId>) -> Result<(), Error> {
    for id in tokens {
        match client.withdraw_token(id.clone()).await {
            Ok(()) | Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the end of a token with this lifetime, starting now.
fn end_of(lifetime: Span) -> Result<UtcMillis> {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let end = now.checked_add(lifetime).ok().filter(|end| *end > now);
    let end = end.and_then(|end| UtcMillis::new(end.timestamp()).ok());
    end.ok_or_else(|| {
        CommandError::Input(format!(
            "--lifetime {lifetime} is not a valid lifetime for a token; give one such as 8h or 30d"
        ))
    })
}

fn unwritten(path: &Path, error: std::io::Error) -> CommandError {
    CommandError::File(format!("{} cannot be written", path.display()), error)
}

/// A row of the list of tokens.
#[derive(Serialize)]
struct TokenRow<'t> {
    username: &'t Username,
    /// The API root of the service, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'t str>,
    token: &'t str,
    /// The member's link for joining, if the address is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// Time in UTC, to the second.
    expires_at: String,
}

impl<'t> TokenRow<'t> {
    fn of(token: &'t MemberToken, place: Option<&'t Place>) -> Self {
        let expires_at = token.expires_at.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let (address, link) = (place.map(|place| &*place.root), place.map(|place| place.link(token)));
        TokenRow { username: &token.username, address, token: &token.token, link, expires_at }
    }
}
