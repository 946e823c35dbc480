//! HTTP: sends requests with the token, repeats them where that is safe, and reads the responses.

mod attempt;
mod authorities;
mod certificate;
mod conditional;
mod connections;
mod cuts;
mod download;
mod encoding;
mod events;
mod paging;
mod proxy;
mod retry;
mod sending;
mod transport;

pub use attempt::WithEtag;
pub use authorities::authorities_of_environment;
pub use certificate::CertificateProblem;
pub use connections::CONCURRENCY;
pub use connections::IDLE_CONNECTION_TIMEOUT;
pub use cuts::{Identified, cut};
pub use events::{EventStream, Reading, ServerEvent};
pub use paging::MAX_PAGES;
pub use proxy::{Proxy, named, route};
pub use retry::advice_at_proxy;
pub use transport::{Forwarded, ReceivedFeatures, RequestBody, Transport};
