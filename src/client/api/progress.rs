//! The progress of a call that sends many requests.

/// Is told how far a call is that sends many requests.
pub trait Progress {
    /// The number of requests, before the first of them.
    fn expect(&self, total: usize);
    /// One more request has its answer.
    fn advance(&self);
}
