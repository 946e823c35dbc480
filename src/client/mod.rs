//! The client: one [`Client`] per account, one [`Project`] handle per project, one file per group of operations.
//!
//! Method, path and ids of every operation are in [`crate::model::operations`]. A method of the client adds the checks of what
//! is sent and the type of what is answered.

mod api;
mod config;
mod error;
mod failure;
mod handles;
mod paging;
mod retry;
mod token;
mod transport;

pub use api::costs::CostSelection;
pub use api::new_diagrams::NewDiagram;
pub use api::progress::Progress;
pub use api::selections::SelectionKind;
pub use config::Config;
pub use error::{Error, Request, Result};
pub use handles::{Client, Project};
pub use token::Token;
#[cfg(feature = "python")]
pub(crate) use transport::IDLE_CONNECTIONS_LIVE;
