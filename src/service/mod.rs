//! The embedded service: the operations that the client calls, over a SQLite file.
//!
//! It runs on threads of its own in any process. Several services can run in one process.

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

pub use basemap::BasemapError;
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
    check_backup_target,
};
pub use upkeep::Backups;
pub use workshops::{
    CreatedWorkshop, FolderLock, FoundWorkshops, InvalidWorkshopName, NewWorkshop, RunningService, WorkshopError,
    WorkshopFolder, WorkshopName,
};

/// The path that every operation stands below; in a service of many workshops, after the prefix of its workshop.
pub const ROOT: &str = "/api/v1";
/// The path of OGC API – Features, in the same place.
pub const OGC: &str = "/ogc";
