//! A time limit for peers that stop reading, or read too slowly.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::service::peer::Peer;

/// A peer that accepts this many bytes is not stalled.
const MIN_PROGRESS: usize = 64 * 1024;
/// How often the limit is asked for while a peer reads nothing.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// A stream whose writes fail with [`io::ErrorKind::TimedOut`] when its peer takes longer than `max_stall` to accept
/// [`MIN_PROGRESS`] of a response. The limit may change meanwhile.
pub struct WriteStallTimeout<T, F> {
    stream: T,
    peer: Arc<Peer>,
    max_stall: F,
    stall: Option<Stall>,
    /// Wakes the task of the connection while a write is pending.
    timer: Option<Pin<Box<Sleep>>>,
}

/// What the peer has accepted since a write was pending.
struct Stall {
    since: Instant,
    accepted: usize,
    /// The number of the request whose response it is.
    request: u64,
}

impl<T: AsyncRead + AsyncWrite + Unpin, F: Fn() -> Duration + Unpin> WriteStallTimeout<T, F> {
    pub fn new(stream: T, peer: Arc<Peer>, max_stall: F) -> Self {
        WriteStallTimeout { stream, peer, max_stall, stall: None, timer: None }
    }

    /// `accepted` is how many bytes a result says were accepted.
    fn poll_with_timeout<R>(
        &mut self,
        cx: &mut Context<'_>,
        poll: impl FnOnce(Pin<&mut T>, &mut Context<'_>) -> Poll<io::Result<R>>,
        accepted: impl FnOnce(&R) -> usize,
    ) -> Poll<io::Result<R>> {
        let result = poll(Pin::new(&mut self.stream), cx);
        match result {
            Poll::Ready(result) => {
                if self.timer.take().is_some() {
                    self.peer.set_sending(false);
                }
                if let (Some(stall), Ok(result)) = (&mut self.stall, &result) {
                    stall.accepted += accepted(result);
                    if stall.accepted >= MIN_PROGRESS {
                        self.stall = None;
                    }
                }
                Poll::Ready(result)
            }
            Poll::Pending => {
                ready!(self.poll_stalled(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    /// Ready when the peer has been stalled for too long.
    fn poll_stalled(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.peer.set_sending(true);
        let request = self.peer.requests();
        let stall = self.stall.take().filter(|stall| stall.request == request);
        let since = self.stall.insert(stall.unwrap_or(Stall { since: Instant::now(), accepted: 0, request })).since;
        loop {
            let timer = self.timer.get_or_insert_with(|| {
                let left = (self.max_stall)().saturating_sub(since.elapsed());
                Box::pin(sleep(left.min(CHECK_INTERVAL)))
            });
            ready!(timer.as_mut().poll(cx));
            if since.elapsed() >= (self.max_stall)() {
                return Poll::Ready(());
            }
            self.timer = None;
        }
    }
}

impl<T: AsyncRead + Unpin, F: Unpin> AsyncRead for WriteStallTimeout<T, F> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin, F: Fn() -> Duration + Unpin> AsyncWrite for WriteStallTimeout<T, F> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_write(cx, bytes), |written| *written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_write_vectored(cx, slices), |written| *written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_flush(cx), |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_shutdown(cx), |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    const MAX_STALL: Duration = Duration::from_millis(300);

    fn limited(buffer: usize) -> (DuplexStream, WriteStallTimeout<DuplexStream, impl Fn() -> Duration>) {
        let (peer, stream) = duplex(buffer);
        (peer, WriteStallTimeout::new(stream, Arc::new(Peer::new([127, 0, 0, 1].into())), || MAX_STALL))
    }

    #[tokio::test]
    async fn a_write_fails_when_the_peer_reads_nothing_and_succeeds_while_it_reads() {
        let (mut peer, mut stream) = limited(4);
        let mut received = [0; 8];
        let (written, read) = tokio::join!(stream.write_all(b"accepted"), peer.read_exact(&mut received));
        assert!(written.is_ok() && read.is_ok());
        let stalled = stream.write_all(b"never accepted").await.unwrap_err();
        assert_eq!(stalled.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_peer_that_reads_byte_by_byte_is_stalled_too() {
        let (mut peer, mut stream) = limited(4);
        let trickle = async {
            while peer.read_u8().await.is_ok() {
                tokio::time::sleep(MAX_STALL / 10).await;
            }
        };
        tokio::select! {
            written = stream.write_all(&[0; 1000]) => assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut),
            () = trickle => unreachable!("the stream is open"),
        }
    }
}
