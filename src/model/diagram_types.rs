//! The enumerations in the fields of a new diagram.

use super::string_enum::string_enum;

/// Whether a diagram is drawn with lines or with polygons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureType {
    Line,
    Polygon,
}

impl FeatureType {
    pub const NAMES: &'static str = "\"polygon\" or \"line\"";

    pub fn name(self) -> &'static str {
        match self {
            FeatureType::Line => "line",
            FeatureType::Polygon => "polygon",
        }
    }

    /// From one of its names, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "polygon" | "multipolygon" => Some(FeatureType::Polygon),
            "line" | "polyline" | "linestring" | "multilinestring" => Some(FeatureType::Line),
            _ => None,
        }
    }
}

/// How a diagram is funded. Programs of the public platform also send the codes `o`, `b` and `u`, which no document explains:
/// they are kept as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FundingType {
    #[default]
    Public,
    PublicPrivate,
    Private,
    Budgeted,
    O,
    B,
    U,
}

impl FundingType {
    pub const NAMES: &'static str =
        "\"public\", \"public_private\", \"private\" or \"budgeted\", nor a code (pu, pp, pr, bu, o, b, u)";

    const ALL: [Self; 7] =
        [Self::Public, Self::PublicPrivate, Self::Private, Self::Budgeted, Self::O, Self::B, Self::U];

    /// The name in the fields of a diagram.
    pub fn name(self) -> &'static str {
        match self {
            FundingType::Public => "public",
            FundingType::PublicPrivate => "public_private",
            FundingType::Private => "private",
            FundingType::Budgeted => "budgeted",
            FundingType::O => "o",
            FundingType::B => "b",
            FundingType::U => "u",
        }
    }

    /// The code in a request that adds a diagram.
    pub fn code(self) -> &'static str {
        match self {
            FundingType::Public => "pu",
            FundingType::PublicPrivate => "pp",
            FundingType::Private => "pr",
            FundingType::Budgeted => "bu",
            FundingType::O => "o",
            FundingType::B => "b",
            FundingType::U => "u",
        }
    }

    /// From its name, also with hyphens or spaces, or from its code.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Self::ALL.into_iter().find(|funding| funding.name() == name || funding.code() == name)
    }
}

/// Whether the cost of an external diagram is its total or a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostType {
    /// The cost of the whole diagram.
    Total,
    /// The cost per hectare.
    Unit,
}

impl CostType {
    pub const NAMES: &'static str = "\"total\" or \"unit\"";

    pub fn code(self) -> &'static str {
        match self {
            CostType::Total => "t",
            CostType::Unit => "u",
        }
    }

    /// The name in a diagram's field `cost_override_type`.
    pub fn override_name(self) -> &'static str {
        match self {
            CostType::Total => "total",
            CostType::Unit => "per hectare.",
        }
    }

    /// From its name or its code.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "t" | "total" => Some(CostType::Total),
            "u" | "unit" => Some(CostType::Unit),
            _ => None,
        }
    }
}

string_enum! {
    FeatureType: name, "polygon or line";
    FundingType: code, "pu (public), pp (public and private), pr (private), bu (budgeted), o, b or u";
    CostType: code, "t (total) or u (per hectare)";
}
