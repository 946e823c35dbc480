//! Properties that hold for any bytes. The fuzzers in `fuzz/` look for bytes that violate them; `seeds.rs` checks them for the
//! files in `seeds/`, from which the fuzzers start and to which their findings are added.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use geodesign::features::{FeatureCollection, HtmlPreview, Layout};
use geodesign::model::{Bounds, Date, DateTime, DrawnFeatures, EsriFeature, UtcMillis};
use geodesign_client::{Client, Config, Error};
use geodesign_geometry::{Geometry, GeometrySeed, Measure, check, read_wkb, write_wkb};
use serde::de::DeserializeSeed;

/// Reading features: a body is rejected, or the GeoJSON written for it is read as the same features.
pub fn features(body: &[u8]) {
    for layout in [Layout::Collection, Layout::Diagrams] {
        let Ok(collection) = FeatureCollection::from_json(body.to_vec(), layout) else { continue };
        assert_eq!(collection.table().batches().map(|batch| batch.num_rows()).sum::<usize>(), collection.len());
        let _ = HtmlPreview(&collection).to_string();
        // Properties are kept as JSON text, which serializing may reject: numbers out of range, or nesting that is too deep.
        let Ok(geojson) = serde_json::to_vec(&collection) else { continue };
        let again = FeatureCollection::from_json(geojson, Layout::Collection).unwrap();
        assert_eq!(again.len(), collection.len());
        assert_eq!(again.bounds(), collection.bounds());
    }
}

/// Converting feature-JSON: a list is rejected, or becomes as many GeoJSON features.
pub fn feature_json(body: &[u8]) {
    let Ok(features) = serde_json::from_slice::<Vec<EsriFeature>>(body) else { return };
    let Ok(collection) = FeatureCollection::from_esri(&features) else { return };
    assert_eq!(collection.len(), features.len());
    let written = serde_json::to_vec(&collection).unwrap();
    assert_eq!(FeatureCollection::from_json(written, Layout::Collection).unwrap().len(), features.len());
}

/// Reading a geometry: a text is rejected, or the geometry is the same after writing and reading WKB and GeoJSON, bit for bit.
pub fn geometry(text: &[u8]) {
    if let Ok(drawn) = serde_json::from_slice::<DrawnFeatures>(text) {
        assert!(drawn.measure().square_metres.is_finite());
        let sent = serde_json::to_vec(&drawn).unwrap();
        assert!(serde_json::from_slice::<DrawnFeatures>(&sent).is_ok());
    }
    let Some(geometry) = read_geometry(text) else { return };
    // Compared as WKB, because an unknown height is NaN, which equals nothing.
    let wkb = to_wkb(&geometry);
    assert_eq!(read_wkb(&wkb).map(|read| to_wkb(&read)), Some(wkb.clone()));
    let written = serde_json::to_vec(&geometry).unwrap();
    assert_eq!(read_geometry(&written).map(|read| to_wkb(&read)), Some(wkb));
    if check(&geometry).is_ok() {
        let measured = Measure::of(&geometry).unwrap_or_default();
        assert!(measured.square_metres >= 0.0 && measured.metres >= 0.0);
    }
}

fn read_geometry(text: &[u8]) -> Option<Geometry> {
    GeometrySeed.deserialize(&mut serde_json::Deserializer::from_slice(text)).ok().flatten()
}

fn to_wkb(geometry: &Geometry) -> Vec<u8> {
    let mut wkb = Vec::new();
    write_wkb(geometry, &mut wkb);
    wkb
}

/// Reading dates, date-times and bounds: a text is rejected, or is written as text of the same value.
pub fn dates(text: &[u8]) {
    let Ok(text) = str::from_utf8(text) else { return };
    if let Ok(millis) = text.parse::<UtcMillis>() {
        let written = millis.to_string();
        assert!(matches!(written.len(), 24 | 27), "{written}");
        assert_eq!(written.parse::<UtcMillis>().unwrap(), millis);
    }
    if let Ok(date) = text.parse::<Date>() {
        assert_eq!(date.to_string(), text);
    }
    if let Ok(date_time) = text.parse::<DateTime>() {
        assert_eq!(date_time.to_string(), text);
    }
    if let Ok(bounds) = text.parse::<Bounds>() {
        assert_eq!(bounds.to_string().parse::<Bounds>().unwrap(), bounds);
    }
}

/// Paging: for any pages that a service sends, the client stops at some point, and sends requests to that service only.
///
/// The pages are separated by zero bytes. `{here}` in them stands for the address of the service.
pub fn paging(pages: &[u8]) {
    static SERVICE: OnceLock<PagingService> = OnceLock::new();
    let service = SERVICE.get_or_init(PagingService::start);
    let requests_before = service.set_pages(pages);
    let listed = service.runtime.block_on(service.client.projects());
    if let Err(error) = listed {
        assert!(matches!(error, Error::Decode { .. } | Error::Transport { .. }), "{error}");
    }
    // One request for each page, and a few more with larger page sizes if a list seems to be truncated.
    let requests = service.requests.load(Ordering::SeqCst) - requests_before;
    assert!(requests <= pages.split(|&byte| byte == 0).count() + 8, "{requests} requests");
}

/// A service that responds to each request with the next page.
struct PagingService {
    runtime: tokio::runtime::Runtime,
    client: Client,
    url: String,
    pages: Arc<Mutex<Vec<Vec<u8>>>>,
    requests: Arc<AtomicUsize>,
}

impl PagingService {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/api/v1/", listener.local_addr().unwrap());
        let mut config = Config::new("token", &*url);
        config.retries = 0;
        config.timeout = Duration::from_secs(20);
        let client = runtime.block_on(async { Client::new(config).unwrap() });
        let service = PagingService { runtime, client, url, pages: Arc::default(), requests: Arc::default() };
        let (pages, requests) = (service.pages.clone(), service.requests.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (pages, requests) = (pages.clone(), requests.clone());
                std::thread::spawn(move || respond(connection.unwrap(), &pages, &requests));
            }
        });
        service
    }

    /// Sets the pages of the next requests; returns the number of requests so far.
    fn set_pages(&self, pages: &[u8]) -> usize {
        let with_url = String::from_utf8_lossy(pages).replace("{here}", &self.url).into_bytes();
        let last_first = with_url.split(|&byte| byte == 0).map(<[u8]>::to_vec).rev().collect();
        *self.pages.lock().unwrap() = last_first;
        self.requests.load(Ordering::SeqCst)
    }
}

fn respond(mut connection: TcpStream, pages: &Mutex<Vec<Vec<u8>>>, requests: &AtomicUsize) {
    let _ = connection.set_nodelay(true);
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = connection.read(&mut buffer) {
        request.extend_from_slice(&buffer[..length]);
        if request.ends_with(b"\r\n\r\n") {
            requests.fetch_add(1, Ordering::SeqCst);
            request.clear();
            let page = pages.lock().unwrap().pop().unwrap_or_else(|| b"[]".to_vec());
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", page.len());
            if connection.write_all(&[head.as_bytes(), &page].concat()).is_err() {
                return;
            }
        }
    }
}
