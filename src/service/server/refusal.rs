//! The answer on a connection that the service cannot keep.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};

/// Refused connections that are open until their client has read why. While there are so many, no connection is accepted, until
/// one ends or the oldest is [`MIN_TIME`] old and is closed.
const MAX_REFUSALS: usize = 128;
const MIN_TIME: Duration = Duration::from_millis(50);
/// How long the request is waited for, and how long what follows it is read.
const MAX_WAIT: Duration = Duration::from_secs(1);
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// Connections that are being refused. They are closed when this is dropped.
#[derive(Default)]
pub struct Refusals {
    tasks: JoinSet<()>,
    /// The same with the time at which each began.
    oldest_first: VecDeque<(Instant, AbortHandle)>,
}

impl Refusals {
    /// Waits until a further connection can be refused.
    pub async fn place(&mut self) {
        while self.tasks.len() >= MAX_REFUSALS {
            self.oldest_first.retain(|(_, refusal)| !refusal.is_finished());
            let oldest = self.oldest_first.front().map_or_else(Instant::now, |(begin, _)| *begin);
            if timeout_at(oldest + MIN_TIME, self.tasks.join_next()).await.is_err()
                && let Some((_, oldest)) = self.oldest_first.pop_front()
            {
                oldest.abort();
                self.tasks.join_next().await;
            }
        }
    }

    /// Answers the request on a connection in plain http with 503.
    pub fn refuse(&mut self, stream: TcpStream, max_connections: u64) {
        let refusal = self.tasks.spawn(async move {
            let _ = answer(stream, &unavailable(max_connections)).await;
        });
        self.oldest_first.push_back((Instant::now(), refusal));
    }
}

fn unavailable(max_connections: u64) -> String {
    let body = format!(r#"{{"detail":"Too many connections; the limit connections is {max_connections}."}}"#);
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 1\r\n\
         cache-control: no-store\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A client may not expect a response before it has sent its request. Closing a connection with unread bytes resets it, and
/// the reset can reach the client before the response does.
async fn answer(mut stream: TcpStream, response: &str) -> io::Result<()> {
    let mut request = vec![0; MAX_REQUEST_BYTES];
    timeout(MAX_WAIT, stream.read(&mut request)).await??;
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await?;
    let drain = async { while stream.read(&mut request).await.is_ok_and(|length| length > 0) {} };
    Ok(timeout(MAX_WAIT, drain).await?)
}
