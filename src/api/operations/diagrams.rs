//! Diagrams, their groups and thumbnails.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::api::features::FeatureCollection;
use crate::api::project::{AsyncProject, Project};
use crate::convert::arguments::{Arg, DiagramFields, DiagramIds, Groups, given_design};
use crate::convert::errors::input_error;
use crate::convert::results::{Image, Listed, Nothing};
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use crate::engine::progress::Progress;
use geodesign::costs::CountedLand;
use geodesign::model::{Diagram, DiagramId, DiagramSummary, LandOfDiagrams, LandQuestion, Username};
use geodesign_client as client;
use geodesign_client::{DiagramFilter, GivenDesign, SystemReference, TeamReference};

operations! { Project / AsyncProject of client::Project:
    /// The diagrams of the project: all of them, or those that match all given arguments.
    ///
    /// With `fields="all"` there is one row per feature, and one row for each diagram without features. Each row has the diagram's fields
    /// and the feature's own; if both have a field of the same name, the diagram's value is used. Values that a service sent in a form
    /// that cannot be read, such as the date 2024-13-45, are left out of their rows; a `UserWarning` counts these rows, and `problems()` of
    /// the collection names them.
    ///
    /// Args:
    ///     fields: `"all"` for features with all fields; `"details"` for all fields without features; `"summary"` for the title, author,
    ///         system, rank and time of creation.
    ///     team: The design's team, if several teams have designs of that title. Without `design`, the team's latest design.
    ///     design: Only diagrams of this design: the object, its id, its title or its title's unique start.
    ///     system: Only diagrams of this system: the object, its id, name or tag, or the unique start of its name.
    ///     member: Only diagrams that this member selected.
    ///     ids: Only these diagrams: the objects, their ids, their titles or their titles' unique starts.
    ///     strict: True to raise an error if a row cannot be read. Default: the client's `strict`.
    ///
    /// Returns:
    ///     With `fields="all"`, a `FeatureCollection`. Its columns are the same for every project: ids are integers, `area` (m²) and
    ///     `length` (km) floats, dates timestamps, free-form objects JSON text. With `"details"`, a list of `DiagramDetails` dicts; `area`
    ///     is in m², `length` in km, dates are `YYYY-MM-DD`, or None if they were never set. With `"summary"`, a list of `DiagramSummary`
    ///     dicts: `id`, `worlddescription` (the title), `author`, `created_at` (ISO 8601, without zone), `rank`, `sysid`.
    ///
    /// Raises:
    ///     InputError: `fields` has another value; or the project has no such team, design, system or diagram.
    ///     PermissionDeniedError: `member` is not a member of the project.
    ///     DecodeError: The response is not a list of diagrams; a diagram has no id; with `strict=True`, a row cannot
    ///         be read, has a wrong value, or belongs to a system that the project does not list.
    ///
    /// Examples:
    ///     >>> len({feature["properties"]["diagramid"] for feature in project.diagrams()})
    ///     180
    ///     >>> [diagram["id"] for diagram in project.diagrams(fields="summary", system="Water", design="Design 1 – room")][:3]
    ///     [1001, 1004, 1005]
    #[pyo3(
        signature = (*, fields=Arg(DiagramFields::All), team=None, design=None, system=None, member=None, ids=None, strict=false),
        text_signature = "($self, *, fields='all', team=None, design=None, system=None, member=None, ids=None, strict=False)"
    )]
    fn diagrams(
        fields: DiagramFields, team: Option<TeamReference>, design: Option<GivenDesign>, system: Option<SystemReference>,
        member: Option<Username>, ids: Option<DiagramIds>, strict: bool,
    ) -> Diagrams = |project| {
        let ids = match ids {
            Some(ids) => Some(ids.find(&project).await?),
            None => None,
        };
        let wanted = DiagramFilter { design: given_design(team, design), system, member, ids };
        let project = if strict { project.strictly() } else { project };
        Ok(match fields {
            DiagramFields::All => Diagrams::All(project.diagrams_among(&wanted).await?.into()),
            DiagramFields::Details => Diagrams::Details(Listed(Json(project.details_among(&wanted).await?))),
            DiagramFields::Summary => Diagrams::Summary(Listed(Json(project.summaries_among(&wanted).await?))),
        })
    };

    #[doc = summary!(GROUP_DIAGRAMS)]
    ///
    /// Other groups stay as they are.
    ///
    /// Args:
    ///     groups: A dict from group name to diagrams: the objects, their ids or titles.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram; nothing was changed.
    ///
    /// Examples:
    ///     >>> project.group_diagrams({"East Shore": [1001, 1002], "North Shore": [1040]})
    fn group_diagrams(groups: Groups) -> Nothing = |project| {
        let groups = groups.find(&project).await?;
        project.group_diagrams(groups).await?;
        Ok(Nothing)
    };

    /// The change ids of many diagrams, requested concurrently.
    ///
    /// Args:
    ///     ids: Diagrams: the objects, their ids or titles. Default: all diagrams.
    ///
    /// Returns:
    ///     A dict from diagram id to change id.
    ///
    /// Raises:
    ///     NotFoundError: The project does not have one of the diagrams.
    ///
    /// Examples:
    ///     >>> sorted(project.diagram_change_ids([1001, 1002]))
    ///     [1001, 1002]
    #[pyo3(signature = (ids=None))]
    fn diagram_change_ids(ids: Option<DiagramIds>) -> Json<BTreeMap<DiagramId, String>> = |project| {
        let ids = match ids {
            Some(ids) => Some(ids.find(&project).await?),
            None => None,
        };
        Ok(Json(project.diagram_change_ids(ids).await?))
    };

    /// The land of diagrams, computed by the service: overlaps of pairs, and hectares in each class of an evaluation map.
    ///
    /// Use it for a few diagrams of a large project: `compare()` answers the same for complete designs, but downloads all diagrams. Areas are
    /// geodesic, edges geodesics, and each place of a diagram counts once. Lines have no land, nor do features in external files.
    /// Other services may not have this operation.
    ///
    /// Args:
    ///     pairs: Pairs of diagrams: the objects, their ids or titles.
    ///     classes_of: The diagrams whose land is looked up in the evaluation map of their system.
    ///     land: The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area.
    ///
    /// Returns:
    ///     A `LandOfDiagrams` dict in hectares: `shared_ha`, a number for each pair in order, and `classes`, a dict for each of
    ///     `classes_of` with `diagramid`, `area_ha`, `evaluation` (dicts with `areatype` and `area_ha`, from where change is least wanted
    ///     to where it is most) and `outside_ha` of all classes, which are None if the system has no evaluation map, and
    ///     `outside_study_area_ha`, None if the project has no boundaries. With `land="inside"`, that land is in no other figure.
    ///
    /// Raises:
    ///     InputError: The project has no diagram of that title, or a pair does not have two diagrams.
    ///     BadRequestError: The project has no diagram of that id; or the diagrams are too many or too large for the service to compare at once. For
    ///         `land="inside"`, the project has no boundaries.
    ///     NotFoundError: The service does not answer questions about land.
    ///
    /// Examples:
    ///     >>> land = project.land([(1001, 1002), (1001, 1010)], classes_of=[1003])
    ///     >>> len(land["shared_ha"]), [part["areatype"] for part in land["classes"][0]["evaluation"]]
    ///     (2, ['red', 'yellow', 'green'])
    #[pyo3(
        signature = (pairs: "Iterable[tuple[Diagram | int | str, Diagram | int | str]]" = Vec::new(), *, classes_of=None, land=Arg(CountedLand::All)),
        text_signature = "($self, pairs=(), *, classes_of=None, land='all')"
    )]
    fn land(pairs: Vec<DiagramIds>, classes_of: Option<DiagramIds>, land: CountedLand) -> Json<LandOfDiagrams> = |project| {
        let mut question = LandQuestion { land, ..LandQuestion::default() };
        for pair in pairs {
            let ids = pair.find(&project).await?;
            let pair = ids.as_slice().try_into();
            question.pairs.push(pair.map_err(|_| input_error(format!("a pair must have two diagrams, not {}", ids.len())))?);
        }
        if let Some(ids) = classes_of {
            question.classes_of = ids.find(&project).await?;
        }
        Ok(Json(project.land(&question).await?))
    };

    /// Pictures of many diagrams, fetched several at once.
    ///
    /// Args:
    ///     ids: Diagrams: the objects, their ids or titles. Default: all diagrams.
    ///     progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A dict from diagram id to a PNG, as bytes.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> sorted(project.thumbnails([1001, 1002]))
    ///     [1001, 1002]
    #[pyo3(signature = (ids=None, progress=None))]
    fn thumbnails(ids: Option<DiagramIds>, progress: Option<bool>) -> BTreeMap<i64, Image> = |project| {
        let progress = Progress::new("thumbnails", progress)?;
        let ids = match ids {
            Some(ids) => Some(ids.find(&project).await?),
            None => None,
        };
        let images = project.thumbnails(ids, &progress).await?;
        Ok(images.into_iter().map(|(id, png)| (id.0, Image(png))).collect())
    };
}

/// Diagrams, with the requested fields.
#[derive(IntoPyObject)]
enum Diagrams {
    All(FeatureCollection),
    Details(Listed<Json<Vec<Diagram>>>),
    Summary(Listed<Json<Vec<DiagramSummary>>>),
}
