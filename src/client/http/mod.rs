//! HTTP: sends requests with the token, repeats them where that is safe, and reads the responses.

mod archived;
mod body;
mod certificate_error;
mod connections;
mod decode;
mod paging;
mod redirect;
mod request;
mod retry;
mod transport;

pub use connections::IDLE_CONNECTION_TIMEOUT;
pub use transport::Transport;
