//! The features of diagrams, with the properties that each operation gives them.

use std::collections::HashMap;

use rusqlite::{ToSql, params_from_iter};

use super::database::columns::{Cells, Columns, columns};
use super::database::error::Result;
use super::database::transaction::Reader;
use super::database::values::to_geometry;
use super::diagrams::{DiagramFilter, FROM_DIAGRAMS, TAG_CODES, UNDATED};
use super::feature_parts::in_parts;
use geodesign::model::{
    DesignProperties, Diagram, DiagramId, DiagramProperties, EsriFeature, Feature, GeojsonCollection, GeometryText,
    ObjectText, SelectionProperties, VolumeInformation, WithGeojson,
};
use geodesign_geometry::EsriGeometry;

macro_rules! empty_line {
    () => {
        r#"{"type":"LineString","coordinates":[]}"#
    };
}

macro_rules! empty_point {
    () => {
        r#"{"type":"Point","coordinates":[]}"#
    };
}

macro_rules! empty_polygon {
    () => {
        r#"{"type":"Polygon","coordinates":[]}"#
    };
}

/// Replaces the geometry of an external diagram, which has no features here: many programs fail on a null geometry, and some on a polygon
/// without rings.
const NO_GEOMETRY: &str = r#"{"type":"GeometryCollection","geometries":[]}"#;

/// The geometry of a feature. For an external diagram it is empty, and shows the type that it would have in feature-JSON.
const GEOMETRY: &str = concat!(
    "coalesce(geometry, CASE featuretype WHEN 'line' THEN '",
    empty_line!(),
    "' WHEN 'point' THEN '",
    empty_point!(),
    "' ELSE '",
    empty_polygon!(),
    "' END)"
);

type PropertiesAndGeometry = (DiagramProperties, Option<GeometryText>);

impl Reader<'_> {
    /// Reads diagrams with their features.
    pub fn diagrams(
        &self,
        filter: &DiagramFilter,
    ) -> Result<Vec<WithGeojson<GeojsonCollection<DiagramProperties>, Diagram<ObjectText>>>> {
        let (condition, values) = filter.condition();
        let rest =
            format!("{FROM_DIAGRAMS} JOIN features ON diagram = diagrams.id WHERE {condition} ORDER BY features.key");
        let further = columns!((extra: "coalesce(features.extra, '{}')"));
        let mut features = HashMap::<DiagramId, Vec<Feature<DiagramProperties>>>::new();
        for ((properties, geometry), (extra,)) in self.select_features(further, &rest, values)? {
            let properties = DiagramProperties { extra, ..properties };
            features.entry(properties.diagramid).or_default().push(Feature::new(properties, geometry));
        }
        let with_features = |diagram: Diagram<ObjectText>| WithGeojson {
            geojson: features.remove(&diagram.id).unwrap_or_default().into_iter().collect(),
            resource: diagram,
        };
        Ok(self.diagram_details(filter)?.into_iter().map(with_features).collect())
    }

    /// Reads the features of selected diagrams. A diagram without features gets one with an empty geometry.
    pub fn selection_features(&self, filter: &DiagramFilter) -> Result<GeojsonCollection<SelectionProperties>> {
        let (condition, values) = filter.condition();
        let rest = format!(
            "{FROM_DIAGRAMS} LEFT JOIN features ON diagram = diagrams.id WHERE {condition} ORDER BY {}, features.key",
            filter.order()
        );
        let features =
            self.select_features(columns!((description: "diagrams.description")), &rest, values)?.into_iter();
        let feature = |((diagram, geometry), (description,)): ((DiagramProperties, _), _)| {
            let rgbcolor = rgb_text(&diagram.color);
            Feature::new(SelectionProperties { diagram, description, rgbcolor }, in_geojson(geometry))
        };
        Ok(features.map(feature).collect())
    }

    /// Reads the features of the diagrams in a design, one per part: programs of the public platform know Polygon, LineString and Point, and lose
    /// a MultiPolygon.
    pub fn design_parts(&self, filter: &DiagramFilter) -> Result<GeojsonCollection<DesignProperties<ObjectText>>> {
        let features = self.design_features(filter)?.into_iter();
        in_parts(features.map(|feature| Feature::new(feature.properties, in_geojson(feature.geometry))).collect())
    }

    /// Reads the features of the diagrams in a design, as they were drawn. A diagram without features gets one with an empty geometry.
    fn design_features(&self, filter: &DiagramFilter) -> Result<Vec<Feature<DesignProperties<ObjectText>>>> {
        let (condition, values) = filter.condition();
        let rest = format!(
            "{FROM_DIAGRAMS} LEFT JOIN features ON diagram = diagrams.id WHERE {condition} ORDER BY {}, features.key",
            filter.order()
        );
        let further = columns!(DesignProperties {
            description: "diagrams.description",
            grid_location,
            diagramtype: "type",
            fundingtype,
            cost_override,
            cost_override_type,
            notes,
            additional_metadata,
            tag_codes: TAG_CODES,
            start_date,
            end_date,
            undated: UNDATED,
            ..
        });
        let features = self.select_features(further, &rest, values)?.into_iter();
        let feature =
            |((diagram, geometry), properties)| Feature::new(DesignProperties { diagram, ..properties }, geometry);
        Ok(features.map(feature).collect())
    }

    /// Reads the same features as feature-JSON, in which a geometry may have several rings or paths.
    pub fn design_esri(&self, filter: &DiagramFilter) -> Result<Vec<EsriFeature<DesignProperties<ObjectText>>>> {
        let features = self.design_features(filter)?.into_iter();
        features
            .map(|feature| {
                let geometry = feature.geometry.as_ref().map(to_esri).transpose()?.flatten();
                Ok(EsriFeature { attributes: feature.properties, geometry })
            })
            .collect()
    }

    /// Reads the features that the rest of a query selects, each with its geometry and with further columns.
    fn select_features<T>(
        &self,
        further: Columns<impl Fn(&mut Cells) -> Result<T>>,
        rest: &str,
        values: Vec<Box<dyn ToSql>>,
    ) -> Result<Vec<(PropertiesAndGeometry, T)>> {
        let shown = |author| self.shown(author);
        let columns = columns!((
            properties: DiagramProperties {
                diagramid: "diagrams.id",
                areatype: "type",
                author: shown("username"),
                color,
                sysid: "systems.id",
                sysname: "systems.name",
                systag: "systems.tag",
                volume_information: VolumeInformation {
                    min_height: "coalesce(min_height, 0.0)",
                    max_height: "coalesce(max_height, 0.0)",
                },
                ..
            },
            geometry: GEOMETRY,
        ));
        self.select(columns.and(further), rest, params_from_iter(values))
    }
}

/// Replaces an empty geometry with an empty one of GeoJSON.
fn in_geojson(geometry: Option<GeometryText>) -> Option<GeometryText> {
    geometry.map(|geometry| match geometry.0.as_str() {
        empty_point!() | empty_line!() | empty_polygon!() => GeometryText(NO_GEOMETRY.to_owned()),
        _ => geometry,
    })
}

/// Converts a geometry with pairs of coordinates, as the operation is documented: heights are left out.
fn to_esri(geojson: &GeometryText) -> Result<Option<EsriGeometry>> {
    match geojson.0.as_str() {
        empty_point!() => Ok(Some(EsriGeometry::no_points())),
        empty_line!() => Ok(Some(EsriGeometry::no_paths())),
        empty_polygon!() => Ok(Some(EsriGeometry::no_rings())),
        text => {
            let geometry = to_geometry(text)?.map(|geometry| geometry.without_heights());
            Ok(geometry.as_ref().and_then(EsriGeometry::from_geometry))
        }
    }
}

/// Turns `#2b7bba` into `43, 123, 186`.
fn rgb_text(color: &str) -> String {
    let hex = color.trim_start_matches('#');
    let channel = |at: usize| hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or(0);
    format!("{}, {}, {}", channel(0), channel(2), channel(4))
}
