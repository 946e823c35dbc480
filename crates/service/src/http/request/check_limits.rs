//! The service's limits for bodies, in addition to those of their types. Each body is checked when it arrives.

use std::collections::HashSet;

use crate::http::response::List;
use crate::limits::{LimitExceeded, Limits, NamedLimit, positions};
use crate::store::members;
use geodesign::model::{
    ActivitiesEdit, Admission, AreaFeaturesBody, Ballot, CommentEdit, DesignEdit, DiagramEdit, DiagramGroups,
    DiagramUpdate, DrawnDiagram, EvaluationFeaturesBody, ExternalDiagram, GeojsonCollection, JsonObject, LandQuestion,
    LinkedProjectCreation, MemberRole, NewCard, NewComment, NewContext, NewDesign, NewGuestLink, NewLayer, NewMap,
    NewMembers, NewMove, NewNegotiation, NewProject, NewSelection, NewSystem, NewTag, NewTags, NewUser, NewUserToken,
    NoteText, ObjectText, Outline, PreviewedDrawing, ProjectCreation, ProjectEdit, SelectionChange, SystemEdit,
    TeamEdit, TypedCode, Uuid, WalkIn, WalkInsEdit,
};

/// Size limit of any request's body.
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

type Result = std::result::Result<(), LimitExceeded>;

/// A body whose size is limited.
pub trait CheckLimits {
    /// True if the body draws something. Other bodies have at most [`Limits::text_body_bytes`].
    const HAS_GEOMETRIES: bool = false;

    /// Checks the decoded body.
    fn check_limits(&self, limits: &Limits) -> Result;
}

/// The maximum size of a body of this type.
pub fn max_bytes<T: CheckLimits>(limits: &Limits) -> NamedLimit {
    let NamedLimit { name, unit, value } = limits.text_body_bytes();
    NamedLimit { name, unit, value: if T::HAS_GEOMETRIES { MAX_BODY_BYTES as u64 } else { value } }
}

/// Checks the number of vertices in a body's text before decoding it: decoding tests geometries for self-intersections, which takes long.
pub fn check_vertices<T: CheckLimits>(body: &[u8], limits: &Limits) -> Result {
    if T::HAS_GEOMETRIES { limits.diagram_vertices().check("the body", positions(body)) } else { Ok(()) }
}

impl CheckLimits for DrawnDiagram {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        limits.title_characters().check_text("description", &self.description)?;
        limits.diagram_features().check("geometry", self.geometry.features.len())?;
        check_building_data(self.building_data.as_ref(), limits)
    }
}

fn check_building_data(building_data: Option<&JsonObject>, limits: &Limits) -> Result {
    let text = building_data.map(serde_json::to_string).transpose();
    limits.metadata_bytes().check("building_data", text.ok().flatten().map_or(0, |text| text.len()))
}

impl CheckLimits for PreviewedDrawing {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        limits.diagram_features().check("geometry", self.geometry.features.len())?;
        check_building_data(self.building_data.as_ref(), limits)
    }
}

impl CheckLimits for LandQuestion {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("pairs", self.pairs.len())?;
        limits.list_items().check("classes_of", self.classes_of.len())
    }
}

impl CheckLimits for ExternalDiagram<ObjectText> {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.title_characters().check_text("description", &self.description)?;
        limits.url_characters().check_text("url", &self.url)?;
        limits.name_characters().check_text("layer_type", &self.layer_type)?;
        check_metadata("additional_metadata", self.additional_metadata.as_ref(), limits)
    }
}

impl CheckLimits for DiagramUpdate<ObjectText> {
    fn check_limits(&self, limits: &Limits) -> Result {
        self.title.as_deref().map_or(Ok(()), |title| limits.title_characters().check_text("title", title))?;
        self.tag_codes.as_deref().map_or(Ok(()), |codes| check_names("tag_codes", codes, limits))?;
        check_metadata("additional_metadata", Some(&self.additional_metadata), limits)
    }
}

impl CheckLimits for DiagramEdit {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        self.title.as_deref().map_or(Ok(()), |title| limits.title_characters().check_text("title", title))?;
        let features = self.geometry.as_ref().map_or(0, |geometry| geometry.features.len());
        limits.diagram_features().check("geometry", features)?;
        check_building_data(self.building_data.as_ref(), limits)
    }
}

impl CheckLimits for Ballot {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.comment_characters().check_text("comment", &self.comment)
    }
}

impl CheckLimits for NewComment {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("asked", self.asked.len())?;
        limits.comment_characters().check_text("text", &self.text)
    }
}

impl CheckLimits for CommentEdit {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_optional(limits.comment_characters(), "text", self.text.as_deref())
    }
}

impl CheckLimits for NewSelection {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("diagrams", self.diagrams.len())
    }
}

impl CheckLimits for SelectionChange {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("add", self.add.len())?;
        limits.list_items().check("remove", self.remove.len())
    }
}

impl CheckLimits for NewDesign {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.title_characters().check_text("description", &self.description)?;
        let lists = [("diagrams", &self.diagrams), ("add", &self.add), ("remove", &self.remove)];
        lists.into_iter().try_for_each(|(name, ids)| limits.list_items().check(name, ids.len()))?;
        limits.list_items().check("members", self.members.len())
    }
}

impl CheckLimits for DesignEdit {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_optional(limits.title_characters(), "description", self.description.as_deref())
    }
}

impl CheckLimits for NewNegotiation {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("cteams", self.cteams.len())
    }
}

impl CheckLimits for NewMove {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.name_characters().check_text("move", &self.action)?;
        limits.comment_characters().check_text("comment", &self.comment)
    }
}

impl CheckLimits for TeamEdit {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_optional(limits.name_characters(), "title", self.title.as_deref())?;
        limits.list_items().check("members", self.members.as_deref().unwrap_or_default().len())
    }
}

impl CheckLimits for NewMembers {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("members", self.members.len())?;
        let mut titles = self.members.iter().filter_map(|member| member.team.as_deref());
        titles.try_for_each(|title| limits.name_characters().check_text("team", title))
    }
}

impl CheckLimits for SystemEdit {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_optional(limits.name_characters(), "name", self.name.as_deref())?;
        check_optional(limits.name_characters(), "tag", self.tag.as_deref())?;
        check_optional(limits.description_characters(), "verbose_description", self.verbose_description.as_deref())
    }
}

impl CheckLimits for ProjectEdit {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_optional(limits.title_characters(), "projecttitle", self.projecttitle.as_deref())?;
        check_optional(limits.description_characters(), "projectdesc", self.projectdesc.as_deref())
    }
}

macro_rules! without_limits {
    ($($body:ident)*) => {$(
        impl CheckLimits for $body {
            fn check_limits(&self, _limits: &Limits) -> Result {
                Ok(())
            }
        }
    )*};
}

without_limits! { Admission MemberRole NewCard NewUser NewUserToken WalkInsEdit }

impl CheckLimits for NewGuestLink {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.name_characters().check_text("title", &self.title)
    }
}

impl CheckLimits for WalkIn {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.name_characters().check_text("code", &self.code)
    }
}

impl CheckLimits for TypedCode {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.name_characters().check_text("code", &self.code)
    }
}

impl CheckLimits for Outline {
    fn check_limits(&self, _limits: &Limits) -> Result {
        Ok(())
    }
}

impl CheckLimits for ActivitiesEdit {
    fn check_limits(&self, limits: &Limits) -> Result {
        self.given().try_for_each(|(activity, edit)| {
            let place = |exceeded: LimitExceeded| exceeded.within(activity.name());
            limits.comment_characters().check_text("message", &edit.message).map_err(place)
        })
    }
}

impl CheckLimits for NewMap {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        check_new_map(&self.description, &self.geojson, limits)
    }
}

impl CheckLimits for NewContext {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        check_new_map(&self.description, &self.geojson, limits)
    }
}

fn check_new_map<G>(description: &str, map: &GeojsonCollection<Option<JsonObject>, G>, limits: &Limits) -> Result {
    limits.description_characters().check_text("description", description)?;
    limits.diagram_features().check("geojson", map.features.len())?;
    let properties = map.features.iter().filter_map(|feature| feature.properties.as_ref());
    check_names_of_map("geojson", &properties.flat_map(|properties| properties.keys()).collect(), limits)
}

fn check_optional(limit: NamedLimit, field: &str, text: Option<&str>) -> Result {
    text.map_or(Ok(()), |text| limit.check_text(field, text))
}

impl CheckLimits for NoteText {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.note_characters().check_text("notes", &self.notes)
    }
}

impl CheckLimits for DiagramGroups {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("diagram_groups", self.diagram_groups.len())?;
        for (index, group) in self.diagram_groups.iter().enumerate() {
            let place = |exceeded: LimitExceeded| exceeded.within(&format!("diagram_groups[{index}]"));
            limits.name_characters().check_text("group_name", &group.group_name).map_err(place)?;
        }
        let grouped = self.diagram_groups.iter().map(|group| group.diagrams.len()).sum();
        limits.project_grouped_diagrams().check("diagram_groups", grouped)
    }
}

impl CheckLimits for EvaluationFeaturesBody {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        check_map(self.0.features.iter().map(|feature| Some(feature.properties.text())), limits)
    }
}

impl CheckLimits for AreaFeaturesBody {
    const HAS_GEOMETRIES: bool = true;

    fn check_limits(&self, limits: &Limits) -> Result {
        check_map(self.0.features.iter().map(|feature| feature.properties.as_ref()), limits)
    }
}

fn check_map<'p>(properties: impl ExactSizeIterator<Item = Option<&'p ObjectText>>, limits: &Limits) -> Result {
    limits.diagram_features().check("the map", properties.len())?;
    let mut names = HashSet::new();
    properties.enumerate().try_for_each(|(index, properties)| {
        let place = |exceeded: LimitExceeded| exceeded.within(&format!("features[{index}]"));
        check_metadata("properties", properties, limits).map_err(place)?;
        let text = properties.map_or("{}", ObjectText::text);
        names.extend(members(text).into_iter().map(|(name, _)| name));
        Ok(())
    })?;
    check_names_of_map("the map", &names, limits)
}

/// Checks the property names of all features together, because each is a column in programs that show the map as a table. There may be at
/// most as many as values of one feature.
fn check_names_of_map<T>(part: &str, names: &HashSet<T>, limits: &Limits) -> Result {
    NamedLimit { unit: "names of properties", ..limits.metadata_values() }.check(part, names.len())
}

impl CheckLimits for NewLayer<ObjectText> {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.url_characters().check_text("url", &self.url)?;
        let names = [
            ("layer_name", &self.layer_name),
            ("attribution", &self.attribution),
            ("display_name", &self.display_name),
        ];
        names.into_iter().try_for_each(|(field, name)| limits.name_characters().check_text(field, name))?;
        check_metadata("additional_metadata", self.additional_metadata.as_ref(), limits)
    }
}

impl CheckLimits for ProjectCreation {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.name_characters().check_text("creation_code", &self.creation_code)?;
        check_project(&self.project, limits)
    }
}

impl CheckLimits for LinkedProjectCreation {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.name_characters().check_text("gpl_project_id", &self.gpl_project_id)?;
        check_project(&self.project, limits)
    }
}

fn check_project(project: &NewProject, limits: &Limits) -> Result {
    limits.title_characters().check_text("project_title", &project.project_title)?;
    limits.description_characters().check_text("project_description", &project.project_description)?;
    limits.list_items().check("systems", project.systems.len())?;
    for (index, system) in project.systems.iter().enumerate() {
        check_system(system, limits).map_err(|exceeded| exceeded.within(&format!("systems[{index}]")))?;
    }
    check_tags(&project.tags, limits)?;
    limits.list_items().check("plugins", project.plugins.len())
}

fn check_system(system: &NewSystem, limits: &Limits) -> Result {
    limits.name_characters().check_text("name", &system.name)?;
    limits.name_characters().check_text("tag", &system.tag)?;
    let descriptions = [("display", &system.display), ("verbose_description", &system.verbose_description)];
    descriptions.into_iter().try_for_each(|(field, text)| limits.description_characters().check_text(field, text))
}

impl CheckLimits for NewTags {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_tags(&self.tags, limits)
    }
}

fn check_tags(tags: &[NewTag], limits: &Limits) -> Result {
    limits.project_tags().check("the body", tags.len())?;
    for (index, NewTag { tag, code }) in tags.iter().enumerate() {
        let place = |exceeded: LimitExceeded| exceeded.within(&format!("tags[{index}]"));
        limits.name_characters().check_text("tag", tag).map_err(place)?;
        limits.name_characters().check_text("code", code).map_err(place)?;
    }
    Ok(())
}

/// Names of stakeholders, or codes of tags.
impl CheckLimits for Vec<String> {
    fn check_limits(&self, limits: &Limits) -> Result {
        check_names("the body", self, limits)
    }
}

/// Ids of tags or of plugins.
impl CheckLimits for List<Uuid> {
    fn check_limits(&self, limits: &Limits) -> Result {
        limits.list_items().check("the body", self.0.len())
    }
}

fn check_names(list: &str, names: &[String], limits: &Limits) -> Result {
    limits.list_items().check(list, names.len())?;
    let mut names = names.iter().enumerate();
    names.try_for_each(|(index, name)| limits.name_characters().check_text(&format!("name {index}"), name))
}

fn check_metadata(part: &str, metadata: Option<&ObjectText>, limits: &Limits) -> Result {
    let Some(metadata) = metadata else { return Ok(()) };
    limits.metadata_bytes().check(part, metadata.text().len())?;
    let extent = metadata.extent();
    limits.metadata_values().check(part, extent.values)?;
    limits.metadata_levels().check(part, extent.levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_the_arrays_that_begin_with_a_number() {
        assert_eq!(positions(br#"{"coordinates": [[[0, 1], [ -1.5, 2], [3,4], [0, 1]]], "features": []}"#), 4);
    }
}
