//! The report as an HTML table for notebooks.

use std::fmt::{self, Display};

use super::numbers::{Diagrams, Thousands};
use crate::costs::report::{CostReport, SystemCost};
use crate::costs::units::Units;
use crate::geometry::total;
use crate::html::Escaped;

/// Displays the systems and their sum as HTML. Systems that are over budget are marked; what the sum lacks is written below.
pub struct CostTable<'r> {
    pub report: &'r CostReport,
    /// What the report is about, for where no heading says so.
    pub caption: Option<String>,
    pub units: Units,
}

impl Display for CostTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let CostTable { report, ref caption, units } = *self;
        let (area, length) = (units.area_unit(), units.length_unit());
        f.write_str(r#"<table style="font-variant-numeric:tabular-nums">"#)?;
        if let Some(caption) = caption {
            write!(f, r#"<caption style="text-align:left;font-weight:bold">{}</caption>"#, Escaped(caption))?;
        }
        f.write_str("<thead><tr>")?;
        let headings = [
            "system",
            "projects",
            "policies",
            &format!("area ({area})"),
            &format!("length ({length})"),
            "cost",
            "budget",
            "budget left",
            &format!("target left ({area})"),
        ];
        headings.iter().try_for_each(|heading| write!(f, r#"<th scope="col">{heading}</th>"#))?;
        f.write_str("</tr></thead><tbody>")?;
        report.systems.iter().try_for_each(|system| write_system(system, units, f))?;
        f.write_str("</tbody><tfoot style=\"font-weight:bold\">")?;
        write_total(report, units, f)?;
        f.write_str("</tfoot></table>")?;
        write_gaps(report, f)
    }
}

fn write_system(system: &SystemCost, units: Units, f: &mut fmt::Formatter) -> fmt::Result {
    write_sums(system, units, f)?;
    match system.budget {
        Some(budget) => write_budget(budget, system.cost, f)?,
        None => f.write_str("<td>no budget</td><td></td>")?,
    }
    match (system.target_left_ha, system.target_met) {
        (_, Some(true)) => f.write_str("<td>met</td></tr>"),
        (Some(left), _) => write!(f, "<td>{}</td></tr>", Thousands(units.area(left), 1)),
        (None, _) => f.write_str("<td>no target</td></tr>"),
    }
}

/// The sums of all systems. They have a budget only if each system has one: the cost of a system without a budget would
/// count against the budgets of the others.
fn write_total(report: &CostReport, units: Units, f: &mut fmt::Formatter) -> fmt::Result {
    let sum = |value: fn(&SystemCost) -> f64| total(report.systems.iter().map(value));
    let count = |value: fn(&SystemCost) -> i64| report.systems.iter().map(value).sum();
    let totals = SystemCost {
        sysid: 0,
        name: "Total".into(),
        color: None,
        diagrams: count(|system| system.diagrams),
        projects: count(|system| system.projects),
        policies: count(|system| system.policies),
        area_ha: sum(|system| system.area_ha),
        length_km: sum(|system| system.length_km),
        cost: report.total(),
        unpriced: report.unpriced(),
        without_rate: report.without_rate(),
        budget: report.systems.iter().map(|system| system.budget).sum(),
        budget_left: None,
        current_ha: None,
        target_ha: None,
        target_left_ha: None,
        target_met: None,
    };
    write_sums(&totals, units, f)?;
    match totals.budget {
        Some(budget) if !report.systems.is_empty() => write_budget(budget, totals.cost, f)?,
        _ => f.write_str("<td></td><td></td>")?,
    }
    f.write_str("<td></td></tr>")
}

/// The start of a row: the name, and what is summed over diagrams.
fn write_sums(system: &SystemCost, units: Units, f: &mut fmt::Formatter) -> fmt::Result {
    write!(f, r#"<tr><th scope="row" style="text-align:left;font-weight:inherit">{}</th>"#, Escaped(&system.name))?;
    write!(f, "<td>{}</td><td>{}</td>", system.projects, system.policies)?;
    write!(f, "<td>{}</td>", Thousands(units.area(system.area_ha), 1))?;
    write!(f, "<td>{}</td>", Thousands(units.length(system.length_km), 1))?;
    write!(f, "<td>{}", Thousands(system.cost, 0))?;
    if system.without_rate > 0 {
        write!(f, "<br><small>no rate set: {}</small>", Diagrams(system.without_rate))?;
    }
    if system.unpriced > 0 {
        write!(f, "<br><small>not priced: {}</small>", Diagrams(system.unpriced))?;
    }
    f.write_str("</td>")
}

fn write_budget(budget: f64, cost: f64, f: &mut fmt::Formatter) -> fmt::Result {
    let left = budget - cost;
    write!(f, "<td>{}</td>", Thousands(budget, 0))?;
    match left < 0.0 {
        true => {
            write!(f, r#"<td class="over" style="color:#b3261e;font-weight:bold">{} over</td>"#, Thousands(left, 0))
        }
        false => write!(f, "<td>{}</td>", Thousands(left, 0)),
    }
}

/// What the sums lack, and why; then what is wrong with geometries.
fn write_gaps(report: &CostReport, f: &mut fmt::Formatter) -> fmt::Result {
    if report.without_rate() > 0 {
        write!(f, "<p>No rate set for {}: the system has no cost.</p>", Diagrams(report.without_rate()))?;
    }
    let of_unknown_size = report.diagrams.iter().filter(|diagram| diagram.cost.is_none() && !diagram.is_without_rate());
    if let unknown @ 1.. = of_unknown_size.count() as i64 {
        write!(f, "<p>Area not known of {} with a rate.</p>", Diagrams(unknown))?;
    }
    if report.unpriced() > 0 {
        write!(f, "<p>The total does not include {} without a known cost.</p>", Diagrams(report.unpriced()))?;
    }
    if report.unopened() > 0 {
        write!(f, "<p>File of {} could not be opened.</p>", Diagrams(report.unopened()))?;
    }
    match report.invalid() {
        None => Ok(()),
        Some(0) => f.write_str("<p>The geometries of all diagrams are valid.</p>"),
        Some(invalid) => {
            write!(f, "<p>Geometry not valid of {}: area and cost may be wrong.</p>", Diagrams(invalid))
        }
    }
}
