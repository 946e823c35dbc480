//! Drawings on a project's constraints, land where nothing can change: their authors are warned, or the drawings are refused.

use super::read_maps::areas;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::request::auth::Member;
use crate::http::state::AppState;
use crate::store::{Geography, ProjectKey, Reader};
use geodesign::model::operations::ProjectPathIds;
use geodesign::model::{DrawnFeatures, OnConstraints};
use geodesign_geometry::Geometry;

/// Larger diagrams get no remarks, which would take too long.
pub(super) const MAX_REMARKED_BYTES: usize = 1024 * 1024;

/// A project's constraints, and the rule for drawings on them.
pub struct ClosedLand {
    /// GeoJSON text.
    constraints: String,
    refuses: bool,
}

impl ClosedLand {
    pub fn of(read: &Reader, project: ProjectKey) -> Result<Self> {
        let constraints = read.geography(project, Geography::Constraints)?.geojson.0;
        Ok(ClosedLand { constraints, refuses: read.refuses_drawings_on_constraints(project)? })
    }

    /// Returns the part of a drawing on the constraints; `None` without constraints, or if comparing takes too long for a warning. Refuses
    /// the drawing if the project says so.
    pub fn check(self, drawn: &DrawnFeatures) -> Result<Option<OnConstraints>> {
        let is_large = bytes(drawn).max(self.constraints.len()) > MAX_REMARKED_BYTES;
        if is_large && !self.refuses {
            return Ok(None);
        }
        let geometries: Vec<Geometry> = drawn.features.iter().map(|feature| feature.geometry.geometry()).collect();
        match OnConstraints::of(&geometries, &areas(self.constraints)?) {
            Err(too_much) if self.refuses => Err(ApiError::invalid(too_much)),
            Ok(Some(part)) if self.refuses && part.is_any() => Err(ApiError::Invalid(part.refusal())),
            found => Ok(found.unwrap_or_default()),
        }
    }
}

/// Refuses a new geometry of a diagram if it is on constraints and the project says so. Before the transaction: there is one writer at a time.
pub async fn check_geometry<Ids: ProjectPathIds>(
    state: &AppState,
    member: &Member<Ids>,
    geometry: Option<DrawnFeatures>,
) -> Result<()> {
    let Some(geometry) = geometry else { return Ok(()) };
    let (state, member) = (state.clone(), member.clone());
    let check = move || {
        let closed = state.look_up(member, |read, member| ClosedLand::of(read, member.project))?;
        if closed.refuses { closed.check(&geometry).map(drop) } else { Ok(()) }
    };
    gate::run(check).await?
}

/// Number of bytes in a drawing's geometries.
pub(super) fn bytes(drawn: &DrawnFeatures) -> usize {
    drawn.features.iter().map(|feature| feature.geometry.text().len()).sum()
}
