//! The resources of the service as serde types, shared by client and service. One file per resource.
//!
//! Fields have the names that they have in the service's JSON. Decoding and encoding lose nothing: fields that a type does not declare
//! are kept in `extra`, and dates keep their text. Numbers may be written as text.
//!
//! Doc comments of resources and their fields are also the descriptions in the service's OpenAPI document.

mod bounds;
mod comments;
mod context;
mod creation;
mod dates;
mod design;
mod diagram;
mod drawn_geometry;
mod edits;
mod evaluation_classes;
mod feature;
mod fields;
#[cfg(feature = "geojson")]
mod geojson_crate;
mod headers;
mod history;
mod ids;
mod impacts;
mod joining;
mod land;
mod languages;
mod layer;
mod maps;
mod merging;
mod names;
mod new_diagrams;
mod object_text;
mod on_constraints;
mod people;
mod presence;
mod preview;
mod private_network;
mod service;
mod storeys;
#[macro_use]
pub mod operations;
mod project;
mod quantities;
#[cfg(feature = "openapi")]
mod schema;
mod system;

pub use bounds::{Bounds, BoundsError, Center};
pub use comments::{Comment, CommentEdit, Comments, NewComment};
pub use context::{Context, ContextFeatures, ContextGeometry, InvalidContext, NewContext};
pub use creation::{
    InvalidProject, InvalidSystem, LinkedProjectCreation, NewProject, NewSystem, ProjectCreation, created_project,
    creation_message, is_color,
};
pub use dates::{
    Date, DateError, DateTime, DayOf, FromText, UtcMillis, Verbatim, moment, moment_in_table, utc_date_time,
};
pub use design::{
    BoardPeriod, BoardTimeline, ChangeTeam, Design, DesignDetails, DesignDiagramIds, DesignTimeline, Move,
    NegotiationSession, Period, Synthesis, Timeline,
};
pub use diagram::{
    ChangeHash, CostOverride, CostType, Diagram, DiagramGroup, DiagramKind, DiagramSummary, DiagramUpdate, FeatureType,
    FundingType, InvalidDiagram, InvalidOverride, Note, TAG_CODE_SEPARATOR, ThumbnailJob, ThumbnailJobs, is_undated,
};
pub use drawn_geometry::{DrawnGeometry, InvalidDrawing, MAX_ROUNDING, OutsideStudyArea, StudyArea};
pub use edits::{
    Activities, ActivitiesEdit, Activity, ActivityEdit, ActivityState, Ballot, DRAWINGS_ON_CONSTRAINTS, DesignEdit,
    DiagramEdit, InvalidEdit, MemberRole, NewDesign, NewMap, NewMove, NewNegotiation, NewSelection, ProjectEdit,
    SelectionChange, SystemEdit, TeamEdit, Vote, Votes,
};
pub use evaluation_classes::{
    EVALUATION_CLASSES, EvaluationClass, OTHER_EVALUATION_COLOR, evaluation_classes_in_words, evaluation_color,
};
pub use feature::{
    Boundaries, BoundaryProperties, Constraints, DesignProperties, DiagramProperties, EsriFeature, Feature,
    GeojsonCollection, GeometryText, InvalidHeights, SelectionProperties, VolumeInformation, WithGeojson,
};
pub use fields::JsonObject;
#[cfg(feature = "geojson")]
pub use geojson_crate::InvalidFeatures;
pub use headers::{IDEMPOTENCY_KEY, LIMIT_OF_KEYS, X_REQUEST_ID, is_request_id};
pub use history::{HistoryEntry, HistoryFilter, InvalidHistoryFilter};
pub use ids::{
    DesignId, DiagramId, EntryId, InvalidId, LayerId, ProjectId, SecretId, SystemId, TeamId, Username, Uuid,
};
pub use impacts::{Impacts, InvalidImpact, check_impacts, with_cells};
pub use joining::{AuthorityKey, CA_PEM, InvalidKey, InvalidLink, JOIN, LinkParts, join_link};
pub use land::{ClassedLand, LandInClass, LandOfDiagrams, LandQuestion};
pub use languages::LANGUAGES;
pub use layer::{Layer, LayerType, NewLayer, ServerType};
pub use maps::{AreaFeatures, Evaluated, EvaluationFeatures, EvaluationProperties, ImpactFeatures, InvalidMap};
pub use maps::{AreaFeaturesBody, EvaluationFeaturesBody, EvaluationText};
pub use merging::{
    ConflictingValues, LeftThing, MergeConflict, MergeOptions, MergeReport, MergedArchive, MergedThing, Preference,
    ProjectOrigins, Work, WorkFields, WorkKind, WorkState, vote_field, voter,
};
pub use names::{composed, folded, problem_of_name};
pub use new_diagrams::{AddedDiagram, DrawnDiagram, DrawnFeatures, DrawnProperties, ExternalDiagram, check_drawn};
pub use object_text::{ObjectText, extent_of};
pub use on_constraints::OnConstraints;
pub use people::{
    AddedMembers, Admission, CardHolder, GuestLink, IssuedToken, JoiningCode, NewCard, NewGuest, NewGuestLink,
    NewMember, NewMembers, NewUser, NewUserToken, NoTeamTitle, OwnAccount, TokenInfo, TypedCode, UntitledLink,
    UserAccount, WaitingWalkIn, WalkIn, WalkIns, WalkInsEdit, WalkedIn,
};
pub use presence::{Outline, OutlineShown, Presence, PresentMember};
pub use preview::{
    DesignReference, DrawingFault, EvaluatedPart, GoodLand, LandConflict, Preview, PreviewedDrawing, UncheckedGeometry,
};
pub use private_network::{is_of_this_machine_alone, is_out_of_reach, is_private};
pub use project::{InvalidTag, LoadedFrom, Member, NewTag, Plugin, ProjectChangeId, ProjectInfo, Stakeholder, Tag};
pub use quantities::{
    InvalidQuantity, MAX_QUANTITIES, MAX_QUANTITY_NAME, Quantities, Quantity, QuantityUnit, check_quantities,
    with_quantities,
};
#[cfg(feature = "openapi")]
pub use schema::add_component;
#[cfg(feature = "openapi")]
pub use schema::{ContextFeaturesSchema, DrawnFeaturesSchema, PreviewedFeaturesSchema};
pub use service::{
    ArchivedWorkshop, DiagramGroups, DiagramIds, Limit, ListedWorkshop, Members, Message, NegotiationLogs, NewTags,
    NoteText, ProjectBounds, ProjectCenter, Stakeholders, Status, TeamMembers,
};
pub use storeys::{InvalidStoreys, MAX_STOREYS, Storeys};
pub use system::SystemDetailWithBothNames;
pub use system::{SystemDetail, SystemItem};
