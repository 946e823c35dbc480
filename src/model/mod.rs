//! What travels: one file per resource, the same types for client and service.
//!
//! Names are the wire's own. Fields that this crate does not know are kept in `extra` and written back. A number may
//! arrive as text; a date keeps the text it arrived in. Decoding and encoding lose nothing.

mod bounds;
mod creation;
mod dates;
pub mod design;
mod diagram;
mod feature;
#[cfg(feature = "service")]
mod generic_schemas;
mod ids;
mod json_object;
mod layer;
mod maps;
mod negotiation;
mod new_diagrams;
mod numbers;
#[macro_use]
pub mod operations;
mod project;
#[cfg(feature = "service")]
mod schema;
mod string_enum;
mod system;
mod tag;
mod wrappers;

pub use bounds::{Bounds, Center};
pub use creation::{LinkedProjectCreation, NewProject, NewSystem, ProjectCreation, is_color};
pub use dates::{Date, DateTime, UtcMillis, Verbatim};
pub use design::{ChangeTeam, Design, DesignDetails, DesignTimeline, Period, Synthesis};
pub use diagram::{
    ChangeHash, CostOverride, Diagram, DiagramGroup, DiagramKind, DiagramSummary, DiagramUpdate, Note, ThumbnailJob,
    ThumbnailJobs,
};
pub use feature::{
    Boundaries, BoundaryProperties, Constraints, DesignProperties, DiagramProperties, EsriFeature, Feature,
    FeatureCollection, GeometryText, SelectionProperties, VolumeInformation, WithGeojson,
};
#[cfg(feature = "service")]
pub(crate) use generic_schemas::add_component;
pub use ids::{DesignId, DiagramId, InvalidId, LayerId, ProjectId, SystemId, TeamId, Username, Uuid};
pub use json_object::JsonObject;
pub use layer::{Layer, LayerType, NewLayer, ServerType};
pub use maps::{AreaFeatures, Evaluated, EvaluationFeatures, EvaluationProperties, ImpactFeatures};
pub use negotiation::{Move, NegotiationSession};
pub use new_diagrams::{
    AddedDiagram, CostType, DrawnDiagram, DrawnFeatures, DrawnGeometry, DrawnProperties, ExternalDiagram, FeatureType,
    FundingType, check_title,
};
pub use project::{Member, Plugin, Project, Stakeholder};
#[cfg(feature = "service")]
pub use schema::{AreaFeaturesBody, DrawnFeaturesSchema, EvaluationFeaturesBody};
pub use system::{SystemDetail, SystemItem};
pub use tag::{NewTag, Tag};
pub use wrappers::*;
