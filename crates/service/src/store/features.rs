//! The features of diagrams, with the properties that each operation gives them.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use rusqlite::{Row, params_from_iter};

use super::database::error::Result;
use super::database::transaction::Reader;
use super::database::values::{from_json, object_text, parsed_optional, to_geometry};
use super::diagrams::{DiagramFilter, FROM_DIAGRAMS, TAG_CODES, UNDATED};
use super::feature_parts::in_parts;
use geodesign::model::{
    DesignProperties, Diagram, DiagramId, DiagramProperties, EsriFeature, Feature, GeojsonCollection, GeometryText,
    JsonObject, ObjectText, SelectionProperties, SystemId, VolumeInformation, WithGeojson,
};
use geodesign_geometry::EsriGeometry;

macro_rules! empty_line {
    () => {
        r#"{"type":"LineString","coordinates":[]}"#
    };
}

macro_rules! empty_polygon {
    () => {
        r#"{"type":"Polygon","coordinates":[]}"#
    };
}

/// What stands for the geometry of an external diagram, which has no features here: many programs fail on a geometry that is null, and
/// some on a polygon without rings.
const NO_GEOMETRY: &str = r#"{"type":"GeometryCollection","geometries":[]}"#;

/// The columns that [`diagram_properties`] and [`geometry`] read; further ones follow. An external diagram has an empty geometry, which
/// tells what it would be in feature-JSON.
const SELECT_FEATURES: &str = concat!(
    "SELECT diagrams.id, type, username, color, systems.id, systems.name, systems.tag, min_height, max_height, ",
    "coalesce(geometry, CASE featuretype WHEN 'line' THEN '",
    empty_line!(),
    "' ELSE '",
    empty_polygon!(),
    "' END), diagrams.description"
);

impl Reader<'_> {
    /// Diagrams with their features.
    pub fn diagrams(
        &self,
        filter: &DiagramFilter,
    ) -> Result<Vec<WithGeojson<GeojsonCollection<DiagramProperties>, Diagram<ObjectText>>>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "{SELECT_FEATURES}, features.extra {FROM_DIAGRAMS} JOIN features ON diagram = diagrams.id WHERE {condition} \
             ORDER BY features.key"
        );
        let mut features = HashMap::<i64, Vec<Feature<DiagramProperties>>>::new();
        self.all(&sql, params_from_iter(values), |row| {
            let mut properties = diagram_properties(self, row)?;
            if row.get_ref(11)? != ValueRef::Null {
                properties.extra = from_json(row, 11)?;
            }
            features.entry(row.get(0)?).or_default().push(Feature::new(properties, geometry(row)?));
            Ok(())
        })?;
        let with_features = |diagram: Diagram<ObjectText>| WithGeojson {
            geojson: features.remove(&diagram.id.0).unwrap_or_default().into_iter().collect(),
            resource: diagram,
        };
        Ok(self.diagram_details(filter)?.into_iter().map(with_features).collect())
    }

    /// The features of selected diagrams. A diagram without features has one whose geometry is empty.
    pub fn selection_features(&self, filter: &DiagramFilter) -> Result<GeojsonCollection<SelectionProperties>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "{SELECT_FEATURES} {FROM_DIAGRAMS} LEFT JOIN features ON diagram = diagrams.id WHERE {condition} \
             ORDER BY {}, features.key",
            filter.order()
        );
        let features = self.all(&sql, params_from_iter(values), |row| {
            let diagram = diagram_properties(self, row)?;
            let rgbcolor = rgb_text(&diagram.color);
            let properties = SelectionProperties { diagram, description: row.get(10)?, rgbcolor };
            Ok(Feature::new(properties, in_geojson(geometry(row)?)))
        })?;
        Ok(features.into_iter().collect())
    }

    /// The features of the diagrams in a design, a feature a part: programs of the public platform know Polygon and LineString, and
    /// lose what is a MultiPolygon.
    pub fn design_parts(&self, filter: &DiagramFilter) -> Result<GeojsonCollection<DesignProperties<ObjectText>>> {
        let features = self.design_features(filter)?.into_iter();
        in_parts(features.map(|feature| Feature::new(feature.properties, in_geojson(feature.geometry))).collect())
    }

    /// The features of the diagrams in a design, as they were drawn. A diagram without features has one whose geometry is empty.
    fn design_features(&self, filter: &DiagramFilter) -> Result<Vec<Feature<DesignProperties<ObjectText>>>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "{SELECT_FEATURES}, grid_location, fundingtype, cost_override, cost_override_type, notes, \
             additional_metadata, {TAG_CODES}, start_date, end_date, {UNDATED} {FROM_DIAGRAMS} \
             LEFT JOIN features ON diagram = diagrams.id WHERE {condition} ORDER BY {}, features.key",
            filter.order()
        );
        let features = self.all(&sql, params_from_iter(values), |row| {
            let diagram = diagram_properties(self, row)?;
            let properties = DesignProperties {
                diagramtype: diagram.areatype.clone(),
                diagram,
                description: row.get(10)?,
                grid_location: row.get(11)?,
                fundingtype: row.get(12)?,
                cost_override: row.get(13)?,
                cost_override_type: row.get(14)?,
                notes: row.get(15)?,
                additional_metadata: object_text(row, 16)?,
                tag_codes: row.get(17)?,
                start_date: parsed_optional(row, 18)?,
                end_date: parsed_optional(row, 19)?,
                undated: row.get(20)?,
            };
            Ok(Feature::new(properties, geometry(row)?))
        })?;
        Ok(features)
    }

    /// The same features as feature-JSON, in which a geometry may have several rings or paths.
    pub fn design_esri(&self, filter: &DiagramFilter) -> Result<Vec<EsriFeature<DesignProperties<ObjectText>>>> {
        let features = self.design_features(filter)?.into_iter();
        features
            .map(|feature| {
                let geometry = feature.geometry.as_ref().map(to_esri).transpose()?.flatten();
                Ok(EsriFeature { attributes: feature.properties, geometry })
            })
            .collect()
    }
}

fn diagram_properties(read: &Reader, row: &Row) -> Result<DiagramProperties> {
    let height = |column: usize| Result::Ok(row.get::<_, Option<f64>>(column)?.unwrap_or(0.0));
    Ok(DiagramProperties {
        diagramid: DiagramId(row.get(0)?),
        areatype: row.get(1)?,
        author: read.author(row, 2)?,
        color: row.get(3)?,
        sysid: SystemId(row.get(4)?),
        sysname: row.get(5)?,
        systag: row.get(6)?,
        volume_information: VolumeInformation { min_height: height(7)?, max_height: height(8)? },
        extra: JsonObject::new(),
    })
}

fn geometry(row: &Row) -> Result<Option<GeometryText>> {
    Ok(row.get::<_, Option<String>>(9)?.map(GeometryText))
}

/// An empty geometry as GeoJSON has it.
fn in_geojson(geometry: Option<GeometryText>) -> Option<GeometryText> {
    geometry.map(|geometry| match geometry.0.as_str() {
        empty_line!() | empty_polygon!() => GeometryText(NO_GEOMETRY.to_owned()),
        _ => geometry,
    })
}

/// With pairs of coordinates, as the operation is documented: heights are left out.
fn to_esri(geojson: &GeometryText) -> Result<Option<EsriGeometry>> {
    match geojson.0.as_str() {
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
