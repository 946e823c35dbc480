//! The client of a geodesign service: one [`Client`] per account, one [`Project`] handle per project.
//!
//! It covers settings, transport, retries, paging, caching, watching projects and archiving them. [`geodesign::model::operations`]
//! defines its requests: method, path and ids of every operation, and for a plain read also the type of the response. It has no code of
//! the service.
//!
//! ```
//! use geodesign_client::{Client, Config, CostOptions, CostSelection, Error};
//!
//! async fn costs_per_system(url: &str, token: &str) -> Result<Vec<(String, f64)>, Error> {
//!     let client = Client::new(Config::new(token, url))?;
//!     let info = client.projects().await?.remove(0);
//!     let report = client.project(info.id).costs(CostSelection::All, CostOptions::default()).await?;
//!     Ok(report.systems.into_iter().map(|system| (system.name, system.cost)).collect())
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! // A token is sent over https alone, and in plain http to this machine.
//! let refused = costs_per_system("http://example.org/api/v1/", "a-token").await;
//! assert!(matches!(refused, Err(Error::Configuration(_))));
//! # });
//! ```

// For its macros `operations_table!` and `summary!`: where a procedural macro reads `#[doc = summary!(…)]`, the compiler cannot resolve an import.
#[macro_use]
extern crate geodesign;

mod advice;
mod api;
mod archive;
mod authority;
mod bad_rows;
mod cache;
mod cause;
mod config;
mod error;
mod external;
mod external_error;
mod given_proxy;
mod handles;
mod headers;
mod http;
mod joining;
mod profile;
mod project_parts;
mod reference;
mod saved_login;
mod token;
mod watch;

pub use advice::Advice;
pub use api::Progress;
pub use api::chosen::{CostSelection, SelectionKind};
pub use api::costs::{CostOptions, ExternalFile, FileReader};
pub use api::diagrams::DiagramFilter;
pub use api::edits::ProjectMap;
pub use api::impacts::{GivenRow, ImpactMatrix};
pub use api::new_diagrams::{FeatureOutside, NewDiagram, Outside};
pub use api::people::Identity;
pub use api::quantities::GivenQuantities;
pub use archive::{ArchiveOptions, SyncReport, Traffic};
pub use authority::{Authority, InvalidAuthority};
pub use bad_rows::BAD_ROWS;
pub use cause::{Cause, HttpFault, root_cause};
pub use config::{CacheSetting, Config, ConfigError};
pub use error::{Attempts, Error, PANICKED, Request, Result, harmless, is_unseen, shown};
pub use external::ExternalLimits;
pub use external_error::ExternalFileError;
pub use given_proxy::{GivenProxy, InvalidProxy};
pub use handles::{Client, Project};
pub use headers::read_headers;
pub use http::{Forwarded, IDLE_CONNECTION_TIMEOUT, RequestBody};
pub use joining::JoinLink;
pub use profile::{LoginError, Profile, variable};
pub use project_parts::{DesignHandle, DiagramHandle, Given, MemberHandle, Part, Referred, SystemHandle, TeamHandle};
pub use reference::{
    DiagramReference, GivenDesign, Reference, SystemReference, TeamReference, Titled, Unclear, among, listing,
};
pub use saved_login::{SavedLogin, api_root};
pub use token::{InvalidToken, Token};
pub use watch::{ChangeAction, ChangedId, ProjectChange, Watch};
