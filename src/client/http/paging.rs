//! Reads lists completely, however the service divides them into pages.
//!
//! A service may respond with a plain array, which it cuts at the page size, or at a limit of its own, without a notice; with an
//! object that holds a page and a `next` link; or with everything. So the client asks for a large page, and for a larger one if an
//! array has exactly the length that it asked for. It follows `next` links below the API root. A shorter array of which `X-Total-Count`
//! does not tell that it is whole is followed by further pages, until one is not found, or has nothing new: services that do not know
//! `page` send the same again. Limits of pages, items, bytes and time end a list that a service lets go on for ever.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;
use http::Method;
use http::StatusCode;
use reqwest::Url;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::attempt::ReceivedResponse;
use super::conditional::WithEtag;
use super::transport::Transport;
use crate::client::cause::Cause;
use crate::client::error::{Attempts, Error, Result};
use crate::features::DiagramStream;
use crate::model::operations::Endpoint;

const WITHOUT_ETAG: &str = "without an ETag, every response has a content";
const FIRST_PAGE_SIZE: usize = 1_000;
/// The most items of a list.
const MAX_ITEMS: usize = 1_000_000;
/// The most pages of a list.
const MAX_PAGES: u32 = 10_000;
/// The most pages without items one after the other, although each has a `next` link.
const MAX_EMPTY_PAGES: usize = 3;
/// A whole list may take this many times the `timeout` of a request.
const TIMEOUTS_PER_LIST: u32 = 10;

/// A page in an object. The items stay JSON text until all are there.
#[derive(Deserialize)]
struct Page {
    count: Option<usize>,
    results: Vec<Box<RawValue>>,
    next: Option<String>,
}

/// An item of a list, as far as it tells which one it is.
#[derive(Deserialize)]
struct Identified<'i> {
    #[serde(borrow)]
    id: Option<&'i RawValue>,
}

impl Transport {
    /// Reads all pages of a list.
    pub async fn list<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<Vec<T>> {
        let mut requests = ListRequests::new(self, &endpoint);
        let first = Box::pin(requests.read_first(None)).await?.expect(WITHOUT_ETAG);
        // Nearly always the first page is the whole list, and is read once.
        if let Some(total) = first.total.filter(|_| !is_object(&first.content))
            && let Ok(items) = self.decode_body::<Vec<T>>(&endpoint, first.content.clone()).await
            && items.len() >= total
        {
            requests.check_items(items.len())?;
            return Ok(items);
        }
        let body = Box::pin(requests.read_rest(first)).await?.content;
        self.decode_list(&endpoint, body).await
    }

    /// All pages of a list as one array of JSON.
    pub async fn whole_list(&self, endpoint: &Endpoint) -> Result<Bytes> {
        let list = self.list_if_changed(endpoint, None).await?;
        Ok(list.expect(WITHOUT_ETAG).content)
    }

    /// The cached items of the first page, if there are any. They may have changed.
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

    /// The items of a list as one array of JSON, each as the service wrote it. `None`: 304 Not Modified, the list still has this
    /// ETag.
    pub async fn list_if_changed(&self, endpoint: &Endpoint, etag: Option<&str>) -> Result<Option<WithEtag>> {
        let mut requests = ListRequests::new(self, endpoint);
        match Box::pin(requests.read_first(etag)).await? {
            Some(first) => Box::pin(requests.read_rest(first)).await.map(Some),
            None => Ok(None),
        }
    }

    /// Makes an array of a response with all diagrams that is an object with a page of them.
    pub(super) fn diagrams_in(&self, endpoint: &Endpoint, response: &mut ReceivedResponse) -> Result<()> {
        // A body that is read while it arrives is an array of which this is the rest.
        let is_begun = response.diagrams.as_ref().is_some_and(DiagramStream::has_started);
        if !is_begun && is_object(&response.body) {
            let page: Page = self.decode(endpoint, &response.body)?;
            response.total = page.count.filter(|_| page.next.is_none()).or(Some(usize::MAX));
            response.body = join(&page.results).into();
        }
        Ok(())
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

/// How many items an array has, without a copy of any.
struct ItemCount(usize);

impl<'de> Deserialize<'de> for ItemCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Items;

        impl<'de> Visitor<'de> for Items {
            type Value = ItemCount;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<ItemCount, A::Error> {
                let mut count = 0;
                while items.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(ItemCount(count))
            }
        }

        deserializer.deserialize_seq(Items)
    }
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

    /// The list that begins with this page, as one array of JSON.
    async fn read_rest(mut self, mut page: WithEtag) -> Result<WithEtag> {
        // One page has not changed; what others have is not known.
        let of_pages = |content| WithEtag { content, etag: None, total: None };
        loop {
            if is_object(&page.content) {
                return self.follow_pages(self.first_page(), page.content).await.map(of_pages);
            }
            let ItemCount(count) = self.transport.decode_body(self.endpoint, page.content.clone()).await?;
            self.check_items(count)?;
            let is_whole = count == 0 || page.total.is_some_and(|total| count >= total);
            if is_whole || self.transport.archive().is_some() {
                return Ok(page);
            }
            if count != self.page_size {
                let items = self.transport.decode_body(self.endpoint, page.content).await?;
                return self.read_more(items, page.total).await.map(of_pages);
            }
            self.page_size = (self.page_size * 10).min(MAX_ITEMS + 1);
            page = self.read_first(None).await?.expect(WITHOUT_ETAG);
        }
    }

    /// Reads the pages after one that may have been cut at a limit of the service.
    async fn read_more(&mut self, mut items: Vec<Box<RawValue>>, total: Option<usize>) -> Result<Bytes> {
        let mut seen: HashSet<String> = items.iter().map(|item| name_of(item)).collect();
        for number in 2.. {
            let next = self.endpoint.with_more_query(&format!("page={number}&page_size={}", self.page_size));
            let page = match self.read(&next).await {
                Err(Error::Api { status: StatusCode::NOT_FOUND, .. }) => break,
                // A service that knows no `page`.
                Err(Error::Api { status: StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY, .. })
                    if number == 2 =>
                {
                    break;
                }
                page => page?,
            };
            let page: Vec<Box<RawValue>> = if is_object(&page) {
                self.transport.decode::<Page>(self.endpoint, &page)?.results
            } else {
                self.transport.decode_body(self.endpoint, page).await?
            };
            let known = items.len();
            items.extend(page.into_iter().filter(|item| seen.insert(name_of(item))));
            self.check_items(items.len())?;
            if items.len() == known || total.is_some_and(|total| items.len() >= total) {
                break;
            }
        }
        match total.filter(|total| items.len() < *total) {
            Some(total) => {
                let problem =
                    format!("the service has {total} items in the list, and sent {}; read it again", items.len());
                Err(unreadable(self.endpoint, problem, None))
            }
            None => Ok(join(&items)),
        }
    }

    /// Reads the pages after the first one. Returns the items of all pages as one array, so that an error names the position in
    /// the whole list.
    async fn follow_pages(&mut self, first: Endpoint, body: Bytes) -> Result<Bytes> {
        let (transport, endpoint) = (self.transport, self.endpoint);
        let mut page: Page = transport.decode(endpoint, &body)?;
        let (mut addresses, mut contents) = (HashSet::from([first]), HashSet::new());
        let (mut items, mut empty_pages) = (Vec::new(), 0);
        loop {
            let Page { results, next, .. } = page;
            empty_pages = if results.is_empty() { empty_pages + 1 } else { 0 };
            if !results.is_empty() && !contents.insert(fingerprint(&results)) {
                return Err(unreadable(endpoint, "two of its pages have the same items".to_owned(), None));
            }
            items.extend(results);
            self.check_items(items.len())?;
            let Some(next) = next else { break };
            if empty_pages >= MAX_EMPTY_PAGES {
                let problem = format!("{MAX_EMPTY_PAGES} of its pages in succession have no items, but a next page");
                return Err(unreadable(endpoint, problem, None));
            }
            let next = self.next_page(&next).map_err(|error| transport.hide_token(error))?;
            if !addresses.insert(next.clone()) {
                return Err(unreadable(endpoint, "its pages lead in a circle".to_owned(), None));
            }
            let body = self.read(&next).await?;
            page = if is_object(&body) {
                transport.decode(endpoint, &body)?
            } else {
                Page { count: None, results: transport.decode(endpoint, &body)?, next: None }
            };
        }
        Ok(join(&items))
    }

    /// A `next` link as an endpoint below the API root. A link to any other place is an error: the token must not go there.
    fn next_page(&self, next: &str) -> Result<Endpoint> {
        let endpoint = self.endpoint;
        let invalid =
            |error| unreadable(endpoint, format!("its next page is no link: {error}"), Some(Cause::from(error)));
        let root = Url::parse(self.transport.root()).map_err(invalid)?;
        let next = root.join(&endpoint.path).and_then(|list| list.join(next)).map_err(invalid)?;
        let path = next.path().strip_prefix(root.path()).filter(|_| next.origin() == root.origin());
        let path = path.ok_or_else(|| {
            let origin = next.origin().ascii_serialization();
            unreadable(
                endpoint,
                format!("its next page is at {origin}, not below {root}; the token does not go there"),
                None,
            )
        })?;
        Ok(Endpoint { method: Method::GET, path: path.to_owned(), query: next.query().map(str::to_owned) })
    }

    async fn read(&mut self, page: &Endpoint) -> Result<Bytes> {
        let page = self.read_if_changed(page, None).await?;
        Ok(page.expect("without an ETag, every response has a content").content)
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

/// What tells an item from others: its id, or else all of it.
fn name_of(item: &RawValue) -> String {
    let id = serde_json::from_str(item.get()).ok().and_then(|Identified { id }| id);
    id.unwrap_or(item).get().to_owned()
}

/// The items of all pages as one array, each as the service wrote it.
fn join(items: &[Box<RawValue>]) -> Bytes {
    let items: Vec<&str> = items.iter().map(|item| item.get()).collect();
    format!("[{}]", items.join(",")).into()
}

fn is_object(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'{')
}

fn fingerprint(items: &[Box<RawValue>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    items.iter().for_each(|item| item.get().hash(&mut hasher));
    hasher.finish()
}

fn unreadable(endpoint: &Endpoint, problem: String, source: Option<Cause>) -> Error {
    Error::Decode { request: endpoint.into(), problem, source }
}
