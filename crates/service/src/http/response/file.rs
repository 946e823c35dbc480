//! A file as a response: read while it is sent, so that only a piece of it is in memory, and then removed.

use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use tempfile::TempDir;

use super::Uncompressed;
use geodesign_common::blocking;

const PIECE_BYTES: usize = 256 * 1024;

/// The kind of file in a response.
pub trait FileKind: 'static {
    const CONTENT_TYPE: &'static str;
    /// The name under which a program stores it by default.
    const NAME: &'static str;
}

/// A copy of the database.
pub struct Database;

impl FileKind for Database {
    const CONTENT_TYPE: &'static str = "application/vnd.sqlite3";
    const NAME: &'static str = "backup.sqlite";
}

/// An archive of a project.
pub struct ProjectArchive;

impl FileKind for ProjectArchive {
    const CONTENT_TYPE: &'static str = "application/zip";
    const NAME: &'static str = "project.zip";
}

/// A file that a program is to store.
pub struct FileResponse<Kind> {
    content: FileContent,
    bytes: u64,
    kind: PhantomData<fn() -> Kind>,
}

impl<Kind: FileKind> FileResponse<Kind> {
    /// Opens a file in a folder that is removed once the file is sent.
    pub fn open(folder: TempDir, path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let content = FileContent { next: next_piece(file), _folder: folder };
        Ok(FileResponse { content, bytes, kind: PhantomData })
    }
}

impl<Kind: FileKind> IntoResponse for FileResponse<Kind> {
    fn into_response(self) -> Response {
        let disposition = format!("attachment; filename=\"{}\"", Kind::NAME);
        let mut response = Response::new(Body::new(self.content));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(Kind::CONTENT_TYPE));
        headers.insert(header::CONTENT_LENGTH, self.bytes.into());
        headers.extend(HeaderValue::try_from(disposition).ok().map(|value| (header::CONTENT_DISPOSITION, value)));
        response.extensions_mut().insert(Uncompressed);
        response
    }
}

/// The rest of a file with its next piece, which is empty at its end.
type Piece = io::Result<(File, Vec<u8>)>;

struct FileContent {
    next: Pin<Box<dyn Future<Output = Piece> + Send>>,
    _folder: TempDir,
}

fn next_piece(mut file: File) -> Pin<Box<dyn Future<Output = Piece> + Send>> {
    let read = move || {
        let mut piece = vec![0; PIECE_BYTES];
        let length = file.read(&mut piece)?;
        piece.truncate(length);
        Ok((file, piece))
    };
    Box::pin(async move { blocking::run(read).await.unwrap_or_else(|error| Err(io::Error::other(error))) })
}

impl HttpBody for FileContent {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(match ready!(self.next.as_mut().poll(cx)) {
            Ok((_, piece)) if piece.is_empty() => None,
            Ok((file, piece)) => {
                self.next = next_piece(file);
                Some(Ok(Frame::data(piece.into())))
            }
            Err(error) => Some(Err(error)),
        })
    }
}
