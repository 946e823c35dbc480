//! Feature-JSON into a collection.

use serde::Serialize;

use crate::features::{BodyError, FeatureCollection, Layout};
use crate::geometry::{EsriError, Geometry};
use crate::model::{EsriFeature, JsonObject};

/// A feature-JSON feature that cannot become GeoJSON.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EsriFeatureError {
    #[error("feature {index}: {problem}")]
    Feature { index: usize, problem: EsriError },
    #[error(transparent)]
    Body(#[from] BodyError),
}

impl FeatureCollection {
    /// From feature-JSON in WGS 84 (wkid 4326) or Web Mercator (3857, 102100): attributes become properties, rings become
    /// polygons with their holes, and coordinates become longitude and latitude.
    pub fn from_esri(features: &[EsriFeature]) -> Result<Self, EsriFeatureError> {
        let features: Vec<GeojsonFeature> = features
            .iter()
            .enumerate()
            .map(|(index, feature)| {
                let geometry = feature.geometry.as_ref().map(|geometry| geometry.to_geometry()).transpose();
                let geometry = geometry.map_err(|problem| EsriFeatureError::Feature { index, problem })?;
                Ok(GeojsonFeature { r#type: "Feature", properties: &feature.attributes, geometry })
            })
            .collect::<Result<_, EsriFeatureError>>()?;
        let collection = Collection { r#type: "FeatureCollection", features };
        let body = serde_json::to_vec(&collection).expect("numbers and text always serialize");
        Ok(FeatureCollection::from_json(body, Layout::Collection)?)
    }
}

#[derive(Serialize)]
struct Collection<'f> {
    r#type: &'static str,
    features: Vec<GeojsonFeature<'f>>,
}

#[derive(Serialize)]
struct GeojsonFeature<'f> {
    r#type: &'static str,
    properties: &'f JsonObject,
    geometry: Option<Geometry>,
}
