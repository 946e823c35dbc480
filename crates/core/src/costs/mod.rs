//! Costs of diagrams, summed per system, with the origin of every figure.
//!
//! The cost of a diagram follows from its override, its kind and its system. The first rule that applies decides:
//!
//! 1. The diagram has an override of type `total`: the override is its cost.
//! 2. The diagram is a policy: its cost is 0.
//! 3. The diagram has an override of any other type: the override is its rate.
//! 4. The rate is the cost of its system.
//!
//! By rules 3 and 4 a diagram with an area costs its rate (money per hectare) × its area (hectares). A diagram of lines, without an
//! area, costs its rate (money per kilometre) × its length (kilometres), and one of points only its rate (money for each piece) × the
//! number of its points. An override of 0 counts as none.
//!
//! Area and length are measured on the geometry, along geodesics of the WGS 84 ellipsoid. A diagram without geometry has the measures of
//! its file, if that was [opened](OpenedFiles), otherwise the service's own figures. The area is unknown for a polygon around the whole
//! Earth, positions that are not degrees, and shapes without area and length. Money is in the project's currency.
//!
//! If only [land inside the study area](CountedLand::Inside) counts, area and length are those of the part inside. A total stays as it is, and
//! a diagram without a geometry counts as a whole. Each row says what is not counted.
//!
//! Floor is the area of a project on each of its storeys, and [quantities](crate::model::Quantity) such as homes are amounts for each hectare,
//! square metre of floor, or piece. Policies build nothing.
//!
//! An unknown figure is null, never 0. A diagram has no cost if its system should set the rate and has none, or if its area is unknown;
//! sums leave it out, and the report counts it. A budget or target of 0 counts as none.

mod diagram_facts;
mod html;
mod inside;
mod quantities;
mod report;
mod rules;
mod units;
mod what_if;

pub use diagram_facts::{
    DiagramFacts, FeatureSize, OpenedFile, OpenedFiles, count_inside, has_size, is_noticeable, reliable_measure,
};
pub use html::{CostPage, CostTable};
pub use inside::{CountedLand, OutsideLand, counted};
pub use quantities::{Amounts, Floor, SystemAmount, amounts};
pub use report::{CostError, CostFigures, CostReport, DiagramCost, ReportSubject, SystemCost};
pub use rules::{AreaSource, AtAreaRate, Price, RateSource, RateUnit, price};
pub use units::Units;
pub use what_if::SupposedSystem;
