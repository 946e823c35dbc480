//! Diagrams that lie outside the study area of the project are most often a mistake: swapped axes, or another city.

use super::new_diagrams::{NewDiagram, Outside};
use crate::client::{Project, Result};
use crate::model::{Bounds, OutsideStudyArea};

/// A feature of one of several diagrams, each counted from 0, that lies outside the study area.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureOutside {
    pub diagram: usize,
    pub feature: usize,
    pub problem: OutsideStudyArea,
}

impl Project {
    /// The features that lie outside the study area although their diagrams must not.
    pub async fn features_outside(&self, diagrams: &[NewDiagram]) -> Result<Vec<FeatureOutside>> {
        if diagrams.iter().all(|diagram| diagram.outside == Outside::Allow) {
            return Ok(Vec::new());
        }
        if let Some(bounds) = self.remembered_bounds().get() {
            let outside = features_outside(diagrams, bounds);
            if outside.is_empty() {
                return Ok(outside);
            }
        }
        // Before anything is refused: the study area may have been changed since.
        let bounds = self.bounds().await?;
        self.remembered_bounds().set(bounds);
        Ok(features_outside(diagrams, bounds))
    }
}

fn features_outside(diagrams: &[NewDiagram], bounds: Bounds) -> Vec<FeatureOutside> {
    let mut outside = Vec::new();
    let refused = diagrams.iter().enumerate().filter(|(_, diagram)| diagram.outside == Outside::Refuse);
    for (diagram, NewDiagram { drawn, .. }) in refused {
        for (feature, drawn) in drawn.geometry.features.iter().enumerate() {
            if let Err(problem) = drawn.geometry.check_inside(bounds) {
                outside.push(FeatureOutside { diagram, feature, problem });
            }
        }
    }
    outside
}
