//! Conversations: how many at once, how slow a peer may be, and how they end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, Sleep, sleep};

use super::listener::{Connection, Listener};
use crate::service::http::Operations;

/// Below the 1024 files that systems let a process open, with room for the database.
const MAX_CONNECTIONS: usize = 800;
/// How long a connection may be without a request, or with the head of one unfinished. Clients give theirs up before.
const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// When all connections are taken, the one that is longest without a request makes room, but not before this.
const MIN_IDLE_TIME: Duration = Duration::from_secs(10);
const FULL_RECHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How long a peer may take nothing of its answer.
const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Answers whoever comes, until it is to stop; then finishes the answers under way.
pub async fn serve(mut listener: Listener, operations: Operations, stop: impl Future<Output = ()>) {
    let (draining, _) = watch::channel(false);
    let begun = Instant::now();
    let mut conversations = JoinSet::new();
    let mut peers: Vec<Peer> = Vec::new();
    let mut stop = pin!(stop);
    loop {
        let full = conversations.len() >= MAX_CONNECTIONS;
        tokio::select! {
            () = &mut stop => break,
            Some(_) = conversations.join_next() => peers.retain(|peer| !peer.conversation.is_finished()),
            () = sleep(FULL_RECHECK_INTERVAL), if full => drop_longest_idle(&peers, begun),
            connection = listener.accept(), if !full => {
                let activity = Arc::new(Activity::new(begun));
                let talk = serve_connection(connection, operations.clone(), activity.clone(), draining.subscribe());
                peers.push(Peer { conversation: conversations.spawn(talk), activity });
            }
        }
    }
    drop(listener);
    draining.send_replace(true);
    while conversations.join_next().await.is_some() {}
}

struct Peer {
    conversation: AbortHandle,
    activity: Arc<Activity>,
}

/// What a peer is doing.
struct Activity {
    begun: Instant,
    /// Requests that are being answered.
    answering: AtomicUsize,
    /// Milliseconds from the beginning to its last request, or to when it came.
    last: AtomicU64,
}

impl Activity {
    fn new(begun: Instant) -> Self {
        let activity = Activity { begun, answering: AtomicUsize::new(0), last: AtomicU64::new(0) };
        activity.touch();
        activity
    }

    fn touch(&self) {
        self.last.store(self.begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Counts a request until the guard is dropped.
    fn request(self: &Arc<Self>) -> Answering {
        self.touch();
        self.answering.fetch_add(1, Ordering::Relaxed);
        Answering(self.clone())
    }
}

struct Answering(Arc<Activity>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.touch();
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

fn drop_longest_idle(peers: &[Peer], begun: Instant) {
    let late = begun.elapsed().saturating_sub(MIN_IDLE_TIME).as_millis() as u64;
    let idle = peers.iter().filter(|peer| peer.activity.answering.load(Ordering::Relaxed) == 0);
    let longest = idle.min_by_key(|peer| peer.activity.last.load(Ordering::Relaxed));
    if let Some(peer) = longest.filter(|peer| peer.activity.last.load(Ordering::Relaxed) <= late) {
        peer.conversation.abort();
    }
}

async fn serve_connection(
    connection: Connection,
    operations: Operations,
    activity: Arc<Activity>,
    mut draining: watch::Receiver<bool>,
) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let answering = activity.request();
        let operations = operations.clone();
        async move {
            let response = operations.answer(request).await;
            drop(answering);
            Ok::<_, Infallible>(response)
        }
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(WriteStallTimeout::new(connection)), answer);
    let mut conversation = pin!(conversation);
    tokio::select! {
        _ = conversation.as_mut() => return,
        _ = draining.wait_for(|draining| *draining) => conversation.as_mut().graceful_shutdown(),
    }
    let _ = conversation.await;
}

/// A connection that breaks when its peer takes nothing for too long.
struct WriteStallTimeout {
    connection: Connection,
    /// Runs while nothing is taken.
    patience: Option<Pin<Box<Sleep>>>,
}

impl WriteStallTimeout {
    fn new(connection: Connection) -> Self {
        WriteStallTimeout { connection, patience: None }
    }

    fn poll_taken<T>(
        &mut self,
        cx: &mut Context<'_>,
        poll: impl FnOnce(Pin<&mut Connection>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match poll(Pin::new(&mut self.connection), cx) {
            Poll::Ready(taken) => {
                self.patience = None;
                Poll::Ready(taken)
            }
            Poll::Pending => {
                let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(WRITE_STALL_TIMEOUT)));
                ready!(patience.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for WriteStallTimeout {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteStallTimeout {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_taken(cx, |connection, cx| connection.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_taken(cx, |connection, cx| connection.poll_write_vectored(cx, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_taken(cx, |connection, cx| connection.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_taken(cx, |connection, cx| connection.poll_shutdown(cx))
    }
}
