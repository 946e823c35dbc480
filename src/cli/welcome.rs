//! What `pygeodesign serve` prints when it starts: where the service is, what it holds, and a token for each user.

use std::collections::BTreeSet;
use std::path::Path;

use super::serve::Serve;
use crate::service::{
    Account, FoundWorkshops, Server, StoreError, WorkshopError, WorkshopServer, names_of_this_machine,
};

/// How many workshops are named at the start.
const SHOWN_WORKSHOPS: usize = 20;

/// Issues a token for each user, and returns the text to print. The tokens cannot be shown again.
pub fn welcome(serve: &Serve, service: &Server) -> Result<String, StoreError> {
    let store = service.store();
    let database = serve.db.as_deref().unwrap_or(Path::new("a temporary database"));
    let mut lines = vec![format!("Serving {} at", database.display())];
    lines.extend(urls(serve, service.url(), |host| service.url_at(host)).iter().map(|url| format!("  {url}")));
    lines.extend(service.ca_file().map(authority));
    lines.push("\nProjects".into());
    let projects = store.read(|read| read.project_titles())?;
    lines.extend(projects.iter().map(|(id, title)| format!("  {id}  {title}")));
    lines.push("\nTokens (they are shown only now)".into());
    let accounts = store.read(|read| read.accounts())?;
    let width = accounts.iter().map(|account| account.username.as_str().chars().count()).max().unwrap_or(0);
    for Account { username, administers } in accounts {
        let token = match serve.token_lifetime {
            Some(lifetime) => store.issue_token_for(&username, lifetime)?,
            None => store.issue_token(&username)?,
        };
        let role = if administers.is_empty() { "" } else { "  administrator" };
        lines.push(format!("  {:width$}  {token}{role}", username.as_str()));
    }
    lines.push("\nProject creation codes".into());
    lines.extend(store.read(|read| read.creation_codes())?.iter().map(|code| format!("  {code}")));
    lines.push("\nCtrl-C stops it.\n".into());
    Ok(lines.join("\n"))
}

/// What a service of many workshops prints.
pub fn welcome_to_folder(serve: &Serve, service: &WorkshopServer) -> Result<String, WorkshopError> {
    let folder = service.folder();
    let mut lines = vec![format!("Serving the workshops of {} at", folder.path().display())];
    let urls = urls(serve, service.url_of_workshops(), |host| service.url_of_workshops_at(host));
    lines.extend(urls.iter().map(|url| format!("  {url}")));
    lines.extend(service.ca_file().map(authority));
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
    lines.push("\nCtrl-C stops it.\n".into());
    Ok(lines.join("\n"))
}

fn authority(ca_file: &Path) -> String {
    let ca_file = std::path::absolute(ca_file).unwrap_or_else(|_| ca_file.to_owned());
    format!("\nCertificate authority, for ca_bundle=\n  {}", ca_file.display())
}

/// The URLs that clients can use. Those that work from other machines come first.
fn urls(serve: &Serve, url: String, url_at: impl Fn(&str) -> String) -> Vec<String> {
    let on_all_networks = matches!(serve.host.as_str(), "0.0.0.0" | "::");
    if !on_all_networks {
        return vec![if serve.tls_cert.is_some() { url_at(&serve.host) } else { url }];
    }
    let names = serve.tls_name.iter().cloned().chain(names_of_this_machine(&serve.host));
    let mut seen = BTreeSet::new();
    let urls = names.filter(|name| name != "::1").map(|name| url_at(&name));
    let (local, public): (Vec<_>, Vec<_>) = urls
        .filter(|url| seen.insert(url.clone()))
        .partition(|url| url.contains("//localhost:") || url.contains("//127.0.0.1:"));
    public.into_iter().chain(local).collect()
}
