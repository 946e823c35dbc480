//! The service's database: a SQLite file, which many threads read at once and one writes.
//!
//! `database` opens it and runs transactions. Each other file holds the queries and the changes of one resource.

mod changes;
mod creation;
mod database;
mod diagram_filter;
mod diagram_state;
mod diagrams;
mod features;
mod geographies;
mod groups;
mod history;
mod layers;
mod loaded;
mod members;
mod negotiations;
mod new_diagrams;
mod origin;
mod plugins;
mod project_changes;
mod projects;
mod selections;
mod settings;
mod stakeholders;
mod system_map;
mod systems;
mod tags;
mod teams;
mod thumbnails;
mod tokens;
mod undo;
mod usage;
mod users;

pub use database::backup::backup_file;
pub use database::error::{InputError, Result, StoreError};
pub use database::feed::{ChangeFeed, Subscription};
pub use database::keys::{ProjectKey, UserKey};
pub use database::random_ids::new_uuid;
pub use database::store::Store;
pub use database::transaction::{Author, Reader, Writer};
pub use diagram_filter::DiagramFilter;
pub use geographies::Geography;
pub use loaded::{Identified, LoadedFigures};
pub use new_diagrams::{DiagramContent, DiagramRow, GridLocation};
pub use origin::OriginAnswer;
pub use project_changes::ProjectVersion;
pub use projects::ProjectRow;
pub use settings::{DiagramSettings, SystemSettings};
pub use systems::SystemRow;
pub use tags::{SharedCode, TagReference, TagRow, TagsToAdd, UnknownTag};
pub use teams::DesignRow;
pub use thumbnails::{Appearance, Batch, Job, Picture};
pub use undo::Undone;
pub use usage::Usage;
pub use users::{Account, OPERATOR};
