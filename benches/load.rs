//! Asks one resource again and again over some connections. Built by `rustc -O` alone.
//!
//!     load ADDRESS PATH TOKEN CONNECTIONS SECONDS
//!
//! Prints requests per second, and the median and the 99th percentile of their latencies in milliseconds.

#![allow(clippy::panic, clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, path, token, connections, seconds] = &arguments[..] else { panic!("five arguments") };
    let connections: usize = connections.parse().expect("a number");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {token}\r\n\r\n");
    let time = Duration::from_secs_f64(seconds.parse().expect("a number"));
    let begun = Instant::now();
    let asking: Vec<_> = (0..connections)
        .map(|_| {
            let (address, request) = (address.clone(), request.clone());
            std::thread::spawn(move || ask(&address, request.as_bytes(), begun + time))
        })
        .collect();
    let mut latencies: Vec<Duration> = asking.into_iter().flat_map(|thread| thread.join().expect("answers")).collect();
    let elapsed = begun.elapsed().as_secs_f64();
    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{:.1} {:.3} {:.3}", latencies.len() as f64 / elapsed, at(0.5), at(0.99));
}

fn ask(address: &str, request: &[u8], until: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).expect("a service");
    stream.set_nodelay(true).expect("a socket");
    let mut buffer = vec![0; 1 << 20];
    let mut latencies = Vec::new();
    while Instant::now() < until {
        let begun = Instant::now();
        stream.write_all(request).expect("a connection");
        read_answer(&mut stream, &mut buffer);
        latencies.push(begun.elapsed());
    }
    latencies
}

/// Reads one answer to its end; one that is no 200 ends the program.
fn read_answer(stream: &mut TcpStream, buffer: &mut [u8]) {
    let mut head = Vec::new();
    let (end, length) = loop {
        let read = stream.read(buffer).expect("a connection");
        assert!(read > 0, "the service hung up");
        head.extend_from_slice(&buffer[..read]);
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&head[..end]).to_ascii_lowercase();
            assert!(text.starts_with("http/1.1 200"), "{text}");
            let length = text.split("content-length: ").nth(1).expect("a length");
            break (end + 4, length.split("\r\n").next().expect("a length").parse::<usize>().expect("a length"));
        }
    };
    let mut left = (end + length).saturating_sub(head.len());
    while left > 0 {
        let room = buffer.len().min(left);
        let read = stream.read(&mut buffer[..room]).expect("a connection");
        assert!(read > 0, "the service hung up");
        left -= read;
    }
}
