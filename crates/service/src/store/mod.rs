//! The service's database: a SQLite file, which many threads read at once and one writes.
//!
//! `database` opens it and runs transactions. Each other file holds the queries and the changes of one resource.

mod card_codes;
mod changes;
mod comments;
mod comparable_fields;
mod costs;
mod database;
mod diagram_settings;
mod diagram_state;
mod diagrams;
mod feature_parts;
mod feature_row;
mod features;
mod history;
mod idempotent_answers;
mod items;
mod links;
mod loaded;
mod maps;
mod members;
mod merging;
mod projects;
mod removed_names;
mod system_map;
mod systems;
mod tags;
mod teams;
mod thumbnails;
mod tokens;
mod votes_and_activities;
mod walk_ins;

pub use changes::ProjectVersion;
pub use comments::About;
pub use comparable_fields::OF_SYSTEM;
pub use database::connection::StoreSettings;
pub use database::error::{Displacement, InputError, Result, StoreError, is_of_sqlite};
pub use database::feed::{ChangeFeed, Subscription};
pub use database::files::{backup_file, check_backup_target};
pub use database::place::beside;
pub use database::store::Store;
pub use database::transaction::{Author, Reader, Writer};
pub use database::values::{
    DatabaseNumber, DatabaseUser, Digest, ProjectKey, UserKey, digest, extent_in, has_expired, new_uuid, utc_now,
};
pub use diagram_settings::{DiagramSettings, SystemSettings};
pub use diagram_state::DiagramState;
pub use diagrams::{DiagramContent, DiagramFilter, DiagramRow, GridLocation};
pub use feature_row::FeatureRow;
pub use history::Undone;
pub use idempotent_answers::{AnswerKey, KeptAnswer};
pub use items::{Collection, Field, FieldKind, Item, ItemKey, ItemsPage, ItemsQuery, Period, members};
pub use loaded::{Identified, Loadable, LoadedFigures, LoadedThing, told_beside};
pub use maps::Geography;
pub use members::{Account, OPERATOR};
pub use merging::{IdsHere, Merged, MergedDiagram};
pub use projects::{ProjectRow, Usage};
pub use system_map::SystemMap;
pub use systems::SystemRow;
pub use tags::{SharedCode, TagReference, TagRow, TagsToAdd, UnknownTag};
pub use teams::{DesignRow, new_design_id};
pub use thumbnails::{Appearance, Batch, Job, Picture};
pub use tokens::{NewToken, ValidToken, new_secret};
