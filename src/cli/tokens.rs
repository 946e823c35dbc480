//! `pygeodesign tokens`: new tokens for members, as a list or as cards for the printer.

use std::path::PathBuf;

use clap::Args;

use super::cards::cards;
use super::connect::{Database, project_in, root};
use super::context::Context;
use super::error::{CommandError, Result};
use super::member_token::MemberToken;
use super::output::{ListingFormat, note, text};
use crate::drafts::{Readers, write_whole};
use crate::model::Username;
use crate::service::Store;

/// Issue a new token for each member of a project, and print them.
///
/// Tokens that were issued before stay valid, unless --revoke is given. The database is changed directly, also while a service
/// uses it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign tokens --db workshop.sqlite
  pygeodesign tokens \"Staten Island 2050\" --db workshop.sqlite --url https://workshop.local:8443 --cards cards.html
  pygeodesign tokens --db workshop.sqlite --user ana --lifetime 8h --revoke --csv")]
pub struct Tokens {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    #[command(flatten)]
    database: Database,
    /// Only for this user, of any project. May be repeated.
    #[arg(long, value_name = "NAME", conflicts_with = "project")]
    user: Vec<Username>,
    /// How long the tokens are valid, such as 8h or 30d [default: six months].
    #[arg(long, value_name = "TIME")]
    lifetime: Option<jiff::Span>,
    /// Make all earlier tokens of these users invalid.
    #[arg(long)]
    revoke: bool,
    /// The address of the service, for cards and CSV [default: GEODESIGN_URL].
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    /// Write a page for the printer with a card for each member: name, address, token, and a QR code with all of them.
    #[arg(long, value_name = "FILE")]
    cards: Option<PathBuf>,
    #[command(flatten)]
    format: ListingFormat,
}

impl Tokens {
    pub fn run(&self, context: &Context) -> Result<()> {
        let root = self.root()?;
        let store = self.database.open()?;
        let tokens = self.issue(&store, root.as_deref())?;
        if let (Some(path), Some(root)) = (&self.cards, &root) {
            let page = cards(&tokens, root)?;
            write_whole(path, page.as_bytes(), Readers::Owner)
                .map_err(|error| CommandError::File(format!("{} cannot be written", path.display()), error))?;
            note(&format!("Wrote {} cards to {}, which only you can read", tokens.len(), path.display()));
        }
        if self.cards.is_none() || self.format.json || self.format.csv {
            let columns = [text("username", "User"), text("token", "Token")];
            context.print(&self.format.listing(&tokens, &columns)?)?;
        }
        Ok(())
    }

    /// The API root of the service, which cards need.
    fn root(&self) -> Result<Option<String>> {
        let variable = || std::env::var("GEODESIGN_URL").ok().filter(|url| !url.trim().is_empty());
        match (self.url.clone().or_else(variable), &self.cards) {
            (Some(url), _) => {
                let root = root(&url)?;
                if root.starts_with("http://") && self.cards.is_some() {
                    note(&format!(
                        "{root} works on this machine only; give --url with the address that the members use"
                    ));
                }
                Ok(Some(root))
            }
            (None, Some(_)) => {
                let problem =
                    "the cards need the address of the service: give --url, such as https://workshop.local:8443";
                Err(CommandError::Input(problem.into()))
            }
            (None, None) => Ok(None),
        }
    }

    fn issue(&self, store: &Store, root: Option<&str>) -> Result<Vec<MemberToken>> {
        let users = match &self.user[..] {
            [] => {
                let project = project_in(store, self.project.as_deref())?;
                let members = store.read(|read| read.members(read.project_key(&project)?))?;
                members.into_iter().map(|member| member.username).collect()
            }
            users => users.to_vec(),
        };
        if self.revoke {
            store.write(|write| users.iter().try_for_each(|user| write.revoke_tokens(write.user(user)?).map(drop)))?;
        }
        let issue = |username: Username| {
            let token = match self.lifetime {
                Some(lifetime) => store.issue_token_for(&username, lifetime)?,
                None => store.issue_token(&username)?,
            };
            Ok(MemberToken { username, root: root.map(str::to_owned), token })
        };
        users.into_iter().map(issue).collect()
    }
}
