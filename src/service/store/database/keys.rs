//! Keys of rows, which only have a meaning in their own database.

/// The key of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UserKey(pub(in crate::service) i64);

/// The key of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProjectKey(pub(in crate::service) i64);
