//! Reads complete lists, however the service divides them into pages, and wherever they are in its responses.
//!
//! A list is the response itself or a field of its object, such as `members`. A service may cut it at the page size, or silently at its
//! own limit; put it into an object with a page and a `next` link; name the next page in `Link`; or send everything. So the client asks
//! for a large page, and for a larger one if a list has exactly the requested length. It follows links below the API root. If neither a
//! link, a `count` nor `X-Total-Count` says that a list is complete, the client reads further pages until one is not found, or has
//! nothing new: services that ignore `page` send the same again. Such a list is compared with others (`cuts.rs`). Limits of pages,
//! items, bytes and time end a list that never ends.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;
use http::Method;
use http::StatusCode;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::attempt::ReceivedResponse;
use super::attempt::WithEtag;
use super::transport::{Transport, undecodable};
use crate::cause::Cause;
use crate::error::{Attempts, Error, Result};
use geodesign::features::DiagramStream;
use geodesign::json;
use geodesign::model::operations::{DEFAULT_PAGE_SIZE, Endpoint, FIRST_PAGE_SIZE};

const WITHOUT_ETAG: &str = "without an ETag, every response has a content";
/// At most this many items are in a list.
const MAX_ITEMS: usize = 1_000_000;
/// At most this many pages of a list, or items that it lacks, are read.
pub const MAX_PAGES: u32 = 10_000;
/// At most this many pages without items may follow each other, although each has a `next` link.
const MAX_EMPTY_PAGES: usize = 3;
/// A list with this many items is not requested again with a page size.
const SENT_ONCE: usize = 10 * DEFAULT_PAGE_SIZE;
/// A complete list may take this many times the `timeout` of a request.
const TIMEOUTS_PER_LIST: u32 = 10;
/// Fields of an object that describe the page in it.
const ABOUT_PAGES: [&str; 3] = ["count", "next", "previous"];

type Fields = BTreeMap<String, Box<RawValue>>;

/// A page of a list. The items stay JSON text until all have arrived.
#[derive(Default)]
struct Page {
    items: Vec<Box<RawValue>>,
    /// The other fields of the list's object.
    beside: Fields,
    next: Option<String>,
    /// Number of items in the complete list, if the service gives it.
    total: Option<usize>,
    /// True if its object has the field `next`, which the last page may have too.
    tells_next: bool,
    /// True if the list was in a page object.
    is_enveloped: bool,
}

/// A list item's id.
#[derive(Deserialize)]
struct Identified<'i> {
    #[serde(borrow, alias = "username")]
    id: Option<&'i RawValue>,
}

impl Transport {
    /// Reads all pages of a list.
    pub async fn list<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<Vec<T>> {
        let (items, is_told) = self.list_with_certainty(endpoint.clone()).await?;
        if !is_told {
            self.check_uncut(&endpoint, items.len()).await?;
        }
        Ok(items)
    }

    /// Same as `list`, but also returns true if the service said that the list is complete. A service without pages may cut a list at its
    /// own limit; the caller checks this.
    pub async fn list_with_certainty<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: Endpoint,
    ) -> Result<(Vec<T>, bool)> {
        let mut requests = ListRequests::new(self, &endpoint);
        let first = Box::pin(requests.read_first(None)).await?.expect(WITHOUT_ETAG);
        // Nearly always the first page is the complete list, and is read once.
        if let Some(total) = first.total.filter(|_| !is_object(&first.content))
            && let Ok(items) = self.decode_body::<Vec<T>>(&endpoint, first.content.clone()).await
            && items.len() >= total
        {
            requests.check_items(items.len())?;
            return Ok((items, true));
        }
        let (WithEtag { content, total, .. }, _) = Box::pin(requests.read_rest(first)).await?;
        Ok((self.decode_list(&endpoint, content).await?, total.is_some()))
    }

    /// Returns all pages of a list as one JSON array, or as one object with all of its items.
    pub async fn whole_list(&self, endpoint: &Endpoint) -> Result<WithEtag> {
        let list = self.list_if_changed(endpoint, None).await?;
        Ok(list.expect(WITHOUT_ETAG))
    }

    /// Same as `whole_list`, for a list that the caller completes if it is cut. `sent` may have been requested without a page size: if
    /// long, it counts as the first page, and is returned unchanged if there is no other.
    pub async fn all_pages(&self, endpoint: &Endpoint, sent: Option<Bytes>) -> Result<Bytes> {
        let mut requests = ListRequests::new(self, endpoint);
        if let Some(content) = sent {
            let sent = WithEtag { content: content.clone(), etag: None, total: None, next: None };
            let page = requests.page_of(&sent).await?;
            let count = page.items.len();
            if count >= SENT_ONCE {
                requests.page_size = count;
                let (pages, all) = Box::pin(requests.read_pages(page)).await?;
                return Ok(if all == count { content } else { pages.content });
            }
        }
        let first = requests.read_first(None).await?.expect(WITHOUT_ETAG);
        Ok(requests.read_rest(first).await?.0.content)
    }

    /// Returns the cached items of the first page, if any. They may have changed.
    pub async fn cached_list<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: &Endpoint,
    ) -> Result<Option<Vec<T>>> {
        let first = endpoint.with_more_query(&format!("page_size={FIRST_PAGE_SIZE}"));
        match self.cached_body(&first).await?.filter(|body| !is_object(body)) {
            Some(body) => self.decode_list(endpoint, body).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the items of a list as one JSON array, or as one object, each as the service wrote it. `None`: 304 Not Modified, the
    /// list still has this ETag. The total is the list's, if the service said that it is complete.
    pub async fn list_if_changed(&self, endpoint: &Endpoint, etag: Option<&str>) -> Result<Option<WithEtag>> {
        let mut requests = ListRequests::new(self, endpoint);
        let Some(first) = Box::pin(requests.read_first(etag)).await? else { return Ok(None) };
        let (list, sent) = Box::pin(requests.read_rest(first)).await?;
        if list.total.is_none() {
            self.check_uncut(endpoint, sent).await?;
        }
        Ok(Some(list))
    }

    /// Turns a response with all diagrams into an array if it is an object with a page of them.
    pub(super) fn diagrams_in(&self, endpoint: &Endpoint, response: &mut ReceivedResponse) -> Result<()> {
        // If the body was parsed while it arrived, this is the rest of an array.
        let is_begun = response.diagrams.as_ref().is_some_and(DiagramStream::has_started);
        if !is_begun && is_object(&response.body) {
            let page = page_in(&response.body, None);
            let page = page.map_err(|error| self.hide_token(undecodable(endpoint.into(), error)))?;
            let page = page.map_err(|name| missing_field(endpoint, name))?;
            response.total = page.total.filter(|_| page.next.is_none()).or(Some(usize::MAX));
            response.body = join(&page.items).into();
        } else if response.next.is_some() {
            response.total = Some(usize::MAX);
        }
        Ok(())
    }
}

/// Returns the page in the body of a response: an array, or an object with the list or with `results`, which is an array or such an
/// object. `Err` of the result: the field that the object lacks.
fn page_in(
    body: &[u8],
    listed_in: Option<&'static str>,
) -> std::result::Result<std::result::Result<Page, &'static str>, json::DecodeError> {
    if !is_object(body) {
        return Ok(Ok(Page { items: json::decode(body)?, ..Page::default() }));
    }
    let mut fields: Fields = json::decode(body)?;
    let [count, next, _] = ABOUT_PAGES.map(|name| fields.remove(name));
    let tells_next = next.is_some();
    let is_enveloped = tells_next || fields.contains_key("results");
    let next = next.as_deref().and_then(next_in);
    let total = count.and_then(|count| count.get().trim_matches('"').parse().ok());
    let mut name = listed_in.unwrap_or("results");
    match fields.remove("results") {
        Some(results) if listed_in.is_some() && is_object(results.get().as_bytes()) => {
            fields = json::decode(results.get().as_bytes())?;
        }
        Some(results) => {
            name = "results";
            fields = Fields::from_iter([(name.to_owned(), results)]);
        }
        None => {}
    }
    let Some(items) = fields.remove(name) else { return Ok(Err(name)) };
    // `null` is a list without items.
    let items: Option<Vec<Box<RawValue>>> = json::decode(items.get().as_bytes())?;
    Ok(Ok(Page { items: items.unwrap_or_default(), beside: fields, next, total, tells_next, is_enveloped }))
}

/// Returns the link in the field `next`: an address, or the number of a page. `None` in the last page.
fn next_in(next: &RawValue) -> Option<String> {
    match serde_json::from_str(next.get()).ok()? {
        serde_json::Value::String(link) => Some(link).filter(|link| !link.is_empty()),
        serde_json::Value::Number(page) => Some(format!("?page={page}")),
        _ => None,
    }
}

/// The requests for one list, within its limits.
struct ListRequests<'l> {
    transport: &'l Transport,
    endpoint: &'l Endpoint,
    started: Instant,
    page_size: usize,
    pages: u32,
    /// The bytes of all pages, limited by `max_response_bytes` like those of one.
    bytes: usize,
}

impl<'l> ListRequests<'l> {
    fn new(transport: &'l Transport, endpoint: &'l Endpoint) -> Self {
        ListRequests { transport, endpoint, started: Instant::now(), page_size: FIRST_PAGE_SIZE, pages: 0, bytes: 0 }
    }

    async fn read_first(&mut self, etag: Option<&str>) -> Result<Option<WithEtag>> {
        self.read_if_changed(&self.first_page(), etag).await
    }

    fn first_page(&self) -> Endpoint {
        self.endpoint.with_more_query(&format!("page_size={}", self.page_size))
    }

    /// Reads the list that begins with this page. Returns it as one JSON array or as one object, and its number of items.
    async fn read_rest(mut self, mut first: WithEtag) -> Result<(WithEtag, usize)> {
        loop {
            let page = self.page_of(&first).await?;
            let count = page.items.len();
            self.check_items(count)?;
            // A list without items has no further ones, unless the response says so.
            let is_told =
                page.next.is_none() && page.total.map_or(page.tells_next || count == 0, |total| count >= total);
            if is_told || self.transport.archive().is_some() {
                let is_as_it_is = !page.is_enveloped;
                let content = if is_as_it_is { first.content } else { self.joined(&page) };
                let etag = first.etag.filter(|_| is_as_it_is);
                return Ok((WithEtag { content, etag, total: Some(count), next: None }, count));
            }
            if page.next.is_some() || page.total.is_some() || count != self.page_size {
                return self.read_pages(page).await;
            }
            self.page_size = (self.page_size * 10).min(MAX_ITEMS + 1);
            first = self.read_first(None).await?.expect(WITHOUT_ETAG);
        }
    }

    async fn page_of(&self, WithEtag { content, total, next, .. }: &WithEtag) -> Result<Page> {
        let listed_in = self.endpoint.listed_in;
        let page = self.transport.decoded(self.endpoint, content.clone(), move |body| page_in(body, listed_in)).await?;
        let page = page.map_err(|name| missing_field(self.endpoint, name))?;
        Ok(Page { total: page.total.or(*total), next: page.next.or_else(|| next.clone()), ..page })
    }

    /// Reads the pages after the first one: linked pages and numbered ones. Items are compared by their ids, so that an item that moved to
    /// the next page meanwhile is not listed twice.
    async fn read_pages(&mut self, mut list: Page) -> Result<(WithEtag, usize)> {
        let mut seen: HashSet<String> = list.items.iter().filter_map(|item| name_of(item)).collect();
        let mut contents = HashSet::from([fingerprint(&list.items)]);
        let (mut addresses, mut empty_pages) = (HashSet::from([self.first_page()]), usize::from(list.items.is_empty()));
        let has_links = list.next.is_some();
        while let Some(next) = list.next.take() {
            let next = self.next_page(&next).map_err(|error| self.transport.hide_token(error))?;
            if !addresses.insert(next.clone()) {
                return Err(unreadable(self.endpoint, "its pages lead in a circle".to_owned(), None));
            }
            let page = self.read(&next).await?;
            empty_pages = if page.items.is_empty() { empty_pages + 1 } else { 0 };
            if !page.items.is_empty() && !contents.insert(fingerprint(&page.items)) {
                return Err(unreadable(self.endpoint, "two of its pages have the same items".to_owned(), None));
            }
            if empty_pages >= MAX_EMPTY_PAGES && page.next.is_some() {
                let problem = format!("{MAX_EMPTY_PAGES} of its pages in succession have no items, but a next page");
                return Err(unreadable(self.endpoint, problem, None));
            }
            list.next = page.next;
            list.total = list.total.or(page.total);
            self.add_new(&mut list.items, page.items, &mut seen)?;
        }
        let is_short = |list: &Page| list.total.is_some_and(|total| list.items.len() < total);
        let mut is_told = has_links || list.total.is_some();
        if !has_links || is_short(&list) {
            is_told |= self.read_numbered(&mut list, &mut seen, &mut contents).await?;
        }
        if let Some(total) = list.total.filter(|_| is_short(&list)) {
            let sent = list.items.len();
            let problem = format!("the service has {total} items in the list, and sent {sent}; read it again");
            return Err(unreadable(self.endpoint, problem, None));
        }
        let sent = list.items.len();
        let content = self.joined(&list);
        Ok((WithEtag { content, etag: None, total: is_told.then_some(sent), next: None }, sent))
    }

    /// Reads the pages from the second one on, because the service may have cut the first at its limit. Returns true if the service
    /// supports pages, so that the list is complete.
    async fn read_numbered(
        &mut self,
        list: &mut Page,
        seen: &mut HashSet<String>,
        contents: &mut HashSet<u64>,
    ) -> Result<bool> {
        for number in 2.. {
            let next = self.endpoint.with_more_query(&format!("page={number}&page_size={}", self.page_size));
            let page = match self.read(&next).await {
                Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => return Ok(true),
                // It does not support `page`, or rejects a page beyond the last.
                Err(Error::Api { status: StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY, .. }) => {
                    return Ok(number > 2);
                }
                page => page?,
            };
            if page.items.is_empty() {
                return Ok(true);
            }
            if !contents.insert(fingerprint(&page.items)) {
                return Ok(number > 2);
            }
            let known = list.items.len();
            self.add_new(&mut list.items, page.items, seen)?;
            if list.items.len() == known {
                return Ok(number > 2);
            }
            if list.total.is_some_and(|total| list.items.len() >= total) {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Adds the items of a page that are new.
    fn add_new(
        &self,
        items: &mut Vec<Box<RawValue>>,
        page: Vec<Box<RawValue>>,
        seen: &mut HashSet<String>,
    ) -> Result<()> {
        items.extend(page.into_iter().filter(|item| name_of(item).is_none_or(|name| seen.insert(name))));
        self.check_items(items.len())
    }

    /// Returns the list in its operation's form.
    fn joined(&self, Page { items, beside, .. }: &Page) -> Bytes {
        let Some(name) = self.endpoint.listed_in else { return join(items) };
        let mut text = String::from("{");
        for (name, value) in beside {
            text.push_str(&format!("{}:{},", serde_json::Value::from(name.as_str()), value.get()));
        }
        text.push_str(&format!("\"{name}\":"));
        let mut text = Vec::from(text);
        text.extend_from_slice(&join(items));
        text.push(b'}');
        text.into()
    }

    /// Converts a `next` link to an endpoint below the API root. A link to any other place is an error: the token must not go there.
    fn next_page(&self, next: &str) -> Result<Endpoint> {
        let endpoint = self.endpoint;
        let invalid = |error| {
            unreadable(endpoint, format!("the link to its next page is invalid: {error}"), Some(Cause::from(error)))
        };
        let root = Url::parse(self.transport.root()).map_err(invalid)?;
        let next = root.join(&endpoint.path).and_then(|list| list.join(next)).map_err(invalid)?;
        let path = next.path().strip_prefix(root.path()).filter(|_| next.origin() == root.origin());
        let path = path.ok_or_else(|| {
            let origin = next.origin().ascii_serialization();
            unreadable(
                endpoint,
                format!("its next page is at {origin}, not below {root}; the token is not sent there"),
                None,
            )
        })?;
        let query = next.query().map(str::to_owned);
        Ok(Endpoint { query, listed_in: endpoint.listed_in, ..Endpoint::at_path(Method::GET, path) })
    }

    async fn read(&mut self, page: &Endpoint) -> Result<Page> {
        let page = self.read_if_changed(page, None).await?.expect(WITHOUT_ETAG);
        self.page_of(&page).await
    }

    /// `None`: 304 Not Modified, the page still has this ETag.
    async fn read_if_changed(&mut self, page: &Endpoint, etag: Option<&str>) -> Result<Option<WithEtag>> {
        if self.pages == MAX_PAGES {
            return Err(unreadable(self.endpoint, format!("it has more than {MAX_PAGES} pages"), None));
        }
        let config = self.transport.config();
        let limit = config.timeout.saturating_mul(TIMEOUTS_PER_LIST);
        let body = self.transport.read_if_changed(page, etag);
        let body = match self.started.checked_add(limit) {
            Some(deadline) => timeout_at(deadline, body).await.unwrap_or_else(|_| {
                let problem = format!(
                    "the pages of the list did not end within {} s, {TIMEOUTS_PER_LIST} times timeout=",
                    limit.as_secs_f64()
                );
                let attempts = Attempts { count: self.pages + 1, elapsed: self.started.elapsed() };
                Err(Error::Timeout { request: self.endpoint.into(), problem, attempts, source: None })
            }),
            None => body.await,
        }?;
        self.pages += 1;
        self.bytes = self.bytes.saturating_add(body.as_ref().map_or(0, |page| page.content.len()));
        if self.bytes > config.max_response_bytes {
            let problem = format!(
                "its pages have more than {} bytes; give the client a larger max_response_bytes= to read that much",
                config.max_response_bytes
            );
            return Err(unreadable(self.endpoint, problem, None));
        }
        Ok(body)
    }

    fn check_items(&self, items: usize) -> Result<()> {
        if items > MAX_ITEMS {
            return Err(unreadable(self.endpoint, format!("the list has more than {MAX_ITEMS} items"), None));
        }
        Ok(())
    }
}

/// Identifies an item: its id, or a name or a number itself.
fn name_of(item: &RawValue) -> Option<String> {
    if matches!(item.get().as_bytes().first(), Some(b'{' | b'[')) {
        let id = serde_json::from_str(item.get()).ok().and_then(|Identified { id }| id);
        return id.map(|id| id.get().to_owned());
    }
    Some(item.get().to_owned())
}

/// Joins the items of all pages into one array, each as the service wrote it.
fn join(items: &[Box<RawValue>]) -> Bytes {
    let items: Vec<&str> = items.iter().map(|item| item.get()).collect();
    format!("[{}]", items.join(",")).into()
}

fn is_object(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'{')
}

/// Distinguishes pages by their items, in any order.
fn fingerprint(items: &[Box<RawValue>]) -> u64 {
    let hashed = |item: &RawValue| {
        let mut hasher = DefaultHasher::new();
        item.get().hash(&mut hasher);
        hasher.finish()
    };
    items.iter().map(|item| hashed(item)).fold(items.len() as u64, u64::wrapping_add)
}

fn missing_field(endpoint: &Endpoint, name: &str) -> Error {
    unreadable(endpoint, format!("missing field `{name}`"), None)
}

fn unreadable(endpoint: &Endpoint, problem: String, source: Option<Cause>) -> Error {
    Error::Decode { request: endpoint.into(), problem, source }
}
