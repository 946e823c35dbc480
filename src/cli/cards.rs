//! Cards for the printer, with all that a member needs to join.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use super::error::{CommandError, Result};
use crate::html::{Escaped, Page};
use crate::model::{DateTime, IssuedToken, SecretId, Username};

/// What a member needs to join, beside the address.
pub struct MemberToken {
    pub username: Username,
    pub token: String,
    pub id: SecretId,
    /// UTC
    pub expires_at: DateTime,
}

impl From<IssuedToken> for MemberToken {
    fn from(IssuedToken { id, username, token, expires_at, .. }: IssuedToken) -> Self {
        MemberToken { username, token, id, expires_at }
    }
}

impl MemberToken {
    /// When the token ends, for people.
    fn end(&self) -> String {
        self.expires_at.strftime("%Y-%m-%d %H:%M UTC").to_string()
    }
}

/// A whole HTML page, which needs no other file. `root` is the API root of the service.
pub fn cards_page(tokens: &[MemberToken], root: &str) -> Result<String> {
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
    let end = token.end();
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
    use super::*;

    #[test]
    fn the_link_has_name_and_token_in_its_fragment_whatever_the_name_is() {
        let token = MemberToken {
            username: "Ana <Sousa>@x".parse().unwrap(),
            token: "0a1b".into(),
            id: "0123456789abcdef".parse().unwrap(),
            expires_at: "2030-05-21T18:00:00".parse().unwrap(),
        };
        let root = "https://workshop.local:8443/api/v1/";
        let link = "https://workshop.local:8443/join/#Ana%20%3CSousa%3E%40x:0a1b";
        assert_eq!(join_link(&token, root), link);
        let page = cards_page(&[token], root).unwrap();
        assert!(page.contains("Ana &lt;Sousa&gt;@x") && page.contains("<svg") && !page.contains("<?xml"));
        assert!(page.contains("Valid until 2030-05-21 18:00 UTC"));
    }
}
