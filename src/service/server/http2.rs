//! A connection in HTTP/2, which answers many requests at the same time.
//!
//! What limits a connection in HTTP/1.1 holds here too: the time without a request, and the time in which a client reads nothing. Here a
//! client can also refuse to read one response while it reads others, and cancel requests as fast as it sends them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::service::http::Frontend;
use crate::service::limits::Limits;
use crate::service::peer::Peer;

/// The names and values of a request's headers.
const MAX_HEADER_BYTES: u32 = 64 * 1024;
/// What a client may send of all bodies before the service has read it. Enough for 50 Mbit/s over a way of 40 ms.
const RECEIVE_WINDOW: u32 = 256 * 1024;
/// How much of a response waits within HTTP/2 for the connection.
const MAX_SEND_BUFFER: usize = 256 * 1024;
/// How long a client may take to confirm that it sends no further request when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the limits of time are looked at.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Answers the requests of a connection until either end closes it.
pub async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    frontend: Frontend,
    peer: Arc<Peer>,
    limits: Arc<Limits>,
    mut draining: watch::Receiver<bool>,
) {
    let streams = Arc::new(Streams::new(limits.cancelled_requests_per_second));
    let (answering, sender, opened) = (frontend.clone(), peer.clone(), streams.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let unanswered = opened.begin();
        let answer = answering.clone().answer(request, Arc::new(sender.of_one_request()));
        async move { Ok::<_, Infallible>(unanswered.answered(answer.await).map(Body::new)) }
    });
    let max_streams = u32::try_from(limits.requests_per_connection).unwrap_or(u32::MAX);
    let mut connection = pin!(
        http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(max_streams)
            .max_header_list_size(MAX_HEADER_BYTES)
            .initial_stream_window_size(RECEIVE_WINDOW)
            .initial_connection_window_size(RECEIVE_WINDOW)
            .max_send_buf_size(MAX_SEND_BUFFER)
            .serve_connection(TokioIo::new(stream), service)
    );
    let idle_timeout = Duration::from_secs(limits.request_head_seconds);
    let mut checks = interval(CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // When the connection is closed although its client has not confirmed that it sends no further request.
    let mut closes_at = None;
    loop {
        let is_open = closes_at.is_none();
        tokio::select! {
            _ = connection.as_mut() => return,
            () = streams.too_many_cancelled() => return,
            _ = draining.wait_for(|draining| *draining), if is_open => {
                connection.as_mut().graceful_shutdown();
                closes_at = Some(Instant::now() + STOP_TIMEOUT);
            }
            _ = checks.tick() => {
                let max_stall = frontend.max_stall(&peer);
                if streams.longest_stall() >= max_stall {
                    return;
                }
                streams.forget_cancelled(CHECK_INTERVAL);
                match closes_at {
                    Some(time) if streams.idle_for().is_some() && Instant::now() >= time => return,
                    Some(_) => {}
                    None if peer.closes_next() || streams.idle_for().is_some_and(|time| time >= idle_timeout) => {
                        connection.as_mut().graceful_shutdown();
                        // The end of the last response may still be on its way.
                        closes_at = Some(Instant::now() + max_stall);
                    }
                    None => {}
                }
            }
        }
    }
}

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
        if is_waiting {
            waiting.insert(self.id, Instant::now())
        } else {
            waiting.remove(&self.id)
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
        self.stream.is_sent = self.is_end_stream();
        self.stream.set_waiting(!self.stream.is_sent);
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
