//! Land that counts: all of it, or only what lies in the study area.

use serde::{Deserialize, Deserializer, Serialize};

use super::diagram_facts::is_noticeable;
use super::rules::RateSource;
use super::units::Units;
use geodesign_geometry::{Measure, SQUARE_METRES_PER_HECTARE};

/// The land whose hectares and kilometres count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum CountedLand {
    /// All of it.
    #[default]
    All,
    /// Only what lies inside the project's boundaries.
    Inside,
}

impl CountedLand {
    /// All names that [`from_name`](Self::from_name) knows.
    pub const NAMES: [&str; 2] = ["all", "inside"];
    /// The problem with any other name.
    pub const PROBLEM: &str = "land must be all or inside";

    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "all" => Some(CountedLand::All),
            "inside" => Some(CountedLand::Inside),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            CountedLand::All => "all",
            CountedLand::Inside => "inside",
        }
    }

    pub fn is_all(&self) -> bool {
        *self == CountedLand::All
    }
}

/// The part of a diagram outside the study area, where only land inside counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OutsideLand {
    /// Hectares that do not count; `None` if they are unknown, so that all count.
    #[serde(deserialize_with = "present")]
    pub outside_ha: Option<f64>,
    /// Kilometres of lines that do not count; `None` if they are unknown, so that all count.
    pub outside_km: Option<f64>,
    /// The number of points that do not count; `None` if it is unknown, so that all count.
    pub outside_pieces: Option<i64>,
    /// The sizes that do not count, or the reason why everything counts. `None` if nothing is outside.
    pub outside_note: Option<String>,
}

/// Reads a value that must be there, so that rows without it have no outside land.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(deserializer)
}

impl OutsideLand {
    /// The part outside a diagram of this size.
    pub fn of(whole: Option<Measure>, outside: Option<Measure>, rate_source: RateSource) -> Self {
        OutsideLand {
            outside_ha: outside.map(Measure::hectares),
            outside_km: outside.map(Measure::kilometres),
            outside_pieces: outside.map(|outside| outside.pieces as i64),
            outside_note: whole.and_then(|whole| note(whole, outside, rate_source, Units::Metric)),
        }
    }

    /// The note in these units, for a diagram of which this part counts.
    pub(super) fn note_in(&self, units: Units, counted: Measure, rate_source: RateSource) -> Option<String> {
        let (Some(hectares), Some(kilometres), Units::Us) = (self.outside_ha, self.outside_km, units) else {
            return self.outside_note.clone();
        };
        let pieces = self.outside_pieces.unwrap_or_default().unsigned_abs();
        let outside = Measure { pieces, ..Measure::from_wire(hectares * SQUARE_METRES_PER_HECTARE, kilometres) };
        let mut whole = counted;
        whole += outside;
        note(whole, Some(outside), rate_source, units)
    }
}

fn note(whole: Measure, outside: Option<Measure>, rate_source: RateSource, units: Units) -> Option<String> {
    let Some(outside) = outside else {
        return Some("all of it counts: without a geometry here, it cannot be cut at the study area".to_owned());
    };
    let (area, length) = (units.area_unit(), units.length_unit());
    let [areas, lengths] = [
        [outside, whole].map(|measure| units.area(measure.hectares())),
        [outside, whole].map(|measure| units.length(measure.kilometres())),
    ];
    let sizes = [
        (outside.square_metres > 0.0, format!("{:.2} of {:.2} {area}", areas[0], areas[1])),
        (outside.metres > 0.0, format!("{:.2} of {:.2} {length}", lengths[0], lengths[1])),
        (outside.pieces > 0, format!("{} of {} pieces", outside.pieces, whole.pieces)),
    ];
    let parts = sizes.into_iter().filter(|(is_outside, _)| *is_outside).map(|(_, part)| part);
    let cost = if rate_source == RateSource::Total { "; its cost is a total, which stays" } else { "" };
    let parts = parts.collect::<Vec<_>>().join(" and ");
    is_noticeable(outside).then(|| format!("outside the study area: {parts} not counted{cost}"))
}

/// Returns the part of a measure that counts. What prices the whole comes first: without any area inside, lines and points beside areas
/// do not count either, and without any line inside, neither do points beside lines.
pub fn counted(whole: Measure, outside: Measure) -> Measure {
    let square_metres = (whole.square_metres - outside.square_metres).max(0.0);
    let metres = (whole.metres - outside.metres).max(0.0);
    let pieces = whole.pieces.saturating_sub(outside.pieces);
    match whole {
        Measure { square_metres: area, .. } if area > 0.0 && square_metres == 0.0 => Measure::default(),
        Measure { square_metres: area, metres: length, .. } if area == 0.0 && length > 0.0 && metres == 0.0 => {
            Measure::default()
        }
        _ => Measure { square_metres, metres, pieces },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Measure = Measure { square_metres: 30_000.0, metres: 2_000.0, pieces: 0 };

    fn note_on(square_metres: f64, metres: f64, rate_source: RateSource) -> Option<String> {
        note(WHOLE, Some(Measure { square_metres, metres, pieces: 0 }), rate_source, Units::Metric)
    }

    #[test]
    fn the_note_names_what_does_not_count_and_of_how_much() {
        let area = note_on(10_000.0, 0.0, RateSource::System);
        assert_eq!(area.as_deref(), Some("outside the study area: 1.00 of 3.00 ha not counted"));
        let both = note_on(10_000.0, 500.0, RateSource::Total).unwrap();
        assert!(both.contains("1.00 of 3.00 ha and 0.50 of 2.00 km not counted; its cost is a total"), "{both}");
        assert_eq!(note_on(0.0, 0.0, RateSource::System), None);
        assert!(note(WHOLE, None, RateSource::System, Units::Metric).unwrap().starts_with("all of it counts"));
    }

    #[test]
    fn a_note_in_acres_and_miles_has_no_hectares() {
        let outside = Measure { square_metres: 10_000.0, metres: 500.0, pieces: 0 };
        let half = Measure { square_metres: 20_000.0, metres: 1_500.0, pieces: 0 };
        let land = OutsideLand::of(Some(WHOLE), Some(outside), RateSource::System);
        let note = land.note_in(Units::Us, half, RateSource::System);
        let expected = "outside the study area: 2.47 of 7.41 acres and 0.31 of 1.24 mi not counted";
        assert_eq!(note.as_deref(), Some(expected));
        assert_eq!(land.note_in(Units::Metric, half, RateSource::System), land.outside_note);
        let uncut = OutsideLand::of(Some(WHOLE), None, RateSource::System);
        assert_eq!(uncut.note_in(Units::Us, WHOLE, RateSource::System), uncut.outside_note);
    }

    #[test]
    fn lines_beside_areas_that_are_all_outside_do_not_count() {
        let outside = |square_metres| Measure { square_metres, metres: 500.0, pieces: 0 };
        let part = Measure { square_metres: 20_000.0, metres: 1_500.0, pieces: 0 };
        assert_eq!(counted(WHOLE, outside(10_000.0)), part);
        assert_eq!(counted(WHOLE, outside(30_000.0)), Measure::default());
        let line = Measure { square_metres: 0.0, metres: 2_000.0, pieces: 0 };
        assert_eq!(counted(line, outside(0.0)).metres, 1_500.0);
    }

    #[test]
    fn points_inside_count_unless_they_stand_beside_lines_that_are_all_outside() {
        let trees = Measure { pieces: 40, ..Measure::default() };
        let outside = Measure { metres: 2_000.0, pieces: 10, ..Measure::default() };
        assert_eq!(counted(trees, Measure { pieces: 10, ..Measure::default() }).pieces, 30);
        assert_eq!(counted(Measure { metres: 2_000.0, ..trees }, outside), Measure::default());
        let found = note(trees, Some(Measure { pieces: 10, ..trees }), RateSource::System, Units::Metric);
        assert_eq!(found.as_deref(), Some("outside the study area: 10 of 40 pieces not counted"));
    }

    #[test]
    fn a_row_of_a_report_on_all_land_has_no_outside_land() {
        #[derive(Serialize, Deserialize)]
        struct Row {
            #[serde(flatten)]
            outside: Option<OutsideLand>,
        }
        let read = |json: &str| serde_json::from_str::<Row>(json).unwrap().outside;
        assert_eq!(read("{}"), None);
        let unknown = r#"{"outside_ha":null,"outside_km":null,"outside_pieces":null,"outside_note":null}"#;
        assert_eq!(serde_json::to_string(&Row { outside: read(unknown) }).unwrap(), unknown);
    }
}
