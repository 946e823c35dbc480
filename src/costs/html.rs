//! The report as an HTML table for notebooks.

use std::fmt::{self, Display, Write};

use super::report::{CostReport, SystemCost};
use crate::geometry::total;
use crate::html::Escaped;

/// Displays the systems and their sum as HTML. Systems that are over budget are marked; what the sum lacks is written below.
pub struct CostTable<'r>(pub &'r CostReport);

const HEADINGS: [&str; 9] =
    ["system", "projects", "policies", "area (ha)", "length (km)", "cost", "budget", "budget left", "target left (ha)"];

impl Display for CostTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let report = self.0;
        f.write_str(r#"<table style="font-variant-numeric:tabular-nums"><thead><tr>"#)?;
        HEADINGS.iter().try_for_each(|heading| write!(f, "<th>{heading}</th>"))?;
        f.write_str("</tr></thead><tbody>")?;
        report.systems.iter().try_for_each(|system| write_system(system, f))?;
        f.write_str("</tbody><tfoot style=\"font-weight:bold\">")?;
        write_total(report, f)?;
        f.write_str("</tfoot></table>")?;
        write_gaps(report, f)
    }
}

fn write_system(system: &SystemCost, f: &mut fmt::Formatter) -> fmt::Result {
    write_sums(system, f)?;
    match system.budget {
        Some(budget) => write_budget(budget, system.cost, f)?,
        None => f.write_str("<td>no budget</td><td></td>")?,
    }
    match (system.target_left_ha, system.target_met) {
        (_, Some(true)) => f.write_str("<td>met</td></tr>"),
        (Some(left), _) => write!(f, "<td>{}</td></tr>", Thousands(left, 1)),
        (None, _) => f.write_str("<td>no target</td></tr>"),
    }
}

/// The sums of all systems. They have a budget only if each system has one: the cost of a system without a budget would
/// count against the budgets of the others.
fn write_total(report: &CostReport, f: &mut fmt::Formatter) -> fmt::Result {
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
    write_sums(&totals, f)?;
    match totals.budget {
        Some(budget) if !report.systems.is_empty() => write_budget(budget, totals.cost, f)?,
        _ => f.write_str("<td></td><td></td>")?,
    }
    f.write_str("<td></td></tr>")
}

/// The start of a row: the name, and what is summed over diagrams.
fn write_sums(system: &SystemCost, f: &mut fmt::Formatter) -> fmt::Result {
    write!(f, r#"<tr><td style="text-align:left">{}</td>"#, Escaped(&system.name))?;
    write!(f, "<td>{}</td><td>{}</td>", system.projects, system.policies)?;
    write!(f, "<td>{}</td><td>{}</td>", Thousands(system.area_ha, 1), Thousands(system.length_km, 1))?;
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
        true => write!(f, r#"<td style="color:#b3261e;font-weight:bold">{} over</td>"#, Thousands(left, 0)),
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

/// Displays a number of diagrams in words, such as `3 diagrams`.
struct Diagrams(i64);

impl Display for Diagrams {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} diagram{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Displays a number with commas between its thousands, and with the given number of decimals.
struct Thousands(f64, usize);

impl Display for Thousands {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = format!("{:.*}", self.1, self.0.abs());
        let (whole, decimals) = text.split_once('.').map_or((text.as_str(), ""), |(whole, decimals)| (whole, decimals));
        let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        f.write_str(if self.0 < 0.0 && !is_zero { "-" } else { "" })?;
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        if decimals.is_empty() { Ok(()) } else { write!(f, ".{decimals}") }
    }
}

#[cfg(test)]
mod tests {
    use super::Thousands;

    #[test]
    fn numbers_are_rounded_and_have_commas_between_thousands() {
        let shown = |number, decimals| Thousands(number, decimals).to_string();
        assert_eq!(shown(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(shown(-1000.0, 0), "-1,000");
        assert_eq!(shown(999.0, 0), "999");
        assert_eq!(shown(-0.01, 1), "0.0");
    }
}
