//! Diagrams: reading, adding and updating them, notes and groups.

use std::fmt::Write;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;
use jiff::civil::Date;

use super::constraints::{ClosedLand, MAX_REMARKED_BYTES, bytes};
use super::systems::check_system;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::request::keyed::Keyed;
use crate::http::request::page_params::PageParams;
use crate::http::response::{Json, List, PageResponse, WholeResponse};
use crate::http::router::{CHANGED, Routes};
use crate::http::state::AppState;
use crate::store::{
    DiagramContent, DiagramFilter, FeatureRow, Geography, GridLocation, ProjectKey, Reader, TagReference, UnknownTag,
    Writer,
};
use geodesign::features::{FeatureCollection, Layout};
use geodesign::model::operations::{
    ADD_EXTERNAL_POLICY, ADD_EXTERNAL_PROJECT, ADD_POLICY, ADD_PROJECT, ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, CHANGE_ID,
    DELETE_DIAGRAM, DIAGRAM, DIAGRAMS, GROUP_DIAGRAMS, GROUP_DIAGRAMS_ALIAS, InDiagram, InSystem, NOTES,
    ProjectPathIds, SET_NOTES, UPDATE_DIAGRAM,
};
use geodesign::model::{
    AddedDiagram, Bounds, ChangeHash, CostType, Diagram, DiagramGroups, DiagramId, DiagramKind, DiagramProperties,
    DiagramSummary, DiagramUpdate, DrawnDiagram, DrawnGeometry, ExternalDiagram, GeojsonCollection, GeometryText,
    JsonObject, Note, NoteText, ObjectText, OnConstraints, Status, StudyArea, SystemId, WithGeojson,
};
use geodesign_geometry::Measure;

pub fn routes() -> Routes {
    Routes::of("Diagrams")
        .operation(DIAGRAMS, diagrams)
        .operation(ALL_DIAGRAMS, all_diagrams)
        .operation(ALL_DIAGRAM_DETAILS, all_diagram_details)
        .operation(DIAGRAM, diagram)
        .operation(UPDATE_DIAGRAM, update_diagram)
        .operation(DELETE_DIAGRAM, delete_diagram)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(NOTES, notes)
        .operation(SET_NOTES, set_notes)
        .operation(CHANGE_ID, change_id)
        .operation(GROUP_DIAGRAMS, group_diagrams)
        .operation(GROUP_DIAGRAMS_ALIAS, group_diagrams)
        .merge(drawing_routes())
}

/// A diagram with its features.
type DiagramWithFeatures = WithGeojson<GeojsonCollection<DiagramProperties>, Diagram<ObjectText>>;

async fn diagrams(
    member: Member,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<DiagramSummary>> {
    state.read_page(member, page, |read, member| Ok(read.diagram_summaries(member.project)?)).await
}

async fn all_diagrams(
    member: Member,
    State(state): State<AppState>,
) -> Result<WholeResponse<List<DiagramWithFeatures>>> {
    state
        .read_whole(member.of_whole_project(), |read, member| {
            Ok(List(read.diagrams(&DiagramFilter::InProject(member.project))?))
        })
        .await
}

async fn all_diagram_details(
    member: Member,
    State(state): State<AppState>,
) -> Result<WholeResponse<List<Diagram<ObjectText>>>> {
    state
        .read_whole(member.of_whole_project(), |read, member| {
            Ok(List(read.diagram_details(&DiagramFilter::InProject(member.project))?))
        })
        .await
}

async fn diagram(member: Member<InDiagram>, State(state): State<AppState>) -> Result<Json<DiagramWithFeatures>> {
    state
        .read(member, |read, member| {
            let one = DiagramFilter::One(member.project, member.ids.diagramid);
            read.diagrams(&one)?.pop().ok_or(NO_DIAGRAM)
        })
        .await
}

async fn update_diagram(
    member: Member<InDiagram>,
    State(state): State<AppState>,
    JsonBody(update): JsonBody<DiagramUpdate<ObjectText>>,
) -> Result<Json<Status>> {
    update.check().map_err(ApiError::invalid)?;
    check_days(&update)?;
    let updated = state.write_within_quota(member, move |write, member| {
        let (project, diagramid) = (member.project, member.ids.diagramid);
        check_diagram(write, project, diagramid)?;
        let tags = update.tag_codes.as_deref().map(|codes| tags_named(write, project, TagReference::ByCode, codes));
        Ok(write.update_diagram(project, diagramid, &update, tags.transpose()?.as_deref())?)
    });
    updated.await?;
    Ok(Json::new(&Status { status: "The diagram was updated.".into() })?)
}

async fn delete_diagram(member: Member<InDiagram>, State(state): State<AppState>) -> Result<NoContent> {
    remove_diagram(member, state, |member| member.ids.diagramid).await
}

/// Removes one of the member's own diagrams.
pub async fn remove_diagram<Ids: ProjectPathIds>(
    member: Member<Ids>,
    state: AppState,
    diagram: impl Fn(&Membership<Ids>) -> DiagramId + Send + 'static,
) -> Result<NoContent> {
    let removed = state.write(member, move |write, member| {
        let (project, id) = (member.project, diagram(&member));
        check_own_diagram(write, &member, id)?;
        member.check_unchanged(write.change_hash(project, id)?.map(|hash| hash.changehash).as_deref())?;
        Ok(write.remove_diagram(project, id)?)
    });
    if removed.await? { Ok(NoContent) } else { Err(NO_DIAGRAM) }
}

/// Refuses years before 0: diagrams show their days as YYYY-MM-DD, which has no room for them.
fn check_days(update: &DiagramUpdate<ObjectText>) -> Result<()> {
    let days = [("start_date", update.start_date), ("end_date", update.end_date)];
    let beyond = days.into_iter().find(|(_, day)| day.is_some_and(|day| day.date().year() < 0));
    beyond.map_or(Ok(()), |(name, _)| Err(ApiError::invalid(format!("{name}: the year must be 0 or more"))))
}

async fn notes(member: Member<InDiagram>, State(state): State<AppState>) -> Result<Json<Note>> {
    state.read(member, |read, member| read.diagram_note(member.project, member.ids.diagramid)?.ok_or(NO_DIAGRAM)).await
}

async fn set_notes(
    member: Member<InDiagram>,
    State(state): State<AppState>,
    JsonBody(NoteText { notes }): JsonBody<NoteText>,
) -> Result<Json<Note>> {
    let note = state.write_within_quota(member, move |write, member| {
        check_diagram(write, member.project, member.ids.diagramid)?;
        write.set_diagram_note(member.project, member.ids.diagramid, &notes)?.ok_or(NO_DIAGRAM)
    });
    Ok(Json::new(&note.await?)?)
}

async fn change_id(member: Member<InDiagram>, State(state): State<AppState>) -> Result<Json<ChangeHash>> {
    state.read(member, |read, member| read.change_hash(member.project, member.ids.diagramid)?.ok_or(NO_DIAGRAM)).await
}

async fn group_diagrams(
    member: Keyed<Member>,
    State(state): State<AppState>,
    JsonBody(DiagramGroups { diagram_groups: groups }): JsonBody<DiagramGroups>,
) -> Result<Json<Status>> {
    if groups.iter().any(|group| group.group_name.trim().is_empty()) {
        return Err(ApiError::invalid("a group_name is empty"));
    }
    let limits = state.limits().clone();
    let grouped = state.add(member, move |write, member| {
        for &id in groups.iter().flat_map(|group| &group.diagrams) {
            check_diagram(write, member.project, id)?;
        }
        let before = write.count_in("diagram_groups", member.project)?;
        write.set_groups(member.project, &groups)?;
        let after = write.count_in("diagram_groups", member.project)?;
        limits.project_grouped_diagrams().check_total("the project", before, after.saturating_sub(before))?;
        Ok(Json::new(&Status { status: format!("Diagram groups set: {}.", groups.len()) })?)
    });
    grouped.await
}

/// Refuses a request about a diagram that the project does not have.
pub fn check_diagram(read: &Reader, project: ProjectKey, id: DiagramId) -> Result<()> {
    if read.has_diagram(project, id)? { Ok(()) } else { Err(NO_DIAGRAM) }
}

/// The ids of tags; refuses a request with a tag that the project does not have.
pub fn tags_named(write: &Writer, project: ProjectKey, named: TagReference, names: &[String]) -> Result<Vec<String>> {
    write.tag_ids(project, named, names)?.map_err(|UnknownTag(unknown)| {
        ApiError::invalid(format!("The processing was unsuccessful because the tag {unknown:?} is not in the project."))
    })
}

pub const NO_DIAGRAM: ApiError = ApiError::NotFound("diagram");

pub fn drawing_routes() -> Routes {
    Routes::of("Drawing")
        .operation(ADD_PROJECT, add_project)
        .operation(ADD_POLICY, add_policy)
        .operation(ADD_EXTERNAL_PROJECT, add_external_project)
        .operation(ADD_EXTERNAL_POLICY, add_external_policy)
}

async fn add_project(
    member: Keyed<Member<InSystem>>,
    State(state): State<AppState>,
    JsonBody(drawn): JsonBody<DrawnDiagram>,
) -> Result<Json<AddedDiagram>> {
    add_drawn(member, state, |member| Ok(member.ids.sysid), drawn, DiagramKind::Project, None).await
}

async fn add_policy(
    member: Keyed<Member<InSystem>>,
    State(state): State<AppState>,
    JsonBody(drawn): JsonBody<DrawnDiagram>,
) -> Result<Json<AddedDiagram>> {
    add_drawn(member, state, |member| Ok(member.ids.sysid), drawn, DiagramKind::Policy, None).await
}

async fn add_external_project(
    member: Keyed<Member<InSystem>>,
    State(state): State<AppState>,
    JsonBody(external): JsonBody<ExternalDiagram<ObjectText>>,
) -> Result<Json<AddedDiagram>> {
    add_external(member, state, external, DiagramKind::Project).await
}

async fn add_external_policy(
    member: Keyed<Member<InSystem>>,
    State(state): State<AppState>,
    JsonBody(external): JsonBody<ExternalDiagram<ObjectText>>,
) -> Result<Json<AddedDiagram>> {
    add_external(member, state, external, DiagramKind::Policy).await
}

/// Adds a diagram, with its first and last day if given, to the system that `system` returns, unless `system` refuses.
pub async fn add_drawn<Ids: ProjectPathIds>(
    member: Keyed<Member<Ids>>,
    state: AppState,
    system: impl Fn(&Membership<Ids>) -> Result<SystemId> + Send + 'static,
    drawn: DrawnDiagram,
    kind: DiagramKind,
    days: Option<(Date, Date)>,
) -> Result<Json<AddedDiagram>> {
    drawn.check().map_err(ApiError::invalid)?;
    // Before the transaction: there is one writer at a time.
    let measure = drawn.geometry.measure();
    let (drawn, remarks) = with_remarks(&state, &member, drawn).await?;
    let added = state.add_within_quota(member, move |write, member| {
        let system = system(&member)?;
        check_system(write, member.project, system)?;
        let features = drawn.geometry.features.iter().map(|feature| {
            let volume = feature.properties.as_ref().and_then(|properties| properties.volume_information);
            FeatureRow::drawn(volume.unwrap_or_default(), &feature.geometry)
        });
        let diagram = DiagramContent {
            system,
            author: member.user,
            kind,
            title: &drawn.description,
            funding: drawn.fundingtype.name(),
            measure,
            cost_override: 0.0,
            cost_override_type: "",
            additional_metadata: ObjectText::default(),
            flat_geobuf_url: "",
            external_geometries: "",
            feature_type: drawn.geometry.feature_type().map_err(ApiError::invalid)?,
            features: features.collect(),
            building_data: drawn.building_data.clone().unwrap_or_default(),
        };
        respond_added(write.add_diagram(member.project, diagram, days)?, &remarks)
    });
    added.await
}

/// Returns a diagram and the remarks about it; refuses it if it is on constraints and the project says so. Remarks are part of the response,
/// which is stored in the transaction that adds the diagram. There is one writer at a time, so they are made before it.
async fn with_remarks<Ids: ProjectPathIds>(
    state: &AppState,
    member: &Keyed<Member<Ids>>,
    drawn: DrawnDiagram,
) -> Result<(DrawnDiagram, Remarks)> {
    let (state, member) = (state.clone(), member.clone());
    let with_remarks = move || {
        let (boundaries, bounds, closed) = state.look_up(member, |read, member| {
            let boundaries = read.geography(member.project, Geography::Boundaries)?.geojson;
            Ok((boundaries, read.bounds(member.project)?, ClosedLand::of(read, member.project)?))
        })?;
        let constraints = closed.check(&drawn.geometry)?;
        let text = remarks(&drawn, &boundaries, bounds, constraints);
        Ok((drawn, Remarks { text, constraints }))
    };
    gate::run(with_remarks).await?
}

/// Things that a diagram's author may not have intended.
#[derive(Default)]
struct Remarks {
    text: String,
    constraints: Option<OnConstraints>,
}

const MAX_REMARKED_FEATURES: usize = 10;

/// Remarks on things that a diagram's author may not have intended: properties that are not kept, land on constraints or outside the study
/// area, and land that is priced twice. The service accepts them, because programs written for the public platform send them.
fn remarks(
    drawn: &DrawnDiagram,
    boundaries: &GeometryText,
    bounds: Option<Bounds>,
    constraints: Option<OnConstraints>,
) -> String {
    let mut remarks = String::new();
    let not_kept: Vec<String> = drawn.geometry.not_kept().iter().map(|name| format!("{name:?}")).collect();
    if !not_kept.is_empty() {
        let _ =
            write!(remarks, " Features keep only the property volume_information; not kept: {}.", not_kept.join(", "));
    }
    if let Some(part) = constraints.filter(OnConstraints::is_any) {
        let _ = write!(remarks, " {part} of it lie on constraints, land where nothing can change.");
    }
    if bytes(&drawn.geometry).max(boundaries.0.len()) > MAX_REMARKED_BYTES {
        return remarks;
    }
    let boundaries = FeatureCollection::from_json(boundaries.0.clone(), Layout::Collection).ok();
    let land = boundaries.and_then(|boundaries| boundaries.study_area());
    let study_area = land.or_else(|| StudyArea::within_bounds(bounds?));
    let share =
        |drawn: &DrawnGeometry| study_area.as_ref().map_or(0.0, |land| land.share_outside(drawn).unwrap_or(1.0));
    let shares = drawn.geometry.features.iter().map(|feature| share(&feature.geometry)).enumerate();
    for (index, share) in shares.filter(|(_, share)| *share > 0.0).take(MAX_REMARKED_FEATURES) {
        let percent = (share * 100.0).max(1.0);
        let _ = write!(remarks, " {percent:.0} % of feature {index} lies outside the study area.");
    }
    if let Some((first, other)) = drawn.geometry.same_land() {
        let _ =
            write!(remarks, " Features {first} and {other} cover the same land, which is measured and priced twice.");
    }
    remarks
}

async fn add_external(
    member: Keyed<Member<InSystem>>,
    state: AppState,
    external: ExternalDiagram<ObjectText>,
    kind: DiagramKind,
) -> Result<Json<AddedDiagram>> {
    external.check().map_err(ApiError::invalid)?;
    let added = state.add_within_quota(member, move |write, member| {
        check_system(write, member.project, member.ids.sysid)?;
        let is_flatgeobuf = external.layer_type.eq_ignore_ascii_case(ExternalDiagram::FLATGEOBUF);
        let (flat_geobuf_url, external_geometries) =
            if is_flatgeobuf { (external.url.as_str(), "") } else { ("", external.url.as_str()) };
        let diagram = DiagramContent {
            system: member.ids.sysid,
            author: member.user,
            kind,
            title: &external.description,
            funding: external.fundingtype.name(),
            measure: Measure::default(),
            cost_override: external.cost.unwrap_or_default() as f64,
            cost_override_type: external.cost_type.map_or("", CostType::override_name),
            additional_metadata: external.additional_metadata.clone().unwrap_or_default(),
            flat_geobuf_url,
            external_geometries,
            feature_type: external.featuretype,
            features: Vec::new(),
            building_data: JsonObject::new(),
        };
        respond_added(write.add_diagram(member.project, diagram, None)?, &Remarks::default())
    });
    added.await
}

fn respond_added((diagram_id, location): (DiagramId, GridLocation), remarks: &Remarks) -> Result<Json<AddedDiagram>> {
    let GridLocation { name: grid_location, .. } = location;
    let status = format!("The diagram was added at {grid_location}.{}", remarks.text);
    Ok(Json::new(&AddedDiagram {
        diagram_id,
        grid_location: Some(grid_location),
        status: Some(status),
        constraints: remarks.constraints,
        extra: JsonObject::new(),
    })?)
}

/// Refuses a change of a diagram that somebody else added.
pub fn check_own_diagram<Ids>(read: &Reader, member: &Membership<Ids>, id: DiagramId) -> Result<()> {
    const REFUSAL: &str = "Only the author of the diagram or an administrator of the project may do this.";
    let is_own = read.author_of(member.project, id)?.ok_or(NO_DIAGRAM)? == member.user;
    member.check_own(read, is_own, REFUSAL)
}
