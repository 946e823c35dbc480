//! Cards for printing, with everything that a member needs to join.

use std::collections::HashMap;

use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use super::card_texts::CardTexts;
use super::error::{CommandError, Result};
use geodesign::model::{AuthorityKey, DateTime, IssuedToken, SecretId, Username, join_link};
use geodesign_common::html::{Escaped, Page};

/// Everything that a member needs to join, except the address.
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
    /// The token's end, for people.
    fn end(&self) -> String {
        self.expires_at.strftime("%Y-%m-%d %H:%M UTC").to_string()
    }
}

/// The service that members join.
pub struct Place {
    /// The API root of the service.
    pub root: String,
    /// The key of the service's own certificate authority in links, if it has one.
    pub key: Option<AuthorityKey>,
}

impl Place {
    /// Returns a member's link for joining.
    pub fn link(&self, token: &MemberToken) -> String {
        join_link(self.address(), token.username.as_str(), &token.token, self.key.as_ref())
    }

    /// The service's address, without a slash at the end.
    fn address(&self) -> &str {
        self.root.strip_suffix("/api/v1/").unwrap_or(&self.root)
    }

    /// The machine's name and port, as browsers show them.
    fn host(&self) -> &str {
        let after = self.root.split_once("://").map_or(&*self.root, |(_, after)| after);
        after.split('/').next().unwrap_or(after)
    }
}

/// Facts about the evening that cards show, if known.
#[derive(Default)]
pub struct Evening {
    /// The project's title.
    pub project: Option<String>,
    /// The titles of each member's teams.
    pub teams: HashMap<Username, Vec<String>>,
    /// The name of the wireless network.
    pub wifi: Option<String>,
    /// The project's language.
    pub language: Option<String>,
}

/// Makes a complete HTML page, which needs no other file.
pub fn cards_page(tokens: &[MemberToken], place: &Place, evening: &Evening) -> Result<String> {
    let texts = CardTexts::of(evening.language.as_deref());
    let cards = tokens.iter().map(|token| card(token, place, evening, &texts)).collect::<Result<String>>()?;
    let body = format_args!("<main>{cards}</main>");
    Ok(Page { language: texts.language, title: texts.get("cards"), style: STYLE, body }.to_string())
}

/// Two cards in a row of an A4 or letter page, none of them split between pages. They are read on paper, so they are black on white
/// whatever the screen prefers.
const STYLE: &str = "
@page { margin: 10mm }
:root { color-scheme: light }
body { background: #fff; color: #000 }
@media screen { main { padding: 6mm } }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(88mm, 1fr)); gap: 4mm }
article { border: 1px dashed #777; padding: 4mm; break-inside: avoid; font-size: 8pt; line-height: 1.35; overflow-wrap: anywhere }
header { display: flex; gap: 4mm; align-items: flex-start }
svg { width: 36mm; height: 36mm; flex: none; margin-block-start: -1mm; margin-inline-start: -1mm }
h2 { margin: 0 0 1.5mm; font-size: 14pt; line-height: 1.15 }
p { margin: 0 0 1mm; color: #000 }
strong { font-size: 9.5pt }
code { color: #000; font-size: 7.5pt }
ol { margin: 1.5mm 0 0; padding: 0; padding-inline-start: 4mm }
ul { margin: 0; padding: 0; list-style: none }
";

fn card(token: &MemberToken, place: &Place, evening: &Evening, texts: &CardTexts) -> Result<String> {
    let name = token.username.as_str();
    let code = QrCode::with_error_correction_level(place.link(token), EcLevel::M);
    let code =
        code.map_err(|error| CommandError::Input(format!("the QR code for {name:?} cannot be made: {error}")))?;
    let picture = code.render::<svg::Color>().build();
    // An XML declaration is not allowed inside a page.
    let picture = picture.find("<svg").map_or("", |start| &picture[start..]);
    let project = evening.project.as_ref().map(|title| format!("<p><strong>{}</strong></p>\n", Escaped(title)));
    let teams = evening.teams.get(&token.username).filter(|teams| !teams.is_empty());
    let teams = teams.map(|teams| format!("<p>{}</p>\n", texts.with("team", &Escaped(&teams.join(", ")))));
    let end = texts.with("valid_until", &token.end());
    let secret = texts.get("secret");
    let steps: String = steps(place, evening, texts).iter().map(|step| format!("<li>{step}</li>\n")).collect();
    let root = texts.with("address", &format_args!("<code>{}</code>", Escaped(&place.root)));
    let token = texts.with("token", &format_args!("<code>{}</code>", Escaped(&token.token)));
    let (name, project, teams) = (Escaped(name), project.unwrap_or_default(), teams.unwrap_or_default());
    Ok(format!(
        "<article>\n<header>\n{picture}\n<div>\n{project}<h2>{name}</h2>\n{teams}<p>{end}</p>\n<p>{secret}</p>\n\
         </div>\n</header>\n<p>{root}</p>\n<p>{token}</p>\n<ol>\n{steps}</ol>\n</article>\n"
    ))
}

/// Returns the steps for joining, in HTML.
fn steps(place: &Place, evening: &Evening, texts: &CardTexts) -> Vec<String> {
    let mut steps = Vec::new();
    if let Some(wifi) = &evening.wifi {
        steps.push(texts.with("wifi", &format_args!("<b>{}</b>", Escaped(wifi))));
    }
    steps.push(texts.get("scan").to_owned());
    if place.key.is_some() {
        let warning = texts.with("warning", &format_args!("<b>{}</b>", Escaped(place.host())));
        // The wording of browsers in 2026, which hardly differs between phones and computers.
        let browsers = [("Chrome", "chrome"), ("Safari", "safari"), ("Firefox", "firefox")];
        let taps = browsers.map(|(name, key)| format!("<li><b>{name}:</b> {}</li>\n", texts.get(key))).concat();
        steps.push(format!("{warning}\n<ul>\n{taps}</ul>"));
    }
    let option = if place.root.starts_with("http://") { " --allow-http" } else { "" };
    steps.push(texts.with("python", &format_args!("<b>pygeodesign login{option}</b>")));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_who_joins_what_where_until_when_and_what_a_browser_warns_of() {
        let token = MemberToken {
            username: "Ana <Sousa>@x".parse().unwrap(),
            token: "0a1b".into(),
            id: "0123456789abcdef".parse().unwrap(),
            expires_at: "2030-05-21T18:00:00".parse().unwrap(),
        };
        let mut place = Place { root: "https://workshop.local:8443/w/spring/api/v1/".into(), key: None };
        assert_eq!(place.link(&token), "https://workshop.local:8443/w/spring/join/#Ana%20%3CSousa%3E%40x:0a1b");
        let plain = cards_page(std::slice::from_ref(&token), &place, &Evening::default()).unwrap();
        assert!(plain.contains("Ana &lt;Sousa&gt;@x") && plain.contains("<svg") && !plain.contains("<?xml"));
        assert!(plain.contains("Valid until 2030-05-21 18:00 UTC"));
        assert!(!plain.contains("warns") && !plain.contains("Wi-Fi") && !plain.contains("Team "));
        place.key = Some("9MAtykWfp6QDJRBGMvifk56yrVUIzlJV7zTQJeMPK_4".parse().unwrap());
        let evening = Evening {
            project: Some("Lisbon & Tejo".into()),
            teams: HashMap::from([(token.username.clone(), vec!["Residents".into(), "Youth".into()])]),
            wifi: Some("Town hall <guests>".into()),
            language: None,
        };
        let page = cards_page(&[token], &place, &evening).unwrap();
        for text in
            ["Lisbon &amp; Tejo", "Team Residents, Youth", "Town hall &lt;guests&gt;", "<b>workshop.local:8443</b>"]
        {
            assert!(page.contains(text), "{text}");
        }
        assert!(["Chrome", "Safari", "Firefox"].iter().all(|browser| page.contains(browser)));
    }

    #[test]
    fn cards_are_in_the_project_s_language() {
        let token = MemberToken {
            username: "ana".parse().unwrap(),
            token: "0a1b".into(),
            id: "0123456789abcdef".parse().unwrap(),
            expires_at: "2030-05-21T18:00:00".parse().unwrap(),
        };
        let place = Place { root: "https://workshop.local:8443/api/v1/".into(), key: None };
        let page = |language: &str| {
            let evening = Evening { language: Some(language.into()), ..Evening::default() };
            cards_page(std::slice::from_ref(&token), &place, &evening).unwrap()
        };
        assert!(page("de").contains("Gültig bis 2030-05-21 18:00 UTC") && page("de").contains("<html lang=\"de\">"));
        assert!(page("ar").contains("<html lang=\"ar\" dir=\"rtl\">"));
        assert!(page("eo").contains("Valid until") && page("eo").contains("<html lang=\"en\">"));
    }
}
