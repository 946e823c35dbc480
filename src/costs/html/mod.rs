//! The report as HTML: a table for notebooks, and a page to print.

mod numbers;
mod page;
mod table;

pub use page::CostPage;
pub use table::CostTable;
