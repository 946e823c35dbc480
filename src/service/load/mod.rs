//! Loading an archived project into a database, so that the service answers as its origin did and takes changes.
//!
//! What the archive tells becomes rows. A database for the purpose is filled with them first, and asked all that was archived:
//! where it answers otherwise than the origin did, both answers are stored with the project. The service answers with the
//! origin's, and carries over to it what changes from then on (`http/response/origin.rs`).

mod answers;
mod archived;
mod content;
mod diagrams;
mod differences;
mod error;
mod interrupt;
mod limits;
mod prepared;
mod rows;

pub use error::{LoadError, LoadProblem};
pub use interrupt::IsInterrupted;
pub use prepared::PreparedArchive;
