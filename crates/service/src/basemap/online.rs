//! A basemap from a server on the network. Browsers ask that server themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::http::{HostName, web_file};

/// Tile servers by their names, which maps in Python have, too.
const KNOWN: &str = "map/basemaps.json";
/// The largest zoom of servers known only by their address.
const MAX_ZOOM: u32 = 19;
const PLACE: [&str; 3] = ["{z}", "{x}", "{y}"];

/// A basemap of the pages' maps.
#[derive(Debug, Clone)]
pub enum BasemapSource {
    /// A file of tiles (MBTiles or PMTiles).
    File(PathBuf),
    Online(OnlineTiles),
}

/// A tile server: the address of its tiles, its credits, and its largest zoom.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OnlineTiles {
    url: String,
    credits: String,
    max_zoom: u32,
}

/// Reasons why an address of tiles cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTiles {
    #[error("the address of tiles begins with https:// or http:// and a host, not {0:?}")]
    Host(String),
    #[error("the address of tiles has {{z}}, {{x}} and {{y}}, unlike {0:?}")]
    Place(String),
    #[error("the address of tiles has no value for {part}: {url:?}")]
    Part { url: String, part: String },
    #[error("give the credits that the terms of these tiles ask for: --basemap {0} --basemap-credits \"© …\"")]
    Credits(String),
    #[error("--basemap-credits is for the address of a tile server: {} has credits of its own", .0.display())]
    OwnCredits(PathBuf),
}

impl BasemapSource {
    /// Understands a file, the name of a tile server or the address of its tiles.
    pub fn of(given: &Path, credits: Option<&str>) -> Result<Self, InvalidTiles> {
        let mut known = known();
        let text = given.to_str().unwrap_or_default();
        if text.contains("://") {
            let credits =
                credits.or_else(|| known.values().find(|tiles| tiles.url == text).map(|tiles| &*tiles.credits));
            return OnlineTiles::at(text, credits.unwrap_or_default()).map(BasemapSource::Online);
        }
        if credits.is_some() {
            return Err(InvalidTiles::OwnCredits(given.to_owned()));
        }
        Ok(known.remove(text).map_or_else(|| BasemapSource::File(given.to_owned()), BasemapSource::Online))
    }
}

fn known() -> BTreeMap<String, OnlineTiles> {
    let file = web_file(KNOWN).unwrap_or_default();
    // The file is part of the service, and a test reads it.
    serde_json::from_str(&file).unwrap_or_default()
}

impl OnlineTiles {
    fn at(url: &str, credits: &str) -> Result<Self, InvalidTiles> {
        let tiles = OnlineTiles { url: url.to_owned(), credits: credits.trim().to_owned(), max_zoom: MAX_ZOOM };
        tiles.origin().ok_or_else(|| InvalidTiles::Host(url.to_owned()))?;
        if !PLACE.iter().all(|part| url.contains(part)) {
            return Err(InvalidTiles::Place(url.to_owned()));
        }
        let rest = PLACE.iter().fold(url.replace("{s}", ""), |rest, part| rest.replace(part, ""));
        if let Some(start) = rest.find(['{', '<']) {
            let part = rest[start..].split_inclusive(['}', '>']).next().unwrap_or_default().to_owned();
            return Err(InvalidTiles::Part { url: url.to_owned(), part });
        }
        if tiles.credits.is_empty() {
            return Err(InvalidTiles::Credits(url.to_owned()));
        }
        Ok(tiles)
    }

    /// The servers that pages may contact, for their content security policy. `None` if the address has no valid host.
    pub fn origin(&self) -> Option<String> {
        let (scheme, rest) = self.url.split_once("://")?;
        let authority = rest.split('/').next().filter(|_| ["https", "http"].contains(&scheme))?;
        // Each of its servers has another letter there.
        let (servers, host) = match authority.strip_prefix("{s}.") {
            Some(host) => ("*.", host),
            None => ("", authority),
        };
        let host: HostName = host.parse().ok()?;
        Some(format!("{scheme}://{servers}{}", host.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin_of(given: &str) -> String {
        match BasemapSource::of(Path::new(given), None).unwrap() {
            BasemapSource::Online(tiles) => tiles.origin().unwrap(),
            BasemapSource::File(path) => panic!("{} is a file", path.display()),
        }
    }

    #[test]
    fn servers_with_a_name_have_credits_and_a_host() {
        assert_eq!(known().len(), 6);
        for (name, OnlineTiles { url, credits, .. }) in known() {
            assert!(OnlineTiles::at(&url, &credits).is_ok() && !origin_of(&name).is_empty(), "{name}");
        }
        assert_eq!(origin_of("topography"), "https://*.tile.opentopomap.org");
        assert_eq!(origin_of("https://tile.openstreetmap.org/{z}/{x}/{y}.png"), "https://tile.openstreetmap.org");
    }

    #[test]
    fn an_address_cannot_add_a_rule_to_the_policy() {
        for url in [
            "https://a.org; script-src */{z}/{x}/{y}",
            "https:///{z}/{x}/{y}",
            "https://u@a.org/{z}/{x}/{y}",
            "https://a.{s}.org/{z}/{x}/{y}",
            "ftp://a.org/{z}/{x}/{y}",
            "javascript://a.org/{z}/{x}/{y}",
        ] {
            assert!(matches!(OnlineTiles::at(url, "© A"), Err(InvalidTiles::Host(_))), "{url}");
        }
    }
}
