//! The report as HTML: a self-contained page that prints on A4, and a table for notebooks.

use std::fmt::{self, Display, Write};

use super::report::{CostReport, DiagramCost, SystemCost};
use super::rules::{AreaSource, AtAreaRate, RateSource, RateUnit};
use super::units::Units;
use crate::model::{DiagramKind, is_color};
use geodesign_common::html::{Escaped, Page};
use geodesign_geometry::total;

/// Displays the systems, then each diagram with the origin of its cost, then the meanings of the terms.
pub struct CostPage<'r> {
    pub report: &'r CostReport,
    pub title: &'r str,
    /// The currency code, such as `USD`.
    pub currency: &'r str,
    pub units: Units,
}

/// Style of the page. Titles take the width that figures leave.
const STYLE: &str = "
.diagrams th, .diagrams td { white-space: nowrap; min-width: 0 }
.diagrams .long { white-space: normal; overflow-wrap: anywhere; min-width: 9em; width: 60% }
";

impl Display for CostPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Page { language: "en", title: self.title, style: STYLE, body: Body(self) }.fmt(f)
    }
}

struct Body<'p>(&'p CostPage<'p>);

impl Display for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let CostPage { report, title, units, currency } = *self.0;
        let (count, total) = (report.diagrams.len() as i64, Thousands(report.total(), 0));
        write!(f, r#"<main class="document"><h1>{}</h1>"#, Escaped(title))?;
        write!(f, "<p>{} in all: <b>{total}{}</b>.</p>", Diagrams(count), Currency(currency))?;
        write!(f, r#"<h2>Systems</h2><div class="wide">{}</div>"#, CostTable { report, caption: None, units })?;
        f.write_str("<h2>Diagrams</h2>")?;
        for system in report.systems.iter().filter(|system| system.diagrams > 0) {
            self.0.write_diagrams(system, f)?;
        }
        self.0.write_unlisted(f)?;
        self.0.write_words(f)?;
        if currency.is_empty() {
            write!(f, "<p>{NO_CURRENCY}</p>")?;
        }
        f.write_str("</main>")
    }
}

impl CostPage<'_> {
    /// Writes the diagrams of one system.
    fn write_diagrams(&self, system: &SystemCost, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("<h3>")?;
        if let Some(color) = system.color.as_deref().filter(|color| is_color(color)) {
            write!(f, r#"<i class="swatch" style="background:{color}"></i>"#)?;
        }
        write!(f, "{}</h3>", Escaped(&system.name))?;
        self.write_rows(self.report.diagrams.iter().filter(|diagram| diagram.sysid == Some(system.sysid)), f)
    }

    fn write_rows<'d>(
        &self,
        mut diagrams: impl Iterator<Item = &'d DiagramCost>,
        f: &mut fmt::Formatter,
    ) -> fmt::Result {
        let sizes = size_headings(self.report, self.units);
        f.write_str(r#"<div class="wide"><table class="diagrams">"#)?;
        let headings = [("", "id"), ("text long", "diagram"), ("text", "kind")]
            .into_iter()
            .chain(sizes.iter().map(|size| ("", size.as_str())))
            .chain([("", "rate"), ("text", "rate from"), ("", "cost")]);
        write_headings(headings, f)?;
        diagrams.try_for_each(|diagram| self.write_diagram(diagram, f))?;
        f.write_str("</tbody></table></div>")
    }

    /// Writes the diagrams that belong to no listed system.
    fn write_unlisted(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let is_listed =
            |diagram: &&DiagramCost| self.report.systems.iter().any(|system| Some(system.sysid) == diagram.sysid);
        let unlisted: Vec<_> = self.report.diagrams.iter().filter(|diagram| !is_listed(diagram)).collect();
        if unlisted.is_empty() {
            return Ok(());
        }
        f.write_str("<h3>No system</h3>")?;
        self.write_rows(unlisted.into_iter(), f)
    }

    fn write_diagram(&self, diagram: &DiagramCost, f: &mut fmt::Formatter) -> fmt::Result {
        let units = self.units;
        let description = Escaped(diagram.description.as_deref().unwrap_or_default());
        write!(f, r#"<tr><th scope="row">{}</th><td class="text long">{description}"#, diagram.diagramid)?;
        if let Some(problem) = &diagram.geometry_problem {
            write!(f, "<br><small>geometry not valid: {}</small>", Escaped(problem))?;
        }
        if let Some(problem) = diagram.cost_problem.as_ref().filter(|_| diagram.rate_source == RateSource::Unknown) {
            write!(f, "<br><small>not priced: {}</small>", Escaped(problem))?;
        }
        if let Some(problem) = &diagram.area_problem {
            write!(f, "<br><small>area not known: {}</small>", Escaped(problem))?;
        }
        if let Some(problem) = &diagram.file_problem {
            write!(f, "<br><small>file not opened: {}</small>", Escaped(problem))?;
        }
        let counted = diagram.counted();
        let note = diagram.outside.as_ref().and_then(|outside| outside.note_in(units, counted, diagram.rate_source));
        if let Some(note) = note {
            write!(f, "<br><small>{}</small>", Escaped(&note))?;
        }
        write!(f, r#"</td><td class="text">{}</td>"#, diagram.kind.map_or("not known", DiagramKind::name))?;
        write_figure(diagram.area_ha.map(|area| units.area(area)), 1, f)?;
        write_figure(diagram.length_km.map(|length| units.length(length)), 1, f)?;
        if self.report.has_points() {
            write_figure(diagram.pieces.map(|pieces| pieces as f64), 0, f)?;
        }
        match (diagram.rate, diagram.unit()) {
            (None, _) => f.write_str("<td></td>")?,
            (Some(rate), RateUnit::Piece) => write!(f, "<td>{} per piece</td>", Rate(rate))?,
            (Some(rate), RateUnit::Kilometre) => {
                write!(f, "<td>{} per {}</td>", Rate(units.rate_of_length(rate)), units.length_unit())?;
            }
            (Some(rate), RateUnit::Hectare) => {
                let unit = if units == Units::Us { "acre" } else { "ha" };
                write!(f, "<td>{} per {unit}</td>", Rate(units.rate_of_area(rate)))?;
            }
        }
        let source = match diagram.rate_source {
            RateSource::Total => "total",
            RateSource::Policy => "policy",
            RateSource::Override => "diagram",
            RateSource::System => "system",
            RateSource::Unknown => "not known",
        };
        write!(f, r#"<td class="text">{source}{}"#, area_note(diagram.area_source))?;
        if let Some(figure) = &diagram.area_figure {
            write!(f, ": {}", Escaped(figure))?;
        }
        f.write_str("</td>")?;
        write_figure(diagram.cost, 0, f)?;
        f.write_str("</tr>")
    }

    fn write_words(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("<h2>What the words mean</h2><dl>")?;
        WORDS.iter().try_for_each(|(word, meaning)| write!(f, "<dt>{word}</dt><dd>{meaning}</dd>"))?;
        if self.units == Units::Us {
            f.write_str("<dt>acre, mile</dt><dd>4,046.8564224 square metres; 1,609.344 metres.</dd>")?;
        }
        f.write_str("</dl>")
    }
}

const NO_CURRENCY: &str = "No currency is set for these amounts.";

const WORDS: [(&str, &str); 6] = [
    (
        "system",
        "One of the themes of the project, such as water or housing, with its rate, its budget and its target area.",
    ),
    ("diagram", "One idea on the map, by one author. The id is the one in the project."),
    ("project, policy", "A project is built and has a cost; a policy costs nothing unless it has a total of its own."),
    (
        "cost",
        "The diagram's total if it has one; 0 for a policy; otherwise its own rate, or its system's rate, times its \
         area. A diagram with only lines costs its rate times its length, one with only points its rate times their number.",
    ),
    ("area, length", "Geodesic on the WGS 84 ellipsoid (Karney 2013)."),
    ("target left", "The target area minus the current area and the area of the diagrams."),
];

fn area_note(source: AreaSource) -> &'static str {
    match source {
        AreaSource::Geometry => "",
        AreaSource::External => "<br>area from its file",
        AreaSource::Service => "<br>area from the service",
        AreaSource::Unknown => "<br>area not known",
    }
}

fn write_figure(figure: Option<f64>, decimals: usize, f: &mut fmt::Formatter) -> fmt::Result {
    match figure {
        Some(figure) => write!(f, "<td>{}</td>", Thousands(figure, decimals)),
        None => f.write_str("<td>not known</td>"),
    }
}

/// Displays a currency after an amount, if there is one.
struct Currency<'c>(&'c str);

impl Display for Currency<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_char(' ')?;
        Escaped(self.0).fmt(f)
    }
}

/// Displays the systems and their sum as HTML. Systems over budget are marked; gaps in the sum are named below.
pub struct CostTable<'r> {
    pub report: &'r CostReport,
    /// Subject of the report, where no heading shows it.
    pub caption: Option<String>,
    pub units: Units,
}

impl Display for CostTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let CostTable { report, ref caption, units } = *self;
        let sizes = size_headings(report, units);
        f.write_str(r#"<table style="font-variant-numeric:tabular-nums">"#)?;
        if let Some(caption) = caption {
            write!(f, r#"<caption style="text-align:left;font-weight:bold">{}</caption>"#, Escaped(caption))?;
        }
        let left_heading = format!("target left ({})", units.area_unit());
        let sums = ["projects", "policies"].into_iter().chain(sizes.iter().map(String::as_str));
        let sums = sums.chain(["cost", "budget", "budget left", &left_heading]);
        write_headings([("text", "system")].into_iter().chain(sums.map(|heading| ("", heading))), f)?;
        report.systems.iter().try_for_each(|system| write_system(report, system, units, f))?;
        f.write_str("</tbody><tfoot style=\"font-weight:bold\">")?;
        write_total(report, units, f)?;
        f.write_str("</tfoot></table>")?;
        write_gaps(report, f)
    }
}

fn write_system(report: &CostReport, system: &SystemCost, units: Units, f: &mut fmt::Formatter) -> fmt::Result {
    write_sums(report, system, units, f)?;
    match system.budget {
        Some(budget) => write_budget(budget, system, f)?,
        None => f.write_str("<td>no budget</td><td></td>")?,
    }
    match (system.target_left_ha, system.target_met) {
        (_, Some(true)) => f.write_str("<td>met</td></tr>"),
        (Some(left), _) => write!(f, "<td>{}</td></tr>", Thousands(units.area(left), 1)),
        (None, _) => f.write_str("<td>no target</td></tr>"),
    }
}

/// Writes the sums of all systems. They have a budget only if each system has one: the cost of a system without a budget would count
/// against the budgets of the others.
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
        pieces: count(|system| system.pieces),
        cost: report.total(),
        unpriced: report.unpriced(),
        without_rate: report.without_rate(),
        lines_at_area_rate: report.lines_at_area_rate(),
        points_at_area_rate: report.points_at_area_rate(),
        budget: report.systems.iter().map(|system| system.budget).sum(),
        budget_left: None,
        budget_met: None,
        current_ha: None,
        target_ha: None,
        target_left_ha: None,
        target_met: None,
        floor_m2: 0.0,
        quantities: Default::default(),
    };
    write_sums(report, &totals, units, f)?;
    match totals.budget {
        Some(budget) if !report.systems.is_empty() => write_budget(budget, &totals, f)?,
        _ => f.write_str("<td></td><td></td>")?,
    }
    f.write_str("<td></td></tr>")
}

/// Writes the start of a row: the name, and the sums over diagrams.
fn write_sums(report: &CostReport, system: &SystemCost, units: Units, f: &mut fmt::Formatter) -> fmt::Result {
    write!(
        f,
        r#"<tr><th scope="row" class="text" style="text-align:left;font-weight:inherit">{}</th>"#,
        Escaped(&system.name)
    )?;
    write!(f, "<td>{}</td><td>{}</td>", system.projects, system.policies)?;
    write!(f, "<td>{}</td>", Thousands(units.area(system.area_ha), 1))?;
    write!(f, "<td>{}</td>", Thousands(units.length(system.length_km), 1))?;
    if report.has_points() {
        write!(f, "<td>{}</td>", Thousands(system.pieces as f64, 0))?;
    }
    write!(f, "<td>{}", Thousands(system.cost, 0))?;
    if system.without_rate > 0 {
        write!(f, "<br><small>no rate set: {}</small>", Diagrams(system.without_rate))?;
    }
    for diagrams in AtAreaRate::of(system.lines_at_area_rate, system.points_at_area_rate) {
        write!(f, "<br><small>{diagrams}</small>")?;
    }
    if system.unpriced > 0 {
        write!(f, "<br><small>not priced: {}</small>", Diagrams(system.unpriced))?;
    }
    f.write_str("</td>")
}

fn write_budget(budget: f64, sums: &SystemCost, f: &mut fmt::Formatter) -> fmt::Result {
    let left = budget - sums.cost;
    write!(f, "<td>{}</td>", Thousands(budget, 0))?;
    if sums.diagrams == 0 {
        f.write_str("<td>nothing planned</td>")
    } else if left < 0.0 {
        write!(f, r#"<td class="over" style="color:#b3261e;font-weight:bold">{} over</td>"#, Thousands(left, 0))
    } else {
        write!(f, "<td>{}</td>", Thousands(left, 0))
    }
}

/// Writes the notes below the sums: which diagrams count, which are missing and why, and which geometries are not valid.
fn write_gaps(report: &CostReport, f: &mut fmt::Formatter) -> fmt::Result {
    f.write_str(
        "<p>Areas and costs are summed over diagrams, policies included: two on the same land both count.</p>",
    )?;
    write_land(report, f)?;
    if report.without_rate() > 0 {
        write!(f, "<p>No rate set for {}: the system has no cost.</p>", Diagrams(report.without_rate()))?;
    }
    for diagrams in report.at_area_rates() {
        write!(f, "<p>{diagrams}.</p>")?;
    }
    let of_unknown_size = report.diagrams.iter().filter(|diagram| diagram.cost.is_none() && !diagram.is_without_rate());
    if let unknown @ 1.. = of_unknown_size.count() as i64 {
        write!(f, "<p>Area unknown for {} with a rate.</p>", Diagrams(unknown))?;
    }
    if report.unpriced() > 0 {
        write!(f, "<p>The total does not include {} without a known cost.</p>", Diagrams(report.unpriced()))?;
    }
    if report.unopened() > 0 {
        write!(f, "<p>The file of {} could not be opened.</p>", Diagrams(report.unopened()))?;
    }
    match report.invalid() {
        None => Ok(()),
        Some(0) => f.write_str("<p>The geometries of all diagrams are valid.</p>"),
        Some(invalid) => {
            write!(f, "<p>Geometry not valid for {}: area and cost may be wrong.</p>", Diagrams(invalid))
        }
    }
}

/// Writes which land counts, if not all of it.
fn write_land(report: &CostReport, f: &mut fmt::Formatter) -> fmt::Result {
    if report.land().is_all() {
        return Ok(());
    }
    f.write_str("<p>Only land inside the study area counts.")?;
    if let outside @ 1.. = report.outside() {
        write!(f, " Partly or completely outside: {}.", Diagrams(outside))?;
    }
    if let uncut @ 1.. = report.uncut() {
        write!(f, " Counted as a whole, without a geometry to cut: {}.", Diagrams(uncut))?;
    }
    f.write_str("</p>")
}

/// The headings of areas, of lengths and, if there are points, of their number.
fn size_headings(report: &CostReport, units: Units) -> Vec<String> {
    let inside = if report.land().is_all() { "" } else { " inside" };
    let mut headings = [("area", units.area_unit()), ("length", units.length_unit())]
        .map(|(size, unit)| format!("{size}{inside} ({unit})"))
        .to_vec();
    headings.extend(report.has_points().then(|| format!("pieces{inside}")));
    headings
}

/// Writes a table's header: for each column its class, which is empty for figures, and its name.
fn write_headings<'h>(mut headings: impl Iterator<Item = (&'h str, &'h str)>, f: &mut fmt::Formatter) -> fmt::Result {
    f.write_str("<thead><tr>")?;
    headings.try_for_each(|(class, heading)| match class {
        "" => write!(f, r#"<th scope="col">{heading}</th>"#),
        class => write!(f, r#"<th scope="col" class="{class}">{heading}</th>"#),
    })?;
    f.write_str("</tr></thead><tbody>")
}

/// Displays a number of diagrams in words, such as `3 diagrams`.
pub struct Diagrams(pub i64);

impl Display for Diagrams {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} diagram{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Displays a number with commas between its thousands, and with the given number of decimals.
pub struct Thousands(pub f64, pub usize);

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

/// Displays a rate, with decimals if it is small: 0.4 does not become 0.
struct Rate(f64);

impl Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rate = self.0.abs();
        let zeros = (0..12).take_while(|&places| rate * 10_f64.powi(places) < 1.0).count();
        Thousands(self.0, if rate >= 10.0 || rate.fract() == 0.0 { 0 } else { zeros + 1 }).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Rate, Thousands};

    #[test]
    fn a_small_rate_has_decimals() {
        let shown = [0.0, 0.4, 0.045, 2.5, 7.0, 40.47, -0.4].map(|rate| Rate(rate).to_string());
        assert_eq!(shown, ["0", "0.40", "0.045", "2.5", "7", "40", "-0.40"]);
    }

    #[test]
    fn numbers_are_rounded_and_have_commas_between_thousands() {
        let shown = |number, decimals| Thousands(number, decimals).to_string();
        assert_eq!(shown(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(shown(-1000.0, 0), "-1,000");
        assert_eq!(shown(999.0, 0), "999");
        assert_eq!(shown(-0.01, 1), "0.0");
    }
}
