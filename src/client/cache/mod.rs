//! What a client keeps of earlier responses, so that the service need not send again what has not changed.
//!
//! Every read still asks the service, which answers 304 where the response would be the one that is kept (RFC 9110, 13.1.2). So
//! nothing here can be out of date.

mod folder;
mod kept;
mod memory;
mod response_cache;
mod setting;

pub use kept::KeptResponse;
pub use response_cache::ResponseCache;
pub use setting::CacheSetting;
