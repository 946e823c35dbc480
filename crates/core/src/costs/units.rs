//! Units of area and length that a report shows. Data are metric.

/// An international acre has 4,046.8564224 square metres.
const HECTARES_PER_ACRE: f64 = 0.404_685_642_24;
const KILOMETRES_PER_MILE: f64 = 1.609_344;

/// The units that areas, lengths and rates are shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Units {
    /// Hectares and kilometres.
    #[default]
    Metric,
    /// Acres and miles.
    Us,
}

impl Units {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "metric" => Some(Units::Metric),
            "us" => Some(Units::Us),
            _ => None,
        }
    }

    /// Unit of area as written after a number.
    pub(super) fn area_unit(self) -> &'static str {
        match self {
            Units::Metric => "ha",
            Units::Us => "acres",
        }
    }

    /// Unit of length as written after a number.
    pub(super) fn length_unit(self) -> &'static str {
        match self {
            Units::Metric => "km",
            Units::Us => "mi",
        }
    }

    pub(super) fn area(self, hectares: f64) -> f64 {
        hectares / self.hectares()
    }

    pub(super) fn length(self, kilometres: f64) -> f64 {
        kilometres / self.kilometres()
    }

    /// Money per unit of area.
    pub(super) fn rate_of_area(self, per_hectare: f64) -> f64 {
        per_hectare * self.hectares()
    }

    /// Money per unit of length.
    pub(super) fn rate_of_length(self, per_kilometre: f64) -> f64 {
        per_kilometre * self.kilometres()
    }

    fn hectares(self) -> f64 {
        match self {
            Units::Metric => 1.0,
            Units::Us => HECTARES_PER_ACRE,
        }
    }

    fn kilometres(self) -> f64 {
        match self {
            Units::Metric => 1.0,
            Units::Us => KILOMETRES_PER_MILE,
        }
    }
}
