//! The report as an HTML table for notebooks.

use std::fmt::{self, Display, Write};

use super::report::{CostReport, SystemCost};
use crate::geometry::total;
use crate::html::Escaped;

/// Displays the systems and their sum as HTML. Systems that are over budget are marked.
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
        let sum = |value: fn(&SystemCost) -> f64| total(report.systems.iter().map(value));
        let budget = report.systems.iter().map(|system| system.budget).sum::<Option<f64>>();
        let totals = SystemCost {
            sysid: 0,
            name: "Total".into(),
            color: None,
            diagrams: report.diagrams.len() as i64,
            projects: report.systems.iter().map(|system| system.projects).sum(),
            policies: report.systems.iter().map(|system| system.policies).sum(),
            area_ha: sum(|system| system.area_ha),
            length_km: sum(|system| system.length_km),
            cost: report.total(),
            budget,
            budget_left: budget.map(|budget| budget - report.total()),
            current_ha: None,
            target_ha: None,
            target_left_ha: None,
        };
        f.write_str("</tbody><tfoot style=\"font-weight:bold\">")?;
        write_system(&totals, f)?;
        f.write_str("</tfoot></table>")
    }
}

fn write_system(system: &SystemCost, f: &mut fmt::Formatter) -> fmt::Result {
    write!(f, r#"<tr><td style="text-align:left">{}</td>"#, Escaped(&system.name))?;
    write!(f, "<td>{}</td><td>{}</td>", system.projects, system.policies)?;
    write!(f, "<td>{}</td><td>{}</td>", Thousands(system.area_ha, 1), Thousands(system.length_km, 1))?;
    write!(f, "<td>{}</td>", Thousands(system.cost, 0))?;
    let over = system.budget_left.is_some_and(|left| left < 0.0);
    for (amount, marked) in [(system.budget, false), (system.budget_left, over)] {
        write!(f, "<td{}>", if marked { r#" style="color:#b3261e;font-weight:bold""# } else { "" })?;
        write_optional(amount, 0, f)?;
        f.write_str(if marked { " over</td>" } else { "</td>" })?;
    }
    f.write_str("<td>")?;
    write_optional(system.target_left_ha, 1, f)?;
    f.write_str("</td></tr>")
}

fn write_optional(number: Option<f64>, decimals: usize, f: &mut fmt::Formatter) -> fmt::Result {
    number.map_or(Ok(()), |number| Thousands(number, decimals).fmt(f))
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
