//! Cards for printing, with everything that a member needs to join.

use std::collections::HashMap;

use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use super::card_texts::CardTexts;
use super::error::{CommandError, Result};
use geodesign::model::{AuthorityKey, ChangeTeam, DateTime, IssuedToken, SecretId, Username, join_link};
use geodesign_common::html::{Escaped, Page};
use geodesign_service::web_file;

/// Everything that a member needs to join, except the address.
pub struct MemberToken {
    pub username: Username,
    pub token: String,
    /// The code to type in place of the link, if the service has such codes.
    pub code: Option<String>,
    pub id: SecretId,
    /// UTC
    pub expires_at: DateTime,
}

impl From<IssuedToken> for MemberToken {
    fn from(IssuedToken { id, username, token, code, expires_at, .. }: IssuedToken) -> Self {
        MemberToken { username, token, code, id, expires_at }
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

    /// The address to type: browsers add a scheme, and a service redirects plain http to https.
    fn typed(&self) -> &str {
        self.address().split_once("://").map_or(self.address(), |(_, typed)| typed)
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
    /// Each member's teams.
    pub teams: HashMap<Username, Vec<ChangeTeam>>,
    /// The name of the wireless network.
    pub wifi: Option<String>,
    /// The project's language.
    pub language: Option<String>,
    /// True adds the lines for programs.
    pub for_programs: bool,
}

/// Makes a complete HTML page, which needs no other file.
pub fn cards_page(tokens: &[MemberToken], place: &Place, evening: &Evening) -> Result<String> {
    let texts = CardTexts::of(evening.language.as_deref());
    let cards = tokens.iter().map(|token| card(token, place, evening, &texts)).collect::<Result<String>>()?;
    let body = format_args!("<main class=\"passes\">\n{cards}</main>");
    let style = web_file("cards/cards.css").unwrap_or_default();
    Ok(Page { language: texts.language, title: texts.get("cards"), style: &(style + SCREEN), body }.to_string())
}

/// The page around the cards.
const SCREEN: &str = "body { background: #fff } @media screen { main { padding: 6mm } }";

fn card(token: &MemberToken, place: &Place, evening: &Evening, texts: &CardTexts) -> Result<String> {
    let bold = |text: &str| format!("<b dir=\"auto\">{}</b>", Escaped(text));
    let name = token.username.as_str();
    let teams = evening.teams.get(&token.username).map(|teams| teams.iter().map(|one| team(one, texts)).collect());
    let mut values = HashMap::from([
        ("link", texts.with("link", Escaped(name))),
        ("qr", qr_code(name, place.link(token))?),
        ("name", Escaped(name).to_string()),
        ("address", texts.with("address", bold(place.typed()))),
        ("secret", texts.with("secret", token.end())),
    ]);
    values.extend(["join", "choose", "draw"].map(|step| (step, texts.get(step).to_owned())));
    let known = [
        ("teams", teams),
        ("project", evening.project.as_deref().map(|title| Escaped(title).to_string())),
        ("wifi", evening.wifi.as_deref().map(|wifi| texts.with("wifi", bold(wifi)))),
        ("code", token.code.as_deref().map(|code| texts.with("code", bold(code)))),
    ];
    values.extend(known.into_iter().filter_map(|(name, value)| Some((name, value?))));
    if place.key.is_some() {
        let warning = texts.with("warning", bold(place.host()));
        // The wording of browsers in 2026, which hardly differs between phones and computers.
        let browsers = ["chrome", "safari", "firefox"].map(|browser| texts.get(browser));
        values.insert("warning", format!("{warning} {}", browsers.join(" ")));
    }
    if evening.for_programs {
        values.extend(lines_for_programs(token, place, texts));
    }
    Ok(filled(&web_file("cards/card.html").unwrap_or_default(), &values))
}

fn team(team: &ChangeTeam, texts: &CardTexts) -> String {
    let title = Escaped(team.title.as_deref().unwrap_or_default());
    let mut values = HashMap::from([("team", texts.with("team", title))]);
    values.extend(team.color.as_deref().map(|color| ("color", Escaped(color).to_string())));
    filled(&web_file("cards/team.html").unwrap_or_default(), &values)
}

fn lines_for_programs(token: &MemberToken, place: &Place, texts: &CardTexts) -> [(&'static str, String); 3] {
    let code = |text: &str| format!("<code dir=\"ltr\">{}</code>", Escaped(text));
    let option = if place.root.starts_with("http://") { " --allow-http" } else { "" };
    [
        ("api", texts.with("api", code(&place.root))),
        ("token", texts.with("token", code(&token.token))),
        ("python", texts.with("python", code(&format!("pygeodesign login{option}")))),
    ]
}

/// Fills a template, which has at most one `{name}` on a line. A line whose value is missing is left out.
fn filled(template: &str, values: &HashMap<&str, String>) -> String {
    let line = |line: &str| {
        let Some((before, (name, after))) =
            line.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        else {
            return Some(format!("{line}\n"));
        };
        values.get(name).map(|value| format!("{before}{value}{after}\n"))
    };
    template.lines().filter_map(line).collect()
}

/// Returns a link as a picture to scan, in SVG.
fn qr_code(name: &str, link: String) -> Result<String> {
    let code = QrCode::with_error_correction_level(link, EcLevel::M);
    let code =
        code.map_err(|error| CommandError::Input(format!("the QR code for {name:?} cannot be made: {error}")))?;
    let picture = code.render::<svg::Color>().build();
    // An XML declaration is not allowed inside a page.
    Ok(picture.find("<svg").map_or("", |start| &picture[start..]).to_owned())
}

#[cfg(test)]
mod tests {
    use geodesign::model::{JsonObject, TeamId};

    use super::*;

    fn ana() -> MemberToken {
        MemberToken {
            username: "Ana <Sousa>@x".parse().unwrap(),
            token: "0a1b".into(),
            code: Some("abcd-2345".into()),
            id: "0123456789abcdef".parse().unwrap(),
            expires_at: "2030-05-21T18:00:00".parse().unwrap(),
        }
    }

    fn place(address: &str) -> Place {
        Place { root: format!("{address}/api/v1/"), key: None }
    }

    fn page(place: &Place, evening: &Evening) -> String {
        cards_page(&[ana()], place, evening).unwrap()
    }

    #[test]
    fn a_card_says_who_joins_what_where_until_when_and_what_a_browser_warns_of() {
        let mut place = place("https://workshop.local:8443/w/spring");
        assert_eq!(place.link(&ana()), "https://workshop.local:8443/w/spring/join/#Ana%20%3CSousa%3E%40x:0a1b");
        let plain = page(&place, &Evening::default());
        for text in
            ["Ana &lt;Sousa&gt;@x", "<svg", ">workshop.local:8443/w/spring<", ">abcd-2345<", "2030-05-21 18:00 UTC"]
        {
            assert!(plain.contains(text), "{text}");
        }
        for text in ["<?xml", "warns", "Wi-Fi", "Team ", "{"] {
            assert!(!plain.split_once("<main").unwrap().1.contains(text), "{text}");
        }
        place.key = Some("9MAtykWfp6QDJRBGMvifk56yrVUIzlJV7zTQJeMPK_4".parse().unwrap());
        let team = |title: &str, color: Option<&str>| ChangeTeam {
            id: TeamId(1),
            title: Some(title.into()),
            color: color.map(Into::into),
            extra: JsonObject::new(),
        };
        let evening = Evening {
            project: Some("Lisbon & Tejo".into()),
            teams: HashMap::from([(ana().username, vec![team("Residents", Some("#D95F02")), team("{name}", None)])]),
            wifi: Some("Town hall <guests>".into()),
            ..Evening::default()
        };
        let page = page(&place, &evening);
        for text in [
            "Lisbon &amp; Tejo",
            "fill=\"#D95F02\"",
            "Team Residents",
            "Team {name}",
            "Town hall &lt;guests&gt;",
            ">workshop.local:8443<",
            "Chrome",
            "Safari",
            "Firefox",
        ] {
            assert!(page.contains(text), "{text}");
        }
    }

    #[test]
    fn lines_for_programs_are_there_on_request() {
        let place = place("http://10.0.0.1:8443");
        let evening = Evening { for_programs: true, ..Evening::default() };
        for text in [">http://10.0.0.1:8443/api/v1/<", ">0a1b<", "pygeodesign login --allow-http"] {
            assert!(
                page(&place, &evening).contains(text) && !page(&place, &Evening::default()).contains(text),
                "{text}"
            );
        }
    }

    #[test]
    fn cards_are_in_the_project_s_language() {
        let page = |language: &str| {
            let evening = Evening { language: Some(language.into()), ..Evening::default() };
            page(&place("https://workshop.local:8443"), &evening)
        };
        assert!(page("de").contains("Gültig bis 2030-05-21 18:00 UTC") && page("de").contains("<html lang=\"de\">"));
        assert!(page("ar").contains("<html lang=\"ar\" dir=\"rtl\">"));
        assert!(page("eo").contains("Valid until") && page("eo").contains("<html lang=\"en\">"));
    }
}
