//! HTTP: sends requests with the token, repeats them where that is safe, and reads the responses.

mod archived;
mod body;
mod certificate_error;
mod conditional;
mod connections;
mod decode;
mod event_parser;
mod event_stream;
mod http_client;
mod pace;
mod paging;
mod redirect;
mod request;
mod retry;
mod reuse;
mod transport;

pub use conditional::Tagged;
pub use connections::{CONCURRENCY, IDLE_CONNECTION_TIMEOUT};
pub use event_parser::ServerEvent;
pub use event_stream::EventStream;
pub use http_client::HttpError;
pub use transport::Transport;
