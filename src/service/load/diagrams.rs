//! The diagrams in an archive.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answers::Answers;
use super::archived::{ArchivedSystem, DrawnFeature};
use super::error::LoadProblem;
use crate::model::operations::{ALL_DIAGRAM_DETAILS, ALL_DIAGRAMS, DIAGRAM, DIAGRAMS, InDiagram};
use crate::model::{Diagram, DiagramId, DiagramSummary, FeatureType, JsonObject, SystemId, VolumeInformation};
use crate::service::store::GridLocation;

#[derive(Debug)]
pub struct ArchivedDiagram {
    pub summary: DiagramSummary,
    pub fields: Diagram<Box<RawValue>>,
    pub location: GridLocation,
    /// What an external diagram shows.
    pub feature_type: FeatureType,
    /// The heights of each feature, and its geometry as the origin wrote it.
    pub features: Vec<(VolumeInformation, String)>,
}

/// A diagram as it is among all diagrams of a project.
#[derive(Deserialize)]
struct WithFeatures {
    id: DiagramId,
    #[serde(default)]
    geojson: Option<Features>,
}

#[derive(Deserialize)]
struct Features {
    #[serde(default)]
    features: Vec<Feature>,
}

#[derive(Deserialize)]
struct Feature {
    #[serde(default)]
    properties: Option<Properties>,
    #[serde(default)]
    geometry: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
struct Properties {
    #[serde(default)]
    volume_information: Option<Heights>,
}

#[derive(Deserialize)]
struct Heights {
    #[serde(default)]
    min_height: f64,
    #[serde(default)]
    max_height: f64,
}

/// All diagrams. `drawn` are features in designs, which tell what the diagrams themselves do not.
pub fn read_diagrams(
    answers: Answers,
    systems: &[ArchivedSystem],
    drawn: &[DrawnFeature],
) -> Result<Vec<ArchivedDiagram>, LoadProblem> {
    let columns: BTreeMap<SystemId, u8> =
        systems.iter().map(|system| system.detail.item.id).zip((b'A'..=b'Z').chain(std::iter::repeat(b'Z'))).collect();
    let by_id = |diagrams: Vec<WithFeatures>| diagrams.into_iter().map(|diagram| (diagram.id, diagram.geojson));
    let all: Vec<WithFeatures> = answers.list(ALL_DIAGRAMS)?;
    let mut features: HashMap<DiagramId, Option<Features>> = by_id(all).collect();
    let details: Vec<Diagram<Box<RawValue>>> = answers.list(ALL_DIAGRAM_DETAILS)?;
    let mut details: HashMap<DiagramId, _> = details.into_iter().map(|diagram| (diagram.id, diagram)).collect();
    let seen = Seen::new(drawn);
    let summaries: Vec<DiagramSummary> = answers.list(DIAGRAMS)?;
    let read = |summary: DiagramSummary| {
        let id = summary.id;
        let ids = InDiagram { projectid: answers.project().clone(), diagramid: id };
        let fields = match details.remove(&id) {
            Some(fields) => fields,
            None => answers.at(DIAGRAM, ids.clone())?.unwrap_or_else(|| without_fields(&summary)),
        };
        let geojson = match features.remove(&id) {
            Some(geojson) => geojson,
            None => answers.at::<_, WithFeatures>(DIAGRAM, ids)?.and_then(|diagram| diagram.geojson),
        };
        let &column =
            columns.get(&fields.sysid).ok_or(LoadProblem::UnknownSystem { diagram: id, system: fields.sysid })?;
        let rank = fields.rank.or(summary.rank).unwrap_or_default();
        let name = seen.locations.get(&id).map_or_else(|| format!("{}{rank}", char::from(column)), ToString::to_string);
        Ok(ArchivedDiagram {
            fields,
            location: GridLocation { rank, name },
            feature_type: if seen.lines.contains(&id) { FeatureType::Line } else { FeatureType::Polygon },
            features: geojson.map(|geojson| geojson.features).unwrap_or_default().into_iter().map(feature).collect(),
            summary,
        })
    };
    summaries.into_iter().map(read).collect()
}

fn feature(Feature { properties, geometry }: Feature) -> (VolumeInformation, String) {
    let heights = properties.and_then(|properties| properties.volume_information);
    let (min_height, max_height) = heights.map_or((0.0, 0.0), |heights| (heights.min_height, heights.max_height));
    (VolumeInformation { min_height, max_height }, geometry.map_or("null".to_owned(), |text| text.get().to_owned()))
}

/// What features in designs tell of their diagrams.
struct Seen<'d> {
    locations: HashMap<DiagramId, &'d str>,
    /// The external diagrams that show lines.
    lines: HashSet<DiagramId>,
}

impl<'d> Seen<'d> {
    fn new(drawn: &'d [DrawnFeature]) -> Self {
        let (mut locations, mut lines) = (HashMap::new(), HashSet::new());
        for DrawnFeature { properties, geometry } in drawn {
            let Some(id) = properties.diagramid else { continue };
            locations.extend(properties.grid_location.as_deref().map(|location| (id, location)));
            if geometry.as_ref().is_some_and(|geometry| geometry.get().contains("LineString")) {
                lines.insert(id);
            }
        }
        Seen { locations, lines }
    }
}

/// A diagram of which the archive has nothing but the summary.
fn without_fields(summary: &DiagramSummary) -> Diagram<Box<RawValue>> {
    Diagram {
        sysid: summary.sysid,
        rank: summary.rank,
        id: summary.id,
        description: summary.worlddescription.clone(),
        kind: None,
        length: None,
        area: None,
        fundingtype: None,
        cost_override: None,
        cost_override_type: None,
        building_data: None,
        notes: None,
        created_at: None,
        start_date: None,
        end_date: None,
        additional_metadata: None,
        tag_codes: None,
        flat_geobuf_url: None,
        external_geometries: None,
        extra: JsonObject::new(),
    }
}
