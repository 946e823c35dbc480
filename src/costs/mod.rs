//! Costs per system, with an audit trail: every figure says where it came from.
//!
//! The rules, in this order, for each diagram:
//!
//! 1. An override of type `total` is the cost.
//! 2. A policy otherwise costs nothing.
//! 3. The rate is the override per hectare where there is one, else the system's cost.
//! 4. A diagram that covers any area costs rate × hectares; one with lines only, rate × kilometres.
//!
//! Area and length are geodesic on WGS 84, from the geometry. Where there is none, the service's own figures stand in.

mod html;
mod report;
mod rules;
mod tables;

pub use html::CostTable;
pub use report::{CostReport, DiagramCost, SystemCost};
pub use rules::{AreaSource, RateSource};

/// Costs that cannot be told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CostError {
    #[error(
        "diagram {diagram} (\"{description}\") belongs to system {system}, which the project does not list, so it has no price; \
         the project lists the systems {listed}"
    )]
    UnlistedSystem { diagram: i64, description: String, system: String, listed: String },

    #[error(
        "diagram {diagram} (\"{description}\") is priced by its system, but system {system} (\"{name}\") has no cost; \
         give the system a cost, or the diagram a cost of its own"
    )]
    SystemWithoutCost { diagram: i64, description: String, system: i64, name: String },

    #[error("the project has no diagram {0}; Project.diagram_summaries() lists those that it has")]
    UnknownDiagrams(String),
}
