//! The permission to carry out an operation.
//!
//! The first argument of every handler is an [`Access`]. Extracting it only reads the request. The database is asked by
//! [`Access::grant`] in the transaction that answers: this takes one lock less than to ask before, and nothing changes between
//! the permission and the answer.

use std::sync::Arc;

use crate::model::operations::PathIds;
use crate::service::http::error::Result;
use crate::service::peer::Peer;
use crate::service::store::{DatabaseNumber, Digest, Permit, Reader, UserKey};

/// What a request says of its sender and, in its path, of what it is about.
pub trait Access: Clone + Send + 'static {
    /// The ids in the path of the operation.
    type Ids: PathIds;
    /// What the handler learns from the database once the access is granted.
    type Granted: Granted;

    fn grant(self, read: &Reader) -> Result<Self::Granted>;

    /// The other end of the connection of the request, which every request that came over a connection has.
    fn peer(&self) -> Option<&Arc<Peer>>;

    /// Whether [`Access::grant`] ends the request where the client has the answer already.
    fn is_conditional(&self) -> bool {
        false
    }

    /// A digest of all that the answer depends on beside the database. `None` where the answer is not cached.
    fn answer_key(&self) -> Option<Digest> {
        None
    }

    /// What [`Access::grant`] does beside reading, for an answer that is as the database would give it once more.
    fn grant_again(&self, _database: DatabaseNumber, _permit: &Permit) -> Result<()> {
        Ok(())
    }
}

/// What the database confirmed of the sender of a request.
pub trait Granted {
    fn user(&self) -> UserKey;

    /// What to check before the answer is given again; `None` where it is not.
    fn permit(&self) -> Option<Arc<Permit>> {
        None
    }
}
