//! Text that `pygeodesign serve` prints at the start.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;

use super::Serve;
use geodesign::model::{is_of_this_machine_alone, join_link};
use geodesign_client::shown;
use geodesign_service::{
    Account, FoundWorkshops, NewToken, OPERATOR, Server, StoreError, WorkshopError, WorkshopServer,
    names_of_this_machine,
};

/// At most this many workshops are named at the start.
const SHOWN_WORKSHOPS: usize = 20;

/// Text to print at the start, and the link to open in a browser.
pub struct Welcome {
    pub text: String,
    /// The first administrator's link, if there is an administrator.
    pub link: Option<String>,
}

/// Issues a token for each user, and returns the text to print. The tokens are shown only once.
pub fn welcome(serve: &Serve, service: &Server) -> Result<Welcome, StoreError> {
    let store = service.store();
    let database = match &serve.db {
        Some(path) if serve.practice => format!("a copy of {}", path.display()),
        Some(path) => path.display().to_string(),
        None => "a temporary database".to_owned(),
    };
    let mut lines = vec![format!("Serving {database} at")];
    let urls = reachable_urls(serve, service.url(), |host| service.url_at(host));
    lines.extend(urls.iter().map(|url| format!("  {url}")));
    lines.extend(browsers(serve, urls.first()));
    lines.extend(service.ca_file().map(authority));
    lines.extend(risk(serve));
    lines.extend(no_network(serve));
    lines.push("\nProjects".into());
    let projects = store.read(|read| read.project_titles())?;
    lines.extend(projects.iter().map(|(id, title)| format!("  {id}  {}", shown(title))));
    let (accounts, lifetime) = store.read(|read| Ok((read.accounts()?, read.token_lifetime()?)))?;
    let new = |account| Ok((account, NewToken::valid_for(lifetime)?));
    let issued = accounts.into_iter().map(new).collect::<Result<Vec<(Account, NewToken)>, StoreError>>()?;
    store.write(|write| {
        issued.iter().try_for_each(|(account, new)| write.add_token(write.user(&account.username)?, new))
    })?;
    let until = issued.first().map(|(_, new)| format!(", and are valid until {}", new.end())).unwrap_or_default();
    lines.push(format!("\nTokens (they are shown only now{until})"));
    let width = issued.iter().map(|(account, _)| account.username.as_str().chars().count()).max().unwrap_or(0);
    for (Account { username, administers }, NewToken { token, .. }) in &issued {
        let role = if administers.is_empty() { "" } else { "  administrator" };
        lines.push(format!("  {:width$}  {token}{role}", username.as_str()));
    }
    let address = urls.first().map_or("", |url| url.strip_suffix("/api/v1/").unwrap_or(url));
    let link = |(Account { username, .. }, NewToken { token, .. }): &(Account, NewToken)| {
        join_link(address, username.as_str(), token, service.authority_key())
    };
    lines.push(links_heading(serve));
    // Members get their tokens on cards.
    let leading =
        issued.iter().filter(|(account, _)| !account.administers.is_empty() || account.username.as_str() == OPERATOR);
    lines.extend(leading.map(|issued| format!("  {:width$}  {}", issued.0.username.as_str(), link(issued))));
    let first = issued.iter().find(|(account, _)| !account.administers.is_empty()).map(link);
    lines.push("\nProject creation codes".into());
    lines.extend(store.read(|read| read.creation_codes())?.iter().map(|code| format!("  {code}")));
    if serve.practice {
        lines.push("\nThis is for practice: nothing is kept. A restart starts over, with the same command.".into());
    }
    lines.extend(serve.paging.advice());
    lines.push("\nCtrl-C stops it.\n".into());
    Ok(Welcome { text: lines.join("\n"), link: first })
}

/// Returns the text that a service of many workshops prints.
pub fn welcome_to_folder(serve: &Serve, service: &WorkshopServer) -> Result<String, WorkshopError> {
    let folder = service.folder();
    let mut lines = vec![format!("Serving the workshops of {} at", folder.path().display())];
    let urls = reachable_urls(serve, service.url_of_workshops(), |host| service.url_of_workshops_at(host));
    lines.extend(urls.iter().map(|url| format!("  {url}")));
    lines.extend(browsers(serve, urls.first()));
    lines.extend(service.ca_file().map(authority));
    lines.extend(risk(serve));
    lines.extend(no_network(serve));
    let FoundWorkshops { names, ignored } = folder.list()?;
    lines.push(format!("\nWorkshops: {}", names.len()));
    lines.extend(names.iter().take(SHOWN_WORKSHOPS).map(|name| format!("  {name}")));
    if names.len() > SHOWN_WORKSHOPS {
        lines.push(format!("  and {} more", names.len() - SHOWN_WORKSHOPS));
    }
    let shown = folder.path().display();
    lines.push(format!("\n`pygeodesign workshops {shown} --add NAME` adds one, also while the service runs."));
    lines.extend(ignored.iter().map(|invalid| format!("\nNot served: {invalid}")));
    lines.push(format!("\nThe operator's token is in {}", folder.operator_token_file().display()));
    lines.extend(serve.paging.advice());
    lines.push("\nCtrl-C stops it.\n".into());
    Ok(lines.join("\n"))
}

fn authority(ca_file: &Path) -> String {
    format!("\nCertificate authority, for ca_bundle=\n  {}", ca_file.display())
}

/// Returns the address of the pages.
fn browsers(serve: &Serve, url: Option<&String>) -> Option<String> {
    let address = url?.strip_suffix("api/v1/").filter(|_| !serve.no_pages)?;
    Some(format!("\nOpen {address} in a browser"))
}

fn links_heading(serve: &Serve) -> String {
    let in_browsers = if serve.no_pages { "" } else { "one for each administrator, to open in a browser, and " };
    format!("\nLinks to join with ({in_browsers}for `pygeodesign login` and Client.join; each has the token)")
}

/// Returns a warning if the service is not encrypted.
fn risk(serve: &Serve) -> Option<String> {
    (!serve.http_for.is_empty()).then(|| {
        format!(
            "\nNot encrypted: everyone in {} can read all tokens and drawings, and act as any user. Other networks are not served.",
            networks(serve)
        )
    })
}

/// Returns the service's URLs. Those that work from other machines come first.
fn reachable_urls(serve: &Serve, url: String, url_at: impl Fn(&str) -> String) -> Vec<String> {
    if !is_on_all_networks(serve) {
        return vec![if serve.tls_cert.is_some() { url_at(&serve.host) } else { url }];
    }
    let names = serve.tls_name.iter().cloned().chain(names_of_this_machine(&serve.host));
    let served = names.filter(|name| is_served(serve, name));
    let (local, public): (Vec<_>, Vec<_>) = served.partition(|name| is_of_this_machine_alone(name));
    let mut seen = BTreeSet::new();
    public.iter().chain(&local).map(|name| url_at(name)).filter(|url| seen.insert(url.clone())).collect()
}

fn is_on_all_networks(serve: &Serve) -> bool {
    matches!(serve.host.as_str(), "0.0.0.0" | "::")
}

/// True if the service is reachable under a name or an address. In plain http, other addresses of this machine are in networks that are
/// not served, and clients send no token to a name on the Internet.
fn is_served(serve: &Serve, name: &str) -> bool {
    if serve.http_for.is_empty() || is_of_this_machine_alone(name) {
        return true;
    }
    match name.parse::<IpAddr>() {
        Ok(address) => serve.http_for.iter().any(|network| network.contains(address)),
        Err(_) => name.ends_with(".local"),
    }
}

/// Returns a warning if this machine is not (yet) in the network to serve.
fn no_network(serve: &Serve) -> Option<String> {
    let names = names_of_this_machine(&serve.host);
    let is_in_one = names.iter().any(|name| !is_of_this_machine_alone(name) && is_served(serve, name));
    (!serve.http_for.is_empty() && !is_in_one).then(|| {
        format!(
            "\nConnect this machine to {} and start the service again: none of its addresses is there, so nobody can join",
            networks(serve)
        )
    })
}

fn networks(serve: &Serve) -> String {
    serve.http_for.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
