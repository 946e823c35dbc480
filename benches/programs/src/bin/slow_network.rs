//! A proxy that makes a connection on this machine as slow as one over a network.
//!
//!     slow_network HOST:PORT DELAY_MS MEGABITS
//!
//! Prints its port. Bytes arrive DELAY_MS after they were sent, at most MEGABITS per second in each direction of all connections
//! together. A connection begins with a round trip for the handshake of TCP. For each line on its input, the proxy prints the
//! number of the service's bytes that it has delivered so far.

#![allow(clippy::print_stdout)]

use std::collections::VecDeque;
use std::io::{BufRead, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Maximum lead of a sender over the line, like a router's queue.
const QUEUE: Duration = Duration::from_millis(20);
const PART: usize = 16 * 1024;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [service, delay, megabits] = arguments.first_chunk().expect("HOST:PORT DELAY_MS MEGABITS");
    let delay = Duration::from_millis(delay.parse().expect("milliseconds"));
    let bytes_per_second = megabits.parse::<f64>().expect("megabits per second") * 1e6 / 8.0;
    let lines = [(); 2].map(|()| Arc::new(Line::new(delay, bytes_per_second)));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let answers = lines[1].clone();
    spawn(move || {
        for _ in std::io::stdin().lock().lines() {
            println!("{}", answers.delivered.load(Ordering::SeqCst));
        }
    });
    for client in listener.incoming().flatten() {
        let [requests, answers] = lines.clone();
        let service = service.clone();
        // The client believes that it is connected. Its data wait until it would be.
        let connected = Instant::now() + 2 * delay;
        spawn(move || -> Option<()> {
            let service = TcpStream::connect(service).ok()?;
            client.set_nodelay(true).and_then(|()| service.set_nodelay(true)).ok()?;
            let (to_service, to_client) = (service.try_clone().ok()?, client.try_clone().ok()?);
            spawn(move || requests.carry(client, to_service, connected));
            answers.carry(service, to_client, connected);
            Some(())
        });
    }
}

/// One direction of the network.
struct Line {
    delay: Duration,
    bytes_per_second: f64,
    /// The time when all sent bytes have left.
    free: Mutex<Instant>,
    delivered: AtomicU64,
}

/// Data on its way on one connection, with its time of arrival; `None` is the end.
#[derive(Default)]
struct OnItsWay {
    parts: Mutex<VecDeque<(Instant, Option<Vec<u8>>)>>,
    changed: Condvar,
}

impl Line {
    fn new(delay: Duration, bytes_per_second: f64) -> Self {
        Line { delay, bytes_per_second, free: Mutex::new(Instant::now()), delivered: AtomicU64::new(0) }
    }

    /// Carries all bytes, until one end closes.
    fn carry(self: Arc<Self>, mut from: TcpStream, mut to: TcpStream, connected: Instant) {
        let way = Arc::new(OnItsWay::default());
        let (arriving, line) = (way.clone(), self.clone());
        let delivery = spawn(move || {
            loop {
                let (arrival, part) = arriving.next();
                sleep(arrival.saturating_duration_since(Instant::now()));
                let Some(part) = part else { break };
                if to.write_all(&part).is_err() {
                    break;
                }
                line.delivered.fetch_add(part.len() as u64, Ordering::SeqCst);
            }
            let _ = to.shutdown(Shutdown::Write);
        });
        let mut buffer = vec![0; PART];
        loop {
            let length = from.read(&mut buffer).unwrap_or(0);
            if length == 0 || delivery.is_finished() {
                break;
            }
            let sent = self.send(length, connected);
            way.add(sent + self.delay, Some(buffer[..length].to_vec()));
            sleep(sent.saturating_duration_since(Instant::now() + QUEUE));
        }
        way.add(Instant::now() + self.delay, None);
        let _ = delivery.join();
    }

    /// Sends bytes now; returns the time when they have left.
    fn send(&self, bytes: usize, connected: Instant) -> Instant {
        let mut free = self.free.lock().expect("no thread panics");
        let start = Instant::now().max(*free).max(connected);
        let sent = start + Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
        // One connection's handshake does not occupy the line.
        if connected <= Instant::now() {
            *free = sent;
        }
        sent
    }
}

impl OnItsWay {
    fn add(&self, arrival: Instant, part: Option<Vec<u8>>) {
        self.parts.lock().expect("no thread panics").push_back((arrival, part));
        self.changed.notify_one();
    }

    fn next(&self) -> (Instant, Option<Vec<u8>>) {
        let parts = self.parts.lock().expect("no thread panics");
        let mut parts = self.changed.wait_while(parts, |parts| parts.is_empty()).expect("no thread panics");
        parts.pop_front().expect("it was not empty")
    }
}
