//! A connection in HTTP/2, which answers many requests at the same time.
//!
//! What limits a connection in HTTP/1.1 holds here too: the time without a request, and the time in which a client reads nothing. Here a
//! client can also refuse to read one response while it reads others, and cancel requests as fast as it sends them.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::http2_streams::Streams;
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
