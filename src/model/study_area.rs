//! Whether what is drawn lies in the study area of its project.

use super::bounds::{Bounds, Center};
use super::drawn_geometry::DrawnGeometry;
use crate::geometry::Shape;

/// A geometry has no point within the bounds of its project.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "it lies outside the study area{}: it begins at {}, and the study area has {}. {}",
    if *.is_swapped { ", because its longitude and latitude are swapped" } else { "" },
    describe_position(.begin),
    describe_extent(.study_area),
    if *.is_swapped { "Give longitude first" } else { "Correct it, or add it all the same with outside=\"allow\"" }
)]
pub struct OutsideStudyArea {
    pub study_area: Bounds,
    /// The first position of the geometry.
    pub begin: Center,
    /// Whether the geometry would be in the study area if its longitudes were latitudes and its latitudes longitudes.
    pub is_swapped: bool,
}

impl DrawnGeometry {
    /// Checks that at least one line or ring reaches into the bounds.
    ///
    /// ```
    /// use geodesign::model::{Bounds, DrawnGeometry};
    ///
    /// let lisbon: Bounds = "-9.23,38.69,-9.09,38.8".parse()?;
    /// let in_lisbon: DrawnGeometry = serde_json::from_str(r#"{"type":"LineString","coordinates":[[-9.2,38.7],[-8,38]]}"#)?;
    /// assert_eq!(in_lisbon.check_inside(lisbon), Ok(()));
    ///
    /// let swapped: DrawnGeometry = serde_json::from_str(r#"{"type":"LineString","coordinates":[[38.7,-9.2],[38.7,-9.1]]}"#)?;
    /// let error = swapped.check_inside(lisbon).unwrap_err();
    /// assert!(error.to_string().contains("its longitude and latitude are swapped"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_inside(&self, study_area: Bounds) -> Result<(), OutsideStudyArea> {
        let extents = extents(self);
        let is_inside = extents.iter().any(|extent| extent.meet(study_area));
        match self.begin() {
            Some(begin) if !is_inside => {
                let is_swapped = extents.iter().any(|extent| extent.swapped().meet(study_area));
                Err(OutsideStudyArea { study_area, begin, is_swapped })
            }
            _ => Ok(()),
        }
    }

    fn begin(&self) -> Option<Center> {
        let mut begin = None;
        self.geometry().for_each_shape(&mut |shape| begin = begin.or_else(|| shape.lon_lats().next()));
        begin.map(|(longitude, latitude)| Center { longitude, latitude })
    }
}

/// The bounds of each line and ring. The bounds of a whole geometry with parts on both sides of longitude 180 would be a band
/// around the Earth.
fn extents(drawn: &DrawnGeometry) -> Vec<Bounds> {
    let mut extents = Vec::new();
    drawn.geometry().for_each_shape(&mut |shape: &Shape| {
        let extent = |line: &[f64]| Bounds::around(line.chunks_exact(shape.stride()).map(|at| (at[0], at[1])));
        extents.extend(shape.lines().filter_map(extent));
    });
    extents
}

fn describe_position(Center { longitude, latitude }: &Center) -> String {
    format!("longitude {longitude}, latitude {latitude}")
}

fn describe_extent(Bounds { west, south, east, north }: &Bounds) -> String {
    format!("longitudes from {west} to {east} and latitudes from {south} to {north}")
}
