//! Serves files from memory, so that a benchmark of a client spends as little time as possible in the server.
//!
//!     static_server FOLDER
//!
//! Prints its port. The response to `/api/v1/PATH/` is the file `PATH.json` below the folder. `PATH.count` has the number of items
//! of a list, which its response names as the service does: a client need not look for further pages.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let mut files = HashMap::new();
    collect(Path::new(&folder), "/api/v1", &mut files);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let files = Arc::new(files);
    for stream in listener.incoming().flatten() {
        let files = files.clone();
        std::thread::spawn(move || serve_connection(stream, &files));
    }
}

/// Adds the responses of a folder, head and body, by the path of their URL. `prefix` is the path of the folder.
fn collect(folder: &Path, prefix: &str, files: &mut HashMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if path.is_dir() {
            collect(&path, &format!("{prefix}/{name}"), files);
        } else if path.extension().is_some_and(|end| end == "json") {
            let body = std::fs::read(&path).expect("a file");
            let count = std::fs::read_to_string(path.with_extension("count"));
            let count = count.map(|count| format!("x-total-count: {count}\r\n")).unwrap_or_default();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{count}content-length: {}\r\n\r\n",
                body.len()
            );
            files.insert(format!("{prefix}/{name}/"), [head.into_bytes(), body].concat());
        }
    }
}

/// Responds to requests until the client closes the connection, for which it returns `None`.
fn serve_connection(mut stream: TcpStream, files: &HashMap<String, Vec<u8>>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    loop {
        line.clear();
        lines.read_line(&mut line).ok().filter(|&length| length > 0)?;
        let path = line.split(' ').nth(1)?.split('?').next()?.to_owned();
        while line != "\r\n" {
            line.clear();
            lines.read_line(&mut line).ok().filter(|&length| length > 0)?;
        }
        match files.get(&path) {
            Some(response) => stream.write_all(response).ok()?,
            None => stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").ok()?,
        }
    }
}
