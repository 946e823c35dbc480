//! The pages for browsers: the room, its files, and its icon. They need no token and open no database.
//!
//! All links in the pages are relative, so that they work below `/w/NAME/` and behind a proxy too.

mod files;
mod tiles;

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tiles::Tiles;

pub use files::web_file;
use files::{Content, FAVICON, ROOM, served_file};

use super::error::ApiError;
use super::host_name::HostName;
use crate::basemap::{Basemap, BasemapError, BasemapSource};
use crate::limits::Limits;
use geodesign::model::JOIN;

const ROOT: &str = "/";
const JOIN_WITHOUT_SLASH: &str = "/join";
const ICON: &str = "/favicon.ico";
const WEB: &str = "/web/";
const BASEMAP: &str = "/basemap/";

/// Placeholder in the page for the base of its links.
const BASE: &str = "<!-- base -->";
/// Placeholder in the page for data about its service.
const SERVICE: &str = r#"<script id="service" type="application/json">{}</script>"#;

/// The pages of a service.
pub struct Pages {
    room: Arc<Content>,
    /// The same page one folder deeper: links on cards lead there.
    join: Arc<Content>,
    /// Content security policy: the kinds and sources of files that the pages may load.
    policy: HeaderValue,
    /// True if another server is asked for tiles. Such servers refuse pages that do not say where they come from.
    is_named_to_others: bool,
    tiles: Option<Tiles>,
}

impl Pages {
    /// Pictures, such as tiles, are also loaded from `hosts`, and from the basemap's server.
    pub fn new(hosts: &[HostName], basemap: Option<&BasemapSource>, limits: &Limits) -> Result<Self, BasemapError> {
        let (tiles, about, server) = match basemap {
            None => (None, Value::Null, None),
            Some(BasemapSource::File(path)) => {
                let basemap = Basemap::open(path)?;
                let about = json!(basemap.about());
                (Some(Tiles::new(Arc::new(basemap), limits)), about, None)
            }
            Some(BasemapSource::Online(tiles)) => (None, json!(tiles), tiles.origin()),
        };
        let hosts: Vec<&str> = hosts.iter().map(HostName::as_str).collect();
        let service = json!({ "version": env!("CARGO_PKG_VERSION"), "basemap": about, "allowed_hosts": hosts });
        let room = |base| Arc::new(Content::new("text/html; charset=utf-8", filled(base, &service)));
        let others = hosts.iter().map(|host| format!("https://{host}")).chain(server.clone());
        // Hosts are ASCII.
        let policy = HeaderValue::try_from(policy(others)).unwrap_or_else(|_| HeaderValue::from_static(NOTHING));
        Ok(Pages { room: room("./"), join: room("../"), policy, is_named_to_others: server.is_some(), tiles })
    }

    /// True if a path, within its workshop, belongs to the pages.
    pub fn have(path: &str) -> bool {
        matches!(path, ROOT | JOIN | JOIN_WITHOUT_SLASH) || path.starts_with(BASEMAP) || Self::are_everywhere(path)
    }

    /// True if a service of many workshops has this path outside of them, too.
    pub fn are_everywhere(path: &str) -> bool {
        path == ICON || path.starts_with(WEB)
    }

    /// Answers a request for a path of the pages.
    pub async fn answer(&self, request: Request) -> Response {
        let (request, _) = request.into_parts();
        let path = request.uri.path();
        if let (Some(tiles), Some(place)) = (&self.tiles, path.strip_prefix(BASEMAP)) {
            return tiles.answer(place, &request.method, &request.headers).await;
        }
        let content = match path {
            ROOT => Some(self.room.clone()),
            JOIN => Some(self.join.clone()),
            // Browsers keep what is after #.
            JOIN_WITHOUT_SLASH => return with_slash(&request.uri),
            ICON => served_file(FAVICON),
            path => path.strip_prefix(WEB).and_then(served_file),
        };
        let Some(content) = content else { return ApiError::NotFound("path").into_response() };
        let mut response = content.respond(&request.method, &request.headers);
        // Scripts need it, too: a worker has the policy of its script.
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        if self.is_named_to_others {
            // The address of the service, without paths.
            response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin"));
        }
        response
    }
}

/// Redirects to the same path with a slash at the end. The location is relative, because a proxy may have removed the path's beginning.
pub fn with_slash(uri: &Uri) -> Response {
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    match HeaderValue::try_from(format!("{name}/{query}")) {
        Ok(place) => (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, place)]).into_response(),
        Err(_) => ApiError::NotFound("path").into_response(),
    }
}

/// The room's page, with its base and data about the service.
fn filled(base: &str, service: &Value) -> String {
    let page = web_file(ROOM).unwrap_or_default();
    // No text of the service ends the script.
    let service = service.to_string().replace('<', "\\u003c");
    let told = SERVICE.replacen("{}", &service, 1);
    page.replacen(BASE, &format!("<base href=\"{base}\">"), 1).replacen(SERVICE, &told, 1)
}

const NOTHING: &str = "default-src 'none'";

fn policy(others: impl Iterator<Item = String>) -> String {
    let pictures = ["'self' data: blob:".to_owned()].into_iter().chain(others).collect::<Vec<_>>().join(" ");
    format!(
        "default-src 'self'; img-src {pictures}; connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_marks_that_the_service_fills() {
        let page = web_file(ROOM).unwrap();
        assert_eq!([page.matches(BASE).count(), page.matches(SERVICE).count()], [1, 1]);
        let filled = filled("../", &json!({ "name": "</script><b>" }));
        assert!(
            filled.contains(r#"<base href="../">"#)
                && filled.contains(r#">{"name":"\u003c/script>\u003cb>"}</script>"#)
        );
    }
}
