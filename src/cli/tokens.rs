//! `pygeodesign tokens`: new tokens for members, as a list or as cards for the printer.

use std::path::PathBuf;

use clap::Args;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use serde::Serialize;

use super::connect::{Database, api_root, project_in};
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, note, text};
use crate::drafts::{Readers, write_whole};
use crate::html::{Escaped, Page};
use crate::model::Username;
use crate::service::{NewToken, Store, Writer};

/// Issue a new token for each member of a project, and print them.
///
/// Tokens that were issued before stay valid, unless --revoke is given; those on earlier cards of the same users end when new cards are
/// made. The database is changed directly, also while a service uses it.
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
    /// How long the tokens are valid, such as 8h or 30d [default: that of `pygeodesign serve --token-lifetime`, or six months].
    #[arg(long, value_name = "TIME")]
    lifetime: Option<jiff::Span>,
    /// Make all earlier tokens of these users invalid.
    #[arg(long)]
    revoke: bool,
    /// The address of the service, for cards and CSV [default: GEODESIGN_URL].
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    /// Write a page for the printer with a card for each member: name, address, token, the day it ends, and a QR code. The tokens on
    /// earlier cards of these users end.
    #[arg(long, value_name = "FILE")]
    cards: Option<PathBuf>,
    #[command(flatten)]
    format: ListingFormat,
}

impl Tokens {
    pub fn run(&self, context: &Context) -> Result<()> {
        let root = self.root()?;
        let store = self.database.open()?;
        let tokens = self.make(&store, root.as_deref())?;
        let cards = self.cards.as_deref().zip(root.as_deref());
        let page = cards.map(|(path, root)| Ok::<_, CommandError>((path, cards_page(&tokens, root)?))).transpose()?;
        // Where the cards cannot be written, all is as it was.
        store.write(|write| {
            self.issue(write, &tokens)?;
            page.iter().try_for_each(|(path, page)| {
                write_whole(path, page.as_bytes(), Readers::Owner)
                    .map_err(|error| CommandError::File(format!("{} cannot be written", path.display()), error))
            })
        })?;
        if let Some((path, _)) = page {
            note(&format!("Wrote {} cards to {}, which only you can read", tokens.len(), path.display()));
        }
        if self.cards.is_none() || self.format.json || self.format.csv {
            let columns = [text("username", "User"), text("token", "Token"), text("expires_at", "Valid until (UTC)")];
            context.print(&self.format.listing(&tokens, &columns)?)?;
        }
        Ok(())
    }

    /// The API root of the service, which cards need.
    fn root(&self) -> Result<Option<String>> {
        let variable = || std::env::var("GEODESIGN_URL").ok().filter(|url| !url.trim().is_empty());
        match (self.url.clone().or_else(variable), &self.cards) {
            (Some(url), _) => {
                let root = api_root(&url)?;
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

    /// New tokens, which nobody can use yet.
    fn make(&self, store: &Store, root: Option<&str>) -> Result<Vec<MemberToken>> {
        let users = match &self.user[..] {
            [] => {
                let project = project_in(store, self.project.as_deref())?;
                let members = store.read(|read| read.members(read.project_key(&project)?))?;
                members.into_iter().map(|member| member.username).collect()
            }
            users => users.to_vec(),
        };
        let lifetime = match self.lifetime {
            Some(lifetime) => lifetime,
            None => store.read(|read| read.token_lifetime())?,
        };
        let make = |username| Ok(MemberToken::new(username, root, NewToken::valid_for(lifetime)?));
        users.into_iter().map(make).collect()
    }

    fn issue(&self, write: &Writer, tokens: &[MemberToken]) -> Result<()> {
        for MemberToken { username, new, .. } in tokens {
            let user = write.user(username)?;
            if self.revoke {
                write.revoke_tokens(user)?;
            } else if self.cards.is_some() {
                write.revoke_cards(user)?;
            }
            write.add_token(user, new, self.cards.is_some())?;
        }
        Ok(())
    }
}

/// What a member needs to join.
#[derive(Serialize)]
pub struct MemberToken {
    pub username: Username,
    /// The API root of the service, where it is known.
    #[serde(rename = "address", skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub token: String,
    pub expires_at: String,
    #[serde(skip)]
    new: NewToken,
}

impl MemberToken {
    fn new(username: Username, root: Option<&str>, new: NewToken) -> Self {
        let (token, expires_at) = (new.token.clone(), new.end_text());
        MemberToken { username, root: root.map(str::to_owned), token, expires_at, new }
    }
}

/// A whole HTML page, which needs no other file. `root` is the API root of the service.
fn cards_page(tokens: &[MemberToken], root: &str) -> Result<String> {
    let cards = tokens.iter().map(|token| card(token, root)).collect::<Result<String>>()?;
    Ok(Page { title: "Cards", style: STYLE, body: format_args!("<main>{cards}</main>") }.to_string())
}

/// Two cards in a row of an A4 or letter page, none of them divided between pages.
const STYLE: &str = "
@page { margin: 10mm }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm }
article { border: 1px dashed var(--quiet); padding: 5mm; break-inside: avoid; display: flex; gap: 5mm; align-items: center }
h2 { margin: 0 0 3mm; font-size: 14pt }
p { margin: 0 0 2mm; font-size: 9pt; color: var(--quiet) }
code { display: block; font-size: 9pt; color: var(--ink) }
svg { width: 34mm; height: 34mm; flex: none }
";

fn card(token: &MemberToken, root: &str) -> Result<String> {
    let name = token.username.as_str();
    let link = join_link(token, root);
    let code = QrCode::with_error_correction_level(&link, EcLevel::M);
    let code = code.map_err(|error| CommandError::Input(format!("no QR code can be made for {name:?}: {error}")))?;
    let picture = code.render::<svg::Color>().build();
    // The declaration of an XML file has no place inside a page.
    let picture = picture.find("<svg").map_or("", |start| &picture[start..]);
    let end = token.new.end();
    let (name, root, token) = (Escaped(name), Escaped(root), Escaped(&token.token));
    Ok(format!(
        "<article>\n{picture}\n<div>\n<h2>{name}</h2>\n<p>Address <code>{root}</code></p>\n<p>Token <code>{token}</code></p>\n\
         <p>Valid until {end}</p>\n</div>\n</article>\n"
    ))
}

/// The page of the service that shows a member what is on the card, to be copied. Name and token are in the fragment, which
/// browsers do not send, so that no log has them.
fn join_link(token: &MemberToken, root: &str) -> String {
    let base = root.strip_suffix("api/v1/").unwrap_or(root);
    let name = utf8_percent_encode(token.username.as_str(), NON_ALPHANUMERIC);
    format!("{base}join/#{name}:{}", token.token)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn the_link_has_name_and_token_in_its_fragment_whatever_the_name_is() {
        let mut token = MemberToken::new("Ana <Sousa>@x".parse().unwrap(), None, NewToken::valid_for(1.day()).unwrap());
        token.token = "0a1b".into();
        let root = "https://workshop.local:8443/api/v1/";
        let link = "https://workshop.local:8443/join/#Ana%20%3CSousa%3E%40x:0a1b";
        assert_eq!(join_link(&token, root), link);
        let page = cards_page(&[token], root).unwrap();
        assert!(page.contains("Ana &lt;Sousa&gt;@x") && page.contains("<svg") && !page.contains("<?xml"));
    }
}
