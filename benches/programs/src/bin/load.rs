//! Requests one resource repeatedly, or several in turn, over several connections.
//!
//!     load ADDRESS PATH TOKEN CONNECTIONS SECONDS [etag=ETAG] [rate=RATE]
//!
//! PATH may be @FILE, a file with a path in each line; each connection begins at another one. It may be each:FILE, a file with a path
//! and a token in each line; each connection stays at one of them. With the ETag of the client's copy, the service responds that it
//! has not changed (304). RATE is the number of requests per second of all connections together; a latency begins when its request
//! was due. The time begins when each connection has had a response. Prints the requests per second, and the median and the 99th
//! percentile of the latencies in milliseconds.

#![allow(clippy::panic, clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, path, token, connections, seconds, options @ ..] = &arguments[..] else {
        panic!("load ADDRESS PATH TOKEN CONNECTIONS SECONDS [etag=ETAG] [rate=RATE]")
    };
    let option = |name: &str| options.iter().find_map(|option| option.strip_prefix(name));
    let condition = option("etag=").map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default();
    let connections: usize = connections.parse().expect("a number");
    let (file, stays) = (path.strip_prefix('@'), path.strip_prefix("each:"));
    let paths = match file.or(stays) {
        Some(file) => std::fs::read_to_string(file).expect("a file of paths"),
        None => path.clone(),
    };
    let request = |line: &str| {
        let (path, token) = line.split_once(' ').unwrap_or((line, token));
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\n{condition}\r\n")
    };
    let requests: Vec<String> = paths.lines().map(request).collect();
    let rate = option("rate=").map(|rate| rate.parse::<f64>().expect("a number"));
    let interval = rate.map(|rate| Duration::from_secs_f64(connections as f64 / rate));
    let duration = Duration::from_secs_f64(seconds.parse().expect("a number"));
    let warm = Arc::new(Barrier::new(connections + 1));
    let threads: Vec<_> = (0..connections)
        .map(|connection| {
            let mut own = requests.clone();
            let first = own.len() * connection / connections;
            own.rotate_left(first);
            own.truncate(if stays.is_some() { 1 } else { own.len() });
            let pace = interval.map(|interval| (interval.mul_f64(connection as f64 / connections as f64), interval));
            let (address, warm) = (address.clone(), warm.clone());
            let send = move || {
                let mut connection = Connection::open(&address);
                connection.request(&own[0]);
                warm.wait();
                send_requests(connection, &own, pace, duration)
            };
            std::thread::Builder::new().stack_size(128 * 1024).spawn(send).expect("a thread")
        })
        .collect();
    warm.wait();
    let start = Instant::now();
    let mut latencies: Vec<Duration> =
        threads.into_iter().flat_map(|thread| thread.join().expect("responses")).collect();
    let elapsed = start.elapsed().as_secs_f64();
    latencies.sort_unstable();
    let quantile = |q: f64| latencies[((latencies.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e3;
    println!("{:.1} {:.3} {:.3}", latencies.len() as f64 / elapsed, quantile(0.5), quantile(0.99));
}

/// Sends the requests in turn on one connection for some time; returns the latency of each response. `pace` is the wait before the
/// first request, and the time between two.
fn send_requests(
    mut connection: Connection,
    requests: &[String],
    pace: Option<(Duration, Duration)>,
    duration: Duration,
) -> Vec<Duration> {
    let begin = Instant::now();
    let until = begin + duration;
    let mut latencies = Vec::new();
    let mut due = pace.map(|(first, _)| begin + first);
    for request in requests.iter().cycle() {
        if let Some(due) = due {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        let start = due.unwrap_or_else(Instant::now);
        if start >= until || Instant::now() >= until {
            break;
        }
        connection.request(request);
        latencies.push(start.elapsed());
        due = due.zip(pace).map(|(due, (_, interval))| due + interval);
    }
    latencies
}

/// A connection for one request after the other.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("a service");
        stream.set_nodelay(true).expect("a socket");
        Connection { stream, buffer: vec![0; 1 << 20] }
    }

    /// Sends a request, and reads its response to the end. Panics if its status is neither 200 nor 304.
    fn request(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).expect("a connection");
        let mut head = Vec::new();
        let (end, length) = loop {
            let read = self.read(usize::MAX);
            head.extend_from_slice(&self.buffer[..read]);
            if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                let text = String::from_utf8_lossy(&head[..end]).to_ascii_lowercase();
                if text.starts_with("http/1.1 304") {
                    break (end + 4, 0);
                }
                assert!(text.starts_with("http/1.1 200"), "{text}");
                let length = text.split("content-length: ").nth(1).expect("a length");
                break (end + 4, length.split("\r\n").next().expect("a length").parse::<usize>().expect("a length"));
            }
        };
        let mut left = (end + length).saturating_sub(head.len());
        while left > 0 {
            left -= self.read(left);
        }
    }

    /// Reads at most `most` bytes into the buffer; returns their number.
    fn read(&mut self, most: usize) -> usize {
        let size = self.buffer.len().min(most);
        let read = self.stream.read(&mut self.buffer[..size]).expect("a connection");
        assert!(read > 0, "the service closed the connection");
        read
    }
}
