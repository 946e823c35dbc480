//! Where the operations stand.

/// The path that every operation stands below; in a service of many workshops, after the prefix of its workshop.
pub const ROOT: &str = "/api/v1";
