//! Systems as the service answers them: public programs read some fields with the prefix `sys` and some without, so that each
//! such field is written under both of its documented names.

use serde::Serialize;

use super::json_object::JsonObject;
use super::numbers::integer_if_whole;
use super::system::{SystemDetail, SystemItem};

/// A system in the list of a project's systems. Fields with the prefix `sys` repeat those without it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SystemItemWithBothNames {
    #[serde(flatten)]
    item: SystemItem,
    sysname: String,
    /// `#RRGGBB`.
    syscolor: Option<String>,
    #[serde(flatten)]
    extra: JsonObject,
}

/// A system with its cost, budget and areas. Fields with the prefix `sys` repeat those without it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SystemDetailWithBothNames {
    #[serde(flatten)]
    detail: SystemDetail,
    sysname: String,
    /// `#RRGGBB`.
    syscolor: Option<String>,
    systag: Option<String>,
    /// The cost of a project per hectare, or per kilometre where it has only lines.
    #[serde(serialize_with = "integer_if_whole")]
    syscost: Option<f64>,
    #[serde(serialize_with = "integer_if_whole")]
    sysbudget: Option<f64>,
}

impl From<(SystemItem, JsonObject)> for SystemItemWithBothNames {
    fn from((item, extra): (SystemItem, JsonObject)) -> Self {
        SystemItemWithBothNames { sysname: item.name.clone(), syscolor: item.color.clone(), item, extra }
    }
}

impl From<SystemDetail> for SystemDetailWithBothNames {
    fn from(detail: SystemDetail) -> Self {
        SystemDetailWithBothNames {
            sysname: detail.item.name.clone(),
            syscolor: detail.item.color.clone(),
            systag: detail.tag.clone(),
            syscost: detail.cost,
            sysbudget: detail.budget,
            detail,
        }
    }
}
