//! The part of a drawing on a project's constraints, land where nothing can change.

use std::fmt;

use serde::{Deserialize, Serialize};

use geodesign_geometry::{Geometry, OnLand, TooMuch};

/// The part of a drawing on constraints, each place once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OnConstraints {
    /// Hectares.
    pub area_ha: f64,
    /// Kilometres of lines.
    pub length_km: f64,
    /// The number of points.
    #[serde(default)]
    pub pieces: i64,
    /// The share of the drawing's area, of its length or of its points, from 0 to 1.
    pub share: f64,
}

impl OnConstraints {
    /// Compares a drawing with the areas where nothing can change. `None` if there are no such areas.
    pub fn of(drawing: &[Geometry], constraints: &[Geometry]) -> Result<Option<Self>, TooMuch> {
        if constraints.is_empty() {
            return Ok(None);
        }
        let OnLand { measure, share } = OnLand::of(drawing, constraints)?;
        Ok(Some(OnConstraints {
            area_ha: measure.hectares(),
            length_km: measure.kilometres(),
            pieces: measure.pieces as i64,
            share,
        }))
    }

    /// True if more of it is on constraints than a border's rounding.
    pub fn is_any(&self) -> bool {
        self.area_ha.max(self.length_km) > LEAST || self.pieces > 0
    }

    /// The reason for refusing the drawing.
    pub fn refusal(&self) -> String {
        const WHY: &str =
            "lie on constraints, land where nothing can change; the project refuses such drawings: draw beside them";
        format!("{self} of the drawing {WHY}")
    }
}

/// Displays sizes and share, such as `0.80 ha (12 %)`.
impl fmt::Display for OnConstraints {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            OnConstraints { area_ha, .. } if *area_ha > 0.0 => write!(f, "{area_ha:.2} ha")?,
            OnConstraints { length_km, .. } if *length_km > 0.0 => write!(f, "{length_km:.2} km")?,
            OnConstraints { pieces: 1, .. } => f.write_str("1 point")?,
            OnConstraints { pieces, .. } => write!(f, "{pieces} points")?,
        }
        write!(f, " ({:.0} %)", (self.share * 100.0).max(1.0))
    }
}

/// In hectares and kilometres: a drawing that was cut at a border reaches over it by less, through rounding.
const LEAST: f64 = 0.001;
