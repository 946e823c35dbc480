//! An embedded service for collaborative geodesign: the operations that a client calls, over a SQLite file, with pages for the room and OGC
//! API – Features.
//!
//! It runs on its own threads in any process, and several services can run in one process. It does not depend on the client: both take the
//! types that they exchange from the crate `geodesign`.
//!
//! The example starts a service, which has a demo project, and asks it for systems, diagrams and costs.
//!
//! ```
//! use geodesign_client::{Client, Config, CostOptions, CostSelection};
//! use geodesign_service::{Server, ServiceConfig};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = Server::start(ServiceConfig::default())?;
//! let token = service.store().issue_token(&"admin".parse()?)?;
//!
//! let client = Client::new(Config::new(token, service.url()))?;
//! let info = client.projects().await?.remove(0);
//! let project = client.project(info.id);
//! assert_eq!(project.systems().await?.len(), 9);
//!
//! let diagrams = project.diagrams().await?;
//! println!("{} features of {} diagrams", diagrams.len(), diagrams.diagram_ids().len());
//!
//! let report = project.costs(CostSelection::All, CostOptions::default()).await?;
//! for system in &report.systems {
//!     println!("{}: {:.1} ha, cost {:.0}, budget {:?}", system.name, system.area_ha, system.cost, system.budget);
//! }
//! # Ok(())
//! # }
//! ```

mod basemap;
mod byte_budget;
mod cql2;
mod demo;
mod http;
mod land;
mod limits;
mod load;
mod merge;
mod peer;
mod preview;
mod processes;
mod rate_limiter;
mod server;
mod setup;
mod store;
mod thumbnail;
mod upkeep;
mod workshops;

pub use basemap::{BasemapError, BasemapSource, InvalidTiles};
#[cfg(feature = "openapi")]
pub use http::openapi_document;
pub use http::{Cors, DEFAULT_PAGE_SIZE, HostName, InvalidHostName, InvalidOrigin, Origin, Paging, web_file};
pub use limits::{InvalidLimit, LimitChange, LimitExceeded, Limits, NamedLimit};
pub use load::{IsInterrupted, LoadError, LoadProblem, PreparedArchive};
pub use processes::Python;
pub use server::{
    CA_FILE, CertificateError, InvalidNetwork, ListenError, Network, Server, ServiceConfig, StartError, Tls,
    WorkshopServer, is_certificate_for, names_of_this_machine,
};
pub use setup::{
    Accounts, MAX_SYSTEMS, MapFileError, MapReader, Setup, SetupError, read_evaluation_file, read_map_file,
};
pub use store::{
    Account, InputError, NewToken, OPERATOR, ProjectKey, Reader, Store, StoreError, Writer, backup_file,
    check_backup_target, is_of_sqlite,
};
pub use upkeep::Backups;
pub use workshops::{
    CreatedWorkshop, FolderLock, FoundWorkshops, InvalidWorkshopName, NewWorkshop, RunningService, WorkshopError,
    WorkshopFolder, WorkshopName,
};

/// The path prefix of every operation; in a service of many workshops, it follows the workshop's prefix.
pub const ROOT: &str = "/api/v1";
/// The path of OGC API – Features, in the same place.
pub const OGC: &str = "/ogc";
