//! The report as a page of its own, which needs nothing else and prints on A4.

use std::fmt::{self, Display, Write};

use super::numbers::{Diagrams, Thousands};
use super::table::CostTable;
use crate::costs::report::{CostReport, DiagramCost, SystemCost};
use crate::costs::rules::{AreaSource, RateSource};
use crate::costs::units::Units;
use crate::html::Escaped;
use crate::model::{DiagramKind, is_color};

/// Displays the systems, then each diagram with the origin of its cost, then what the words mean.
pub struct CostPage<'r> {
    pub report: &'r CostReport,
    pub title: &'r str,
    /// Such as `USD`; no service tells it.
    pub currency: &'r str,
    pub units: Units,
}

/// Nothing is loaded, whatever a service has written into a name. Paper is white; screens may be dark.
const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --faint: #8886 }
body { font: 14px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; overflow-wrap: anywhere } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem }
h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; break-after: avoid; overflow-wrap: anywhere }
h3 i { display: inline-block; width: .8em; height: .8em; border: 1px solid #8888; margin-right: .4em }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; vertical-align: top; padding: .2rem .45rem; border-bottom: 1px solid var(--faint) }
th { font-weight: 600 } th:first-child { text-align: left } .text { text-align: left }
[scope=row] { overflow-wrap: anywhere; min-width: 8em; font-weight: inherit }
.diagrams td { white-space: nowrap; text-align: right; min-width: 0 } .diagrams td.text { text-align: left }
.diagrams td.long { white-space: normal; overflow-wrap: anywhere; min-width: 9em; width: 60% }
.diagrams [scope=row] { white-space: nowrap; min-width: 0 } .over { color: light-dark(#b3261e, #ff8a80) !important }
tr { break-inside: avoid } thead { display: table-header-group } dt { font-weight: 600 } dd { margin: 0 0 .5rem 1rem }
@page { size: A4; margin: 15mm }
@media print {
  :root { color-scheme: light } body { font-size: 8.5pt; max-width: none; margin: 0; padding: 0 }
  h3 i { print-color-adjust: exact; -webkit-print-color-adjust: exact } th, td { padding: .1rem .25rem }
}
</style>
"#;

impl Display for CostPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let CostPage { report, title, units, .. } = *self;
        let title = Escaped(title);
        write!(f, "{HEAD}<title>{title}</title></head><body><h1>{title}</h1>")?;
        let (count, total) = (report.diagrams.len() as i64, Thousands(report.total(), 0));
        write!(f, "<p>{} in all: <b>{total}{}</b>.</p>", Diagrams(count), Currency(self.currency))?;
        write!(f, "<h2>Systems</h2>{}", CostTable { report, caption: None, units })?;
        f.write_str("<h2>Diagrams</h2>")?;
        for system in report.systems.iter().filter(|system| system.diagrams > 0) {
            self.write_diagrams(system, f)?;
        }
        self.write_words(f)?;
        f.write_str("</body></html>\n")
    }
}

impl CostPage<'_> {
    /// The diagrams of one system.
    fn write_diagrams(&self, system: &SystemCost, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("<h3>")?;
        if let Some(color) = system.color.as_deref().filter(|color| is_color(color)) {
            write!(f, r#"<i style="background:{color}"></i>"#)?;
        }
        let (area, length) = (self.units.area_unit(), self.units.length_unit());
        write!(f, r#"{}</h3><table class="diagrams"><thead><tr>"#, Escaped(&system.name))?;
        let headings = [
            ("", "id"),
            ("text long", "diagram"),
            ("text", "kind"),
            ("", &format!("area ({area})")),
            ("", &format!("length ({length})")),
            ("", "rate"),
            ("text", "rate from"),
            ("", "cost"),
        ];
        headings
            .iter()
            .try_for_each(|(class, heading)| write!(f, r#"<th scope="col" class="{class}">{heading}</th>"#))?;
        f.write_str("</tr></thead><tbody>")?;
        let own = self.report.diagrams.iter().filter(|diagram| diagram.sysid == system.sysid);
        own.into_iter().try_for_each(|diagram| self.write_diagram(diagram, f))?;
        f.write_str("</tbody></table>")
    }

    fn write_diagram(&self, diagram: &DiagramCost, f: &mut fmt::Formatter) -> fmt::Result {
        let units = self.units;
        let description = Escaped(diagram.description.as_deref().unwrap_or_default());
        write!(f, r#"<tr><th scope="row">{}</th><td class="text long">{description}"#, diagram.diagramid)?;
        if let Some(problem) = &diagram.geometry_problem {
            write!(f, "<br><small>geometry not valid: {}</small>", Escaped(problem))?;
        }
        if let Some(problem) = &diagram.file_problem {
            write!(f, "<br><small>file not opened: {}</small>", Escaped(problem))?;
        }
        write!(f, r#"</td><td class="text">{}</td>"#, diagram.kind.map_or("not known", DiagramKind::name))?;
        write_figure(diagram.area_ha.map(|area| units.area(area)), 1, f)?;
        write_figure(diagram.length_km.map(|length| units.length(length)), 1, f)?;
        match diagram.rate {
            None => f.write_str("<td></td>")?,
            Some(rate) if diagram.area_ha == Some(0.0) => {
                write!(f, "<td>{} per {}</td>", Thousands(units.rate_of_length(rate), 0), units.length_unit())?;
            }
            Some(rate) => {
                let unit = if units == Units::Us { "acre" } else { "ha" };
                write!(f, "<td>{} per {unit}</td>", Thousands(units.rate_of_area(rate), 0))?;
            }
        }
        let source = match diagram.rate_source {
            RateSource::Total => "total",
            RateSource::Policy => "policy",
            RateSource::Override => "diagram",
            RateSource::System => "system",
        };
        write!(f, r#"<td class="text">{source}{}</td>"#, area_note(diagram.area_source))?;
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

const WORDS: [(&str, &str); 6] = [
    (
        "system",
        "One of the themes of the project, such as water or housing, with its rate, its budget and its target area.",
    ),
    ("diagram", "One idea on the map, by one author. The id is that in the project."),
    ("project, policy", "A project is built and has a cost; a policy costs nothing unless it has a total of its own."),
    (
        "cost",
        "The total of the diagram where it has one; 0 for a policy; else its own rate, or that of its system, times its \
         area. A diagram of lines only costs its rate times its length.",
    ),
    ("area, length", "Geodesic on the WGS 84 ellipsoid (Karney 2013), policies included."),
    ("target left", "The target area less what is there today and less the area of the diagrams."),
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

/// Displays the name of a currency after an amount.
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
