//! The client: one [`Client`] per account, one [`Project`] handle per project, one file per group of operations.
//!
//! Method, path and ids of every operation are in [`crate::model::operations`], and of a plain read the type of the response too.

mod api;
mod archive;
mod authority;
mod bad_rows;
mod cache;
mod cause;
mod config;
mod error;
mod external;
mod handles;
mod http;
mod joining;
mod parts;
mod reference;
mod token;
mod watch;

pub use api::Progress;
pub use api::costs::{CostOptions, CostSelection, ExternalFile, FileReader};
pub use api::diagrams::{DiagramFilter, SelectionKind};
pub use api::new_diagrams::{FeatureOutside, NewDiagram, Outside};
pub use api::room::ProjectMap;
pub use archive::{ArchiveOptions, SyncReport, Traffic};
pub use authority::{Authority, InvalidAuthority};
#[cfg(feature = "python")]
pub(crate) use bad_rows::BAD_ROWS;
pub use cause::Cause;
pub(crate) use cause::root_cause;
pub use config::{CacheSetting, Config, ConfigError};
#[cfg(feature = "python")]
pub(crate) use error::PANICKED;
pub(crate) use error::shown;
pub use error::{Advice, Attempts, Error, Request, Result};
#[cfg(feature = "cli")]
pub(crate) use error::{harmless, is_unseen};
pub use external::{ExternalFileError, ExternalLimits};
pub use handles::{Client, Project};
#[cfg(feature = "python")]
pub(crate) use http::IDLE_CONNECTION_TIMEOUT;
pub use http::{Forwarded, RequestBody};
pub use joining::JoinLink;
pub use parts::{
    DesignHandle, DiagramHandle, DiagramReference, Given, GivenDesign, MemberHandle, Part, Referred, SystemHandle,
    SystemReference, TeamHandle, TeamReference,
};
pub use reference::{Reference, Titled};
pub use token::{InvalidToken, Token};
pub use watch::{ChangeAction, ChangedId, ProjectChange, Watch};
