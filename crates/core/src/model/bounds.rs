//! Bounds and centre of a study area. The service writes them as text: comma-separated decimal degrees, longitude first.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// West, south, east and north edges in degrees. West is greater than east if the bounds cross the antimeridian.
///
/// ```
/// let bounds: geodesign::model::Bounds = "-74.26,40.49,-74.05,40.65".parse()?;
/// assert_eq!((bounds.west, bounds.north), (-74.26, 40.65));
/// assert!(bounds.contain(bounds.center()));
/// # Ok::<(), geodesign::model::BoundsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub west: f64,
    pub south: f64,
    pub east: f64,
    pub north: f64,
}

impl Bounds {
    /// The smallest bounds around positions of longitude and latitude; `None` if there are no positions.
    pub fn around(lon_lats: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let mut points = lon_lats.into_iter().map(|(longitude, latitude)| Bounds {
            west: longitude,
            south: latitude,
            east: longitude,
            north: latitude,
        });
        let first = points.next()?;
        Some(points.fold(first, Bounds::union))
    }

    pub fn union(self, other: Self) -> Self {
        Bounds {
            west: if other.west < self.west { other.west } else { self.west },
            south: if other.south < self.south { other.south } else { self.south },
            east: if other.east > self.east { other.east } else { self.east },
            north: if other.north > self.north { other.north } else { self.north },
        }
    }

    /// Checks that the bounds are on Earth and enclose an area.
    pub fn check(self) -> Result<(), BoundsError> {
        Center { longitude: self.west, latitude: self.south }.check()?;
        Center { longitude: self.east, latitude: self.north }.check()?;
        if self.south >= self.north || self.west == self.east {
            return Err(BoundsError::NoArea(self));
        }
        Ok(())
    }

    pub fn contain(self, point: Center) -> bool {
        let Center { longitude, latitude } = point;
        let (is_east_of_west, is_west_of_east) = (longitude >= self.west, longitude <= self.east);
        let between = if self.west <= self.east {
            is_east_of_west && is_west_of_east
        } else {
            is_east_of_west || is_west_of_east
        };
        between && (self.south..=self.north).contains(&latitude)
    }

    /// True if two bounds have a point in common.
    ///
    /// ```
    /// use geodesign::model::Bounds;
    ///
    /// let fiji: Bounds = "177,-19,-178,-16".parse()?;
    /// assert!(fiji.meet("179,-18,179.5,-17".parse()?) && fiji.meet("-179,-18,-178.5,-17".parse()?));
    /// assert!(!fiji.meet("-9.23,-18,-9.09,-17".parse()?));
    /// # Ok::<(), geodesign::model::BoundsError>(())
    /// ```
    pub fn meet(self, other: Self) -> bool {
        let begins_before = self.west <= other.east;
        let ends_after = other.west <= self.east;
        let longitudes = match (self.west <= self.east, other.west <= other.east) {
            (true, true) => begins_before && ends_after,
            // Bounds across the antimeridian are two ranges of longitude, one from -180 and one to 180.
            (false, false) => true,
            _ => begins_before || ends_after,
        };
        longitudes && self.south <= other.north && other.south <= self.north
    }

    /// The bounds with longitude and latitude exchanged.
    pub fn swapped(self) -> Self {
        Bounds { west: self.south, south: self.west, east: self.north, north: self.east }
    }

    pub fn center(self) -> Center {
        let middle = (self.west + self.east) / 2.0;
        // For bounds across the antimeridian, the mean is on the opposite side of Earth.
        let longitude = match middle {
            _ if self.west <= self.east => middle,
            _ if middle > 0.0 => middle - 180.0,
            _ => middle + 180.0,
        };
        Center { longitude, latitude: (self.south + self.north) / 2.0 }
    }
}

/// A point of longitude and latitude in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Center {
    pub longitude: f64,
    pub latitude: f64,
}

impl Center {
    /// Checks that the point is on Earth.
    pub fn check(self) -> Result<(), BoundsError> {
        let on_earth = (-180.0..=180.0).contains(&self.longitude) && (-90.0..=90.0).contains(&self.latitude);
        if on_earth { Ok(()) } else { Err(BoundsError::NotOnEarth(self)) }
    }

    /// The point with longitude and latitude exchanged.
    pub fn swapped(self) -> Self {
        Center { longitude: self.latitude, latitude: self.longitude }
    }
}

/// Reasons why a text or numbers are not bounds or a centre.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    #[error("{text:?} is not {form} in decimal degrees")]
    Syntax { text: String, form: &'static str },
    #[error("{0} is not on Earth; give longitude first, then latitude, both in degrees")]
    NotOnEarth(Center),
    #[error("the bounds {0} enclose no land; give them as west,south,east,north")]
    NoArea(Bounds),
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{},{},{}", self.west, self.south, self.east, self.north)
    }
}

impl fmt::Display for Center {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{}", self.longitude, self.latitude)
    }
}

impl FromStr for Bounds {
    type Err = BoundsError;

    fn from_str(text: &str) -> Result<Self, BoundsError> {
        let [west, south, east, north] = numbers(text, "west,south,east,north")?;
        Ok(Bounds { west, south, east, north })
    }
}

impl FromStr for Center {
    type Err = BoundsError;

    fn from_str(text: &str) -> Result<Self, BoundsError> {
        let [longitude, latitude] = numbers(text, "longitude,latitude")?;
        Ok(Center { longitude, latitude })
    }
}

fn numbers<const N: usize>(text: &str, form: &'static str) -> Result<[f64; N], BoundsError> {
    let parsed: Option<Vec<f64>> =
        text.split(',').map(|number| number.trim().parse().ok().filter(|number: &f64| number.is_finite())).collect();
    parsed
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| BoundsError::Syntax { text: text.to_owned(), form })
}

macro_rules! as_text {
    ($($name:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

as_text! { Bounds Center }

/// Reads bounds as text or as an array of four numbers; null and empty values are no bounds.
pub fn bounds_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bounds>, D::Error> {
    parsed_or_none(deserializer)
}

/// Reads a centre in the same way, from two numbers.
pub fn center_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Center>, D::Error> {
    parsed_or_none(deserializer)
}

fn parsed_or_none<'de, T: FromStr<Err = BoundsError>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "decimal degrees as text, or an array of them")]
    enum Form {
        Text(String),
        Numbers(Vec<f64>),
    }

    let text = match Option::<Form>::deserialize(deserializer)? {
        None => return Ok(None),
        Some(Form::Text(text)) => text,
        Some(Form::Numbers(numbers)) => numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
    };
    // Some services join missing values: ",,,".
    if text.chars().all(|character| character == ',' || character.is_whitespace()) {
        return Ok(None);
    }
    text.parse().map(Some).map_err(serde::de::Error::custom)
}
