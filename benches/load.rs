//! Requests one resource repeatedly, or several in turn, over several connections. `rustc -O` builds it without dependencies.
//!
//!     load ADDRESS PATH TOKEN CONNECTIONS SECONDS [ETAG]
//!
//! With the ETag of what the client has, the service answers that it has not changed (304).
//! PATH may be @FILE, which has a path in each line; each connection begins at another one. Prints the requests per second, and the median and the 99th percentile of the latencies in milliseconds.

#![allow(clippy::panic, clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, path, token, connections, seconds, etag @ ..] = &arguments[..] else {
        panic!("load ADDRESS PATH TOKEN CONNECTIONS SECONDS [ETAG]")
    };
    let condition = etag.first().map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default();
    let connections: usize = connections.parse().expect("a number");
    let paths = match path.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file).expect("a file of paths"),
        None => path.clone(),
    };
    let request = |path: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\n{condition}\r\n")
    };
    let requests: std::sync::Arc<Vec<String>> = std::sync::Arc::new(paths.lines().map(request).collect());
    let duration = Duration::from_secs_f64(seconds.parse().expect("a number"));
    let start = Instant::now();
    let threads: Vec<_> = (0..connections)
        .map(|connection| {
            let (address, requests) = (address.clone(), requests.clone());
            let first = requests.len() * connection / connections;
            std::thread::spawn(move || send_requests(&address, &requests, first, start + duration))
        })
        .collect();
    let mut latencies: Vec<Duration> =
        threads.into_iter().flat_map(|thread| thread.join().expect("responses")).collect();
    let elapsed = start.elapsed().as_secs_f64();
    latencies.sort_unstable();
    let quantile = |q: f64| latencies[((latencies.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e3;
    println!("{:.1} {:.3} {:.3}", latencies.len() as f64 / elapsed, quantile(0.5), quantile(0.99));
}

/// Sends the requests in turn on one connection until a point in time; the latency of each response.
fn send_requests(address: &str, requests: &[String], first: usize, until: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).expect("a service");
    stream.set_nodelay(true).expect("a socket");
    let mut buffer = vec![0; 1 << 20];
    let mut latencies = Vec::new();
    for request in requests.iter().cycle().skip(first) {
        if Instant::now() >= until {
            break;
        }
        let start = Instant::now();
        stream.write_all(request.as_bytes()).expect("a connection");
        read_response(&mut stream, &mut buffer);
        latencies.push(start.elapsed());
    }
    latencies
}

/// Reads one response to its end. Panics if its status is neither 200 nor 304.
fn read_response(stream: &mut TcpStream, buffer: &mut [u8]) {
    let mut head = Vec::new();
    let (end, length) = loop {
        let read = stream.read(buffer).expect("a connection");
        assert!(read > 0, "the service closed the connection");
        head.extend_from_slice(&buffer[..read]);
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
        let size = buffer.len().min(left);
        let read = stream.read(&mut buffer[..size]).expect("a connection");
        assert!(read > 0, "the service closed the connection");
        left -= read;
    }
}
