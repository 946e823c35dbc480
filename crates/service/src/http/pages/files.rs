//! The files of the pages, from the folder `web/`. They are part of a release.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;

use crate::http::error::ApiError;
use crate::http::request::conditional::has_etag;
use geodesign_common::digest::{hex, sha256};

/// The page that the service fills in and serves at `/` and `/join/`.
pub const ROOM: &str = "room/index.html";
pub const FAVICON: &str = "favicon.svg";

macro_rules! web_files {
    ($($path:literal)*) => {
        &[$(WebFile {
            path: $path,
            #[cfg(not(pages_on_disk))]
            content: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/", $path)),
        }),*]
    };
}

/// A file of `web/`.
struct WebFile {
    path: &'static str,
    /// Only in a release. A development build reads the file for each request.
    #[cfg(not(pages_on_disk))]
    content: &'static [u8],
}

impl WebFile {
    #[cfg(not(pages_on_disk))]
    fn bytes(&self) -> Option<Bytes> {
        Some(Bytes::from_static(self.content))
    }

    /// `None` if the file no longer exists.
    #[cfg(pages_on_disk)]
    fn bytes(&self) -> Option<Bytes> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/").to_owned() + self.path;
        std::fs::read(path).ok().map(Bytes::from)
    }

    /// The content to serve. It is made again if the file has changed.
    fn content(&self) -> Option<Arc<Content>> {
        let bytes = self.bytes()?;
        let mut known = FILES.lock();
        Some(match known.get(self.path) {
            Some(content) if content.body == bytes => content.clone(),
            _ => {
                let content = Arc::new(Content::new(content_type(self.path), bytes));
                known.insert(self.path, content.clone());
                content
            }
        })
    }
}

/// A line for each file of `web/`, which a test compares with the folder.
const WEB_FILES: &[WebFile] = web_files![
    "bundled/board.js"
    "bundled/map_page.js"
    "bundled/widget.js"
    "cards/card.html"
    "cards/card.js"
    "cards/cards.css"
    "cards/team.html"
    "cards/texts/ar.json"
    "cards/texts/de.json"
    "cards/texts/en.json"
    "cards/texts/es.json"
    "cards/texts/fr.json"
    "cards/texts/it.json"
    "cards/texts/pt-BR.json"
    "favicon.svg"
    "map/basemaps.json"
    "map/elements.js"
    "map/icons.js"
    "map/labels.js"
    "map/legend.js"
    "map/map.css"
    "map/map.js"
    "map/page.js"
    "map/paint.js"
    "map/patterns.json"
    "map/scene.js"
    "map/svg.js"
    "map/tiles.js"
    "map/vectors.js"
    "map/world.js"
    "page.css"
    "room/activities_panel.js"
    "room/app.js"
    "room/ask.js"
    "room/balance.js"
    "room/bars.js"
    "room/begin_project.js"
    "room/card.js"
    "room/cards.js"
    "room/clipping.js"
    "room/collision_list.js"
    "room/collisions.js"
    "room/color_vision.js"
    "room/comment_pins.js"
    "room/comments.js"
    "room/comparison.js"
    "room/costs_panel.js"
    "room/date_line.js"
    "room/days.js"
    "room/design_figures.js"
    "room/designs_panel.js"
    "room/diagram.js"
    "room/drawing.js"
    "room/drawing_adapter.js"
    "room/drawing_panel.js"
    "room/drawing_points.js"
    "room/drawing_shapes.js"
    "room/drawing_steps.js"
    "room/drawing_tools.js"
    "room/drawings_in_hand.js"
    "room/evaluation_classes.js"
    "room/evaluation_table.js"
    "room/evening_panel.js"
    "room/expected_costs.js"
    "room/facilitating.js"
    "room/failures.js"
    "room/full_dialog.js"
    "room/geojson_file.js"
    "room/ground.js"
    "room/history_panel.js"
    "room/impacts.js"
    "room/index.html"
    "room/land.js"
    "room/map_layer.js"
    "room/menu.js"
    "room/outbox.js"
    "room/outlines.js"
    "room/own_data.js"
    "room/panel.js"
    "room/people_panel.js"
    "room/picture.js"
    "room/prepare_impacts.js"
    "room/prepare_panel.js"
    "room/prepare_people.js"
    "room/prepare_quantities.js"
    "room/prepare_systems.js"
    "room/presence.js"
    "room/preview.js"
    "room/processes.js"
    "room/project.js"
    "room/qr.js"
    "room/quantities.js"
    "room/reasons.js"
    "room/rehearsal.js"
    "room/repeated_reads.js"
    "room/reviews.js"
    "room/room.css"
    "room/room_map.js"
    "room/save_file.js"
    "room/service.js"
    "room/session.js"
    "room/sheet.js"
    "room/sheet_map.js"
    "room/sheet_parts.js"
    "room/side_by_side.js"
    "room/sign_in.js"
    "room/splitting.js"
    "room/steps.js"
    "room/stream.js"
    "room/table.js"
    "room/take_home.js"
    "room/texts.js"
    "room/texts/ar.js"
    "room/texts/de.js"
    "room/texts/en.js"
    "room/texts/es.js"
    "room/texts/fr.js"
    "room/texts/it.js"
    "room/texts/pt-BR.js"
    "room/timeline.js"
    "room/undoing.js"
    "room/vote_round.js"
    "room/votes.js"
    "room/wall.js"
    "room/wall_designs.js"
    "room/weighing.js"
    "room/widening.js"
    "room/workspace.js"
    "vendor/LICENSE-clipper2-ts"
    "vendor/LICENSE-leaflet"
    "vendor/LICENSE-lucide"
    "vendor/LICENSE-protomaps-leaflet"
    "vendor/LICENSE-terra-draw"
    "vendor/LICENSE-uqr"
    "vendor/SOURCES.json"
    "vendor/clipper.js"
    "vendor/icons.js"
    "vendor/leaflet.css"
    "vendor/leaflet.js"
    "vendor/qr.js"
    "vendor/terra_draw.js"
    "vendor/vector_tiles.js"
    "widget/board.css"
    "widget/board.js"
    "widget/frame.css"
    "widget/frame.js"
    "widget/kernel_service.js"
    "widget/lasso.js"
    "widget/widget.css"
    "widget/widget.js"
];

/// The files served so far.
static FILES: Mutex<BTreeMap<&str, Arc<Content>>> = Mutex::new(BTreeMap::new());

/// The file that is served at `/web/` and this path.
pub fn served_file(path: &str) -> Option<Arc<Content>> {
    file_at(path).filter(|_| path != ROOM).and_then(WebFile::content)
}

/// The text of a file of `web/`; `None` if there is no such file, or if it is a picture.
pub fn web_file(path: &str) -> Option<String> {
    String::from_utf8(file_at(path)?.bytes()?.into()).ok()
}

fn file_at(path: &str) -> Option<&'static WebFile> {
    WEB_FILES.iter().find(|file| file.path == path)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        // Licences.
        _ => "text/plain; charset=utf-8",
    }
}

/// Served content, kept for as long as the program runs. It is the same for everybody.
pub struct Content {
    content_type: &'static str,
    body: Bytes,
    etag: OnceLock<HeaderValue>,
    /// Compressed on first use; `None` if that makes it no smaller.
    compressed: OnceLock<Option<Bytes>>,
}

/// Cached, but checked on each use: a restarted service may have newer pages.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

impl Content {
    pub fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Content { content_type, body: body.into(), etag: OnceLock::new(), compressed: OnceLock::new() }
    }

    pub fn respond(&self, method: &Method, request: &HeaderMap) -> Response {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return ApiError::MethodNotAllowed.into_response();
        }
        let etag = self.etag();
        let mut response = if etag.to_str().is_ok_and(|etag| has_etag(request, etag)) {
            ApiError::NotModified.into_response()
        } else {
            let compressed = accepts_gzip(request).then(|| self.compressed()).flatten();
            let mut response = compressed.unwrap_or(&self.body).clone().into_response();
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            if compressed.is_some() {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, etag.clone());
        headers.insert(header::CACHE_CONTROL, REVALIDATE);
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        response
    }

    /// Returns the ETag, which is weak because the compressed form has the same one.
    fn etag(&self) -> &HeaderValue {
        self.etag.get_or_init(|| etag_of(&self.body))
    }

    fn compressed(&self) -> Option<&Bytes> {
        let compress = || {
            let is_picture = self.content_type == "image/png";
            gzip(&self.body)
                .ok()
                .filter(|compressed| !is_picture && compressed.len() < self.body.len())
                .map(Bytes::from)
        };
        self.compressed.get_or_init(compress).as_ref()
    }
}

/// A weak ETag that identifies a content by its digest.
pub fn etag_of(content: &[u8]) -> HeaderValue {
    let digest = hex(&sha256(&[content]));
    HeaderValue::try_from(format!("W/\"{}\"", &digest[..32])).unwrap_or_else(|_| HeaderValue::from_static("W/\"\""))
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

/// True if a client accepts gzip with a weight other than 0.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let named = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_refused = |part: &str| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        is_gzip && !parts.any(is_refused)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Ending of type declarations, which are only for checks.
    const NOT_SERVED: &str = ".d.ts";

    /// The files of a folder below `web/`, and of its folders.
    fn files_of(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files_of(&path, found);
            } else {
                let name = path.strip_prefix(web()).unwrap().to_str().unwrap().replace('\\', "/");
                found.extend((!name.ends_with(NOT_SERVED)).then_some(name));
            }
        }
    }

    fn web() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"))
    }

    #[test]
    fn every_file_of_the_pages_is_in_the_program() {
        let mut found = BTreeSet::new();
        files_of(web(), &mut found);
        let listed: Vec<_> = WEB_FILES.iter().map(|file| file.path.to_owned()).collect();
        assert!(listed.is_sorted(), "the table is in the order of the alphabet");
        assert_eq!(listed, found.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_file_is_known_by_its_name_alone() {
        assert!(
            served_file("room/app.js").is_some()
                && web_file("page.css").as_deref() == Some(geodesign_common::html::STYLE)
        );
        for path in ["", "room", "room/", "../Cargo.toml", "/favicon.svg", "room/index.html", "room//room.js"] {
            assert!(served_file(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_client_that_refuses_gzip_gets_none() {
        let accepts = |value: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };
        assert!(accepts("gzip") && accepts("br, GZIP;q=0.5") && accepts("deflate;q=0, gzip"));
        assert!(!accepts("br") && !accepts("gzip;q=0") && !accepts("gzip; q=0.0, br") && !accepts(""));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
