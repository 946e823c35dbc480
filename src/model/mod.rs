//! The resources of the service as serde types, shared by client and service. One file per resource.
//!
//! Fields have the names that they have in the service's JSON. Decoding and encoding lose nothing: fields that a type does not declare
//! are kept in `extra`, and dates keep their text. Numbers may be written as text.
//!
//! Doc comments of resources and their fields are also the descriptions in the service's OpenAPI document.

mod bounds;
mod creation;
mod dates;
mod design;
mod diagram;
mod diagram_types;
mod drawn_geometry;
mod feature;
#[cfg(feature = "geo")]
mod geo_types_crate;
#[cfg(feature = "geojson")]
mod geojson_crate;
mod history;
mod ids;
mod invalid_diagram;
mod json_object;
mod layer;
mod limit;
mod maps;
mod negotiation;
mod new_diagrams;
mod numbers;
#[cfg(feature = "service")]
mod object_text;
#[macro_use]
pub mod operations;
mod project;
mod project_change_id;
#[cfg(feature = "openapi")]
mod schema;
mod string_enum;
mod study_area;
mod system;
#[cfg(feature = "service")]
mod system_answers;
mod tag;
mod workshop;
mod wrappers;

pub use bounds::{Bounds, BoundsError, Center};
pub use creation::{
    InvalidProject, InvalidSystem, LinkedProjectCreation, NewProject, NewSystem, ProjectCreation, created_project,
    creation_message, is_color,
};
pub use dates::{Date, DateError, DateTime, FromText, UtcMillis, Verbatim};
pub use design::{
    BoardPeriod, BoardTimeline, ChangeTeam, Design, DesignDetails, DesignDiagramIds, DesignTimeline, Period, Synthesis,
    Timeline,
};
pub use diagram::{
    ChangeHash, CostOverride, Diagram, DiagramGroup, DiagramKind, DiagramSummary, DiagramUpdate, Note, ThumbnailJob,
    ThumbnailJobs,
};
pub use diagram_types::{CostType, FeatureType, FundingType};
pub use drawn_geometry::{DrawnGeometry, InvalidDrawing};
pub use feature::{
    Boundaries, BoundaryProperties, Constraints, DesignProperties, DiagramProperties, EsriFeature, Feature,
    GeojsonCollection, GeometryText, InvalidHeights, SelectionProperties, VolumeInformation, WithGeojson,
};
#[cfg(feature = "geojson")]
pub use geojson_crate::InvalidFeatures;
pub use history::HistoryEntry;
pub use ids::{DesignId, DiagramId, EntryId, InvalidId, LayerId, ProjectId, SystemId, TeamId, Username, Uuid};
pub use invalid_diagram::InvalidDiagram;
pub use json_object::JsonObject;
pub use layer::{Layer, LayerType, NewLayer, ServerType};
pub use limit::Limit;
pub use maps::{AreaFeatures, Evaluated, EvaluationFeatures, EvaluationProperties, ImpactFeatures, InvalidMap};
#[cfg(feature = "service")]
pub use maps::{AreaFeaturesBody, EvaluationFeaturesBody, EvaluationText};
pub use negotiation::{Move, NegotiationSession};
pub use new_diagrams::{AddedDiagram, DrawnDiagram, DrawnFeatures, DrawnProperties, ExternalDiagram};
#[cfg(feature = "service")]
pub use object_text::{ObjectText, extent_of};
pub use project::{Member, Plugin, ProjectInfo, Stakeholder};
pub use project_change_id::ProjectChangeId;
#[cfg(feature = "openapi")]
pub use schema::DrawnFeaturesSchema;
#[cfg(feature = "openapi")]
pub(crate) use schema::add_component;
pub use study_area::OutsideStudyArea;
pub use system::{SystemDetail, SystemItem};
#[cfg(feature = "service")]
pub use system_answers::{SystemDetailWithBothNames, SystemItemWithBothNames};
pub use tag::{InvalidTag, NewTag, Tag};
pub use workshop::{ArchivedWorkshop, ListedWorkshop};
pub use wrappers::{
    DiagramGroups, DiagramIds, Members, Message, NegotiationLogs, NewTags, NoteText, ProjectBounds, ProjectCenter,
    Stakeholders, Status, TeamMembers,
};
