//! Responds with files from memory: a limit for what a service on hyper can reach.
//!
//!     FOLDER=path hyper_constant PORT
//!
//! The response to `/…/NAME/` is the file `NAME` of the folder.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::{env, fs};

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

type Files = HashMap<String, Bytes>;

#[tokio::main]
async fn main() {
    let files = Arc::new(read_files(&env::var("FOLDER").expect("a path in FOLDER")));
    let port = env::args().nth(1).expect("a port");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("a free port");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        let files = files.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = respond(&files, &request);
                async { Ok::<_, Infallible>(response) }
            });
            // An error is a client that closed its connection.
            http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
        });
    }
}

fn read_files(folder: &str) -> Files {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("a file").into())
    };
    entries.map(file).collect()
}

fn respond(files: &Files, request: &Request<Incoming>) -> Response<Body> {
    let name = request.uri().path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let Some(json) = files.get(name) else {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let mut response = Response::new(Body::from(json.clone()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
