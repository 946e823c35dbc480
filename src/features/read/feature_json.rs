//! Makes a collection of feature-JSON features.

use serde::Serialize;

use crate::features::body::{BodyError, Layout};
use crate::features::collection::FeatureCollection;
use crate::geometry::{EsriError, Geometry};
use crate::model::{EsriFeature, JsonObject};

/// Feature-JSON that cannot become a collection.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EsriFeatureError {
    /// Features are counted from 0.
    #[error("feature {index}: {source}")]
    Feature { index: usize, source: EsriError },
    #[error(transparent)]
    Body(#[from] BodyError),
}

impl FeatureCollection {
    /// Converts feature-JSON in WGS 84 (wkid 4326) or Web Mercator (wkid 3857 or 102100). Attributes become properties,
    /// rings become polygons with holes, and coordinates become longitude and latitude in degrees.
    pub fn from_esri(features: &[EsriFeature]) -> Result<Self, EsriFeatureError> {
        let features: Vec<GeojsonFeature> = features
            .iter()
            .enumerate()
            .map(|(index, feature)| {
                let geometry = feature.geometry.as_ref().map(|geometry| geometry.to_geometry()).transpose();
                let geometry = geometry.map_err(|source| EsriFeatureError::Feature { index, source })?;
                // Empty rings or paths stand for none.
                let geometry = geometry.filter(|geometry| !geometry.is_empty());
                Ok(GeojsonFeature { r#type: "Feature", properties: &feature.attributes, geometry })
            })
            .collect::<Result<_, EsriFeatureError>>()?;
        let collection = GeojsonCollection { r#type: "FeatureCollection", features };
        let body = serde_json::to_vec(&collection).expect("numbers and text always serialize");
        Ok(FeatureCollection::from_json(body, Layout::Collection)?)
    }
}

#[derive(Serialize)]
struct GeojsonCollection<'f> {
    r#type: &'static str,
    features: Vec<GeojsonFeature<'f>>,
}

#[derive(Serialize)]
struct GeojsonFeature<'f> {
    r#type: &'static str,
    properties: &'f JsonObject,
    geometry: Option<Geometry>,
}
