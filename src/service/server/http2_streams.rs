//! The requests of one connection in HTTP/2: which of their responses wait for the client, and how many it has cancelled.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// A response is handed to HTTP/2 in such parts, so that what a client has not read is seen here.
const MAX_PART: usize = 64 * 1024;
/// How many seconds' worth of requests a client may cancel at once.
const BURST_SECONDS: u64 = 5;

/// All requests of a connection.
pub struct Streams {
    /// For each response of which a part waits for the client to read, since when.
    waiting: Mutex<BTreeMap<u64, Instant>>,
    next_id: AtomicU64,
    /// Requests whose response has not been sent.
    open: AtomicUsize,
    /// When the last request ended, or the connection began.
    last_end: Mutex<Instant>,
    /// Requests that the client has cancelled of late.
    cancelled: AtomicU64,
    max_cancelled_per_second: u64,
    too_many_cancelled: Notify,
}

/// A request without a response.
pub struct Unanswered(Stream);

/// A request until its response was sent.
struct Stream {
    streams: Arc<Streams>,
    id: u64,
    is_sent: bool,
}

/// The body of a response, in parts of [`MAX_PART`] or less.
pub struct SentBody {
    body: Body,
    /// What is left of the last part of `body`.
    rest: Bytes,
    stream: Stream,
}

impl Streams {
    pub fn new(max_cancelled_per_second: u64) -> Self {
        Streams {
            waiting: Mutex::default(),
            next_id: AtomicU64::new(0),
            open: AtomicUsize::new(0),
            last_end: Mutex::new(Instant::now()),
            cancelled: AtomicU64::new(0),
            max_cancelled_per_second,
            too_many_cancelled: Notify::new(),
        }
    }

    pub fn begin(self: &Arc<Self>) -> Unanswered {
        self.open.fetch_add(1, Ordering::Relaxed);
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        Unanswered(Stream { streams: self.clone(), id, is_sent: false })
    }

    /// How long ago the last request ended. `None` while there is one without a response, or with one that has not been sent.
    pub fn idle_for(&self) -> Option<Duration> {
        (self.open.load(Ordering::Relaxed) == 0).then(|| self.last_end.lock().elapsed())
    }

    /// For how long a response has waited for the client to read a part of it.
    pub fn longest_stall(&self) -> Duration {
        self.waiting.lock().values().map(Instant::elapsed).max().unwrap_or_default()
    }

    /// Ready when the client has cancelled more requests than it may.
    pub async fn too_many_cancelled(&self) {
        self.too_many_cancelled.notified().await;
    }

    /// Of the cancelled requests, forgets those that a client may cancel in this time.
    pub fn forget_cancelled(&self, time: Duration) {
        let forgotten = (self.max_cancelled_per_second as f64 * time.as_secs_f64()).ceil() as u64;
        let less = |cancelled: u64| Some(cancelled.saturating_sub(forgotten));
        let _ = self.cancelled.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

impl Unanswered {
    pub fn answered(self, response: Response) -> http::Response<SentBody> {
        response.map(|body| {
            let Unanswered(mut stream) = self;
            // HTTP/2 asks an empty body for nothing.
            stream.is_sent = body.is_end_stream();
            stream.set_waiting(!stream.is_sent);
            SentBody { body, rest: Bytes::new(), stream }
        })
    }
}

impl Stream {
    fn set_waiting(&self, is_waiting: bool) {
        let mut waiting = self.streams.waiting.lock();
        match is_waiting {
            true => waiting.insert(self.id, Instant::now()),
            false => waiting.remove(&self.id),
        };
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.set_waiting(false);
        *self.streams.last_end.lock() = Instant::now();
        self.streams.open.fetch_sub(1, Ordering::Relaxed);
        if self.is_sent {
            return;
        }
        let cancelled = self.streams.cancelled.fetch_add(1, Ordering::Relaxed) + 1;
        if cancelled > self.streams.max_cancelled_per_second * BURST_SECONDS {
            self.streams.too_many_cancelled.notify_one();
        }
    }
}

impl HttpBody for SentBody {
    type Data = Bytes;
    type Error = axum::Error;

    /// HTTP/2 asks for the next part once the client has made room for it.
    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.stream.set_waiting(false);
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    self.stream.is_sent = true;
                    return Poll::Ready(None);
                }
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(MAX_PART);
        let part = self.rest.split_to(length);
        match self.is_end_stream() {
            true => self.stream.is_sent = true,
            false => self.stream.set_waiting(true),
        }
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        hint.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}
