//! Reads bodies with errors. Values that cannot be read are taken out of the text, so that all later readers of the text agree, and each
//! row that lost something is named.
//!
//! This is slow, and only done if a body could not be read as it is.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::de::{Deserialize, DeserializeSeed};

use super::Layout;
use super::visitors::{Element, ElementSeed};
use crate::features::columns::ChunkBuilder;
use crate::features::problems::{RowProblem, is_priced};
use crate::json::{DecodeError, message_with_byte};
use crate::model::TAG_CODE_SEPARATOR;
use geodesign_geometry::json::{JsonText, Scanner, Value};
use geodesign_geometry::{GeometrySeed, is_wgs84};

/// A body without its errors.
pub struct Repaired {
    pub body: String,
    /// Problems of rows, in the order of the rows.
    pub problems: Vec<RowProblem>,
}

/// Reasons why a body cannot be repaired.
pub enum Irreparable {
    /// The text is not JSON, or neither a list of diagrams nor a collection, or no diagram has an id.
    Whole,
    TooManyProblems,
}

pub fn repair(text: &str, layout: Layout) -> Result<Repaired, Irreparable> {
    let mut repair = Repair { row: 0, problems: Vec::new(), trial: Trial::default(), seen: HashSet::new() };
    let body = match layout {
        Layout::Diagrams => repair.diagrams(text),
        Layout::Collection => repair.collection(text),
    };
    match body {
        _ if repair.has_too_many() => Err(Irreparable::TooManyProblems),
        Some(body) => Ok(Repaired { body, problems: repair.problems }),
        None => Err(Irreparable::Whole),
    }
}

/// Repairs a text that was checked to be JSON as a whole, which makes reading its values faster.
struct Repair {
    /// The next row.
    row: usize,
    problems: Vec<RowProblem>,
    trial: Trial,
    /// The ids of the diagrams so far.
    seen: HashSet<i64>,
}

/// Beyond this many problems, the place of an error in a geometry is not searched for.
const MAX_SEARCHED: usize = 1_000;
/// A body with more problems is refused. Reading around a problem takes several times as long as reading a row.
pub const MAX_PROBLEMS: usize = 10_000;
/// Columns are replaced after this many rows of trials.
const MAX_TRIALS: usize = 256;

/// Columns in which elements and properties are tried: making them takes longer than a trial.
#[derive(Default)]
struct Trial(ChunkBuilder);

impl Trial {
    /// Returns the columns, which are replaced from time to time.
    fn columns(&mut self) -> &mut ChunkBuilder {
        if self.0.rows() >= MAX_TRIALS {
            self.0 = ChunkBuilder::default();
        }
        &mut self.0
    }

    /// Returns the number of rows of an element that can be read as it is.
    fn rows_of(&mut self, text: &str, element: Element) -> Option<usize> {
        let chunk = self.columns();
        let before = chunk.rows();
        ElementSeed { chunk, element }.deserialize(&mut Scanner::over_valid(text)).ok()?;
        Some(self.0.rows() - before)
    }

    /// Begins the properties of another diagram or feature.
    fn begin(&mut self) {
        self.columns().add_row(None);
    }

    /// Returns the reason why a property cannot be read, if any.
    fn problem(&mut self, name: &str, value: &str) -> Option<String> {
        let rows = self.0.rows();
        self.0.set(rows - 1..rows, name, value).err().map(|error| error.to_string())
    }
}

impl Repair {
    fn name(&mut self, row: usize, diagram_id: Option<i64>, reason: Reason) {
        let Reason { text, is_about_price } = reason;
        self.problems.push(RowProblem { is_about_price, ..RowProblem::new(row, diagram_id, text) });
    }

    fn has_too_many(&self) -> bool {
        self.problems.len() > MAX_PROBLEMS
    }

    fn diagrams(&mut self, text: &str) -> Option<String> {
        let elements = elements_of(Scanner::new(text))?;
        let diagrams = elements.iter().enumerate().map_while(|(place, text)| {
            let is_within_limit = !self.has_too_many();
            is_within_limit.then(|| self.diagram(place, text))
        });
        let diagrams: Vec<Cow<'_, str>> = diagrams.flatten().collect();
        (elements.is_empty() || !diagrams.is_empty()).then(|| list(&diagrams))
    }

    /// Returns `None` for a diagram that is left out: it has no id, or the id of an earlier one.
    fn diagram<'t>(&mut self, place: usize, text: &'t str) -> Option<Cow<'t, str>> {
        if let Some(rows) = self.trial.rows_of(text, Element::Diagram) {
            let id = self.trial.0.diagrams.last().copied();
            return self.is_new(place, id).then(|| {
                self.row += rows;
                text.into()
            });
        }
        let (first, mut object) = (self.row, Object::default());
        self.trial.begin();
        let fields = members(text).unwrap_or_default();
        let id = last(&fields, "id").filter(|id| !matches!(*id, "null" | "\"\""));
        let Some(id) = id.filter(|id| self.trial.problem("diagramid", id).is_none()) else {
            let id = id.map_or_else(|| "it has no id".to_owned(), |id| format!("its id is {id}"));
            self.name(first, None, Reason::of(format!("[{place}] is left out: {id}")));
            return None;
        };
        let id = integer(id);
        if !self.is_new(place, id) {
            return None;
        }
        let mut reasons = Vec::new();
        for (key, value) in fields {
            match key.as_ref() {
                "geojson" => {
                    let geojson = self.geojson(value, id, &mut reasons);
                    object.add(&key, &geojson);
                }
                _ => object.add_property(&key, value, &mut self.trial, &mut reasons),
            }
        }
        // A diagram without features has a row, too.
        self.row = self.row.max(first + 1);
        reasons.into_iter().for_each(|reason| self.name(first, id, reason));
        Some(object.finish().into())
    }

    /// True if no earlier diagram has this id: a repeated one would be priced twice.
    fn is_new(&mut self, place: usize, id: Option<i64>) -> bool {
        let is_new = id.is_none_or(|id| self.seen.insert(id));
        if !is_new {
            self.name(
                self.row,
                id,
                Reason { text: format!("[{place}] is left out: it comes twice"), is_about_price: false },
            );
        }
        is_new
    }

    /// The value of `geojson`: a FeatureCollection or null.
    fn geojson(&mut self, text: &str, id: Option<i64>, reasons: &mut Vec<Reason>) -> String {
        if text == "null" {
            return text.to_owned();
        }
        let Some(content) = members(text) else {
            reasons.push(Reason::of("geojson is no FeatureCollection"));
            return "null".to_owned();
        };
        let Some(features) = last(&content, "features").and_then(elements) else {
            reasons.push(Reason::of("geojson has no list of features"));
            return "null".to_owned();
        };
        let mut object = Object::default();
        let is_elsewhere = !is_wgs84(last(&content, "crs"));
        if is_elsewhere {
            reasons.push(Reason::of(CRS));
        }
        for (key, value) in &content {
            match key.as_ref() {
                "features" => {}
                "crs" if is_elsewhere => {}
                _ => object.add(key, value),
            }
        }
        let features: Vec<_> = features.iter().map(|feature| self.feature(feature, id, is_elsewhere)).collect();
        object.add("features", &list(&features));
        object.finish()
    }

    fn collection(&mut self, text: &str) -> Option<String> {
        let content = members_of(Scanner::new(text))?;
        let mut object = Object::default();
        let is_whole = last(&content, "features").is_some();
        let is_elsewhere = is_whole && !is_wgs84(last(&content, "crs"));
        if !is_whole && last(&content, "geojson").is_none() {
            return None;
        }
        let mut reasons = Vec::new();
        for (key, value) in &content {
            match (key.as_ref(), is_whole) {
                ("features", true) => {
                    let features = if *value == "null" { Vec::new() } else { elements(value)? };
                    let features: Vec<_> =
                        features.iter().map(|feature| self.feature(feature, None, is_elsewhere)).collect();
                    object.add(key, &list(&features));
                }
                ("geojson", false) => {
                    let id = last(&content, "id").and_then(integer);
                    let geojson = self.geojson(value, id, &mut reasons);
                    object.add(key, &geojson);
                }
                ("crs", true) if is_elsewhere => reasons.push(Reason::of(CRS)),
                _ => object.add(key, value),
            }
        }
        // Without rows, the collection itself lacks something.
        let id = last(&content, "id").and_then(integer);
        reasons.into_iter().for_each(|reason| self.name(0, id, reason));
        Some(object.finish())
    }

    /// Repairs a feature. A feature in another CRS keeps its properties only.
    fn feature<'t>(&mut self, text: &'t str, id: Option<i64>, is_elsewhere: bool) -> Cow<'t, str> {
        let row = self.row;
        self.row += 1;
        if self.has_too_many() {
            // The body is refused at the end.
            return "".into();
        }
        if !is_elsewhere && self.trial.rows_of(text, Element::Feature).is_some() {
            return text.into();
        }
        let mut object = Object::default();
        let Some(content) = members(text) else {
            self.name(row, id, Reason::of("a feature is no object"));
            return r#"{"type":"Feature","properties":{},"geometry":null}"#.into();
        };
        let mut reasons = Vec::new();
        let is_elsewhere_itself = !is_wgs84(last(&content, "crs"));
        if is_elsewhere_itself {
            reasons.push(Reason::of(CRS));
        }
        let mut own_id = None;
        for (key, value) in &content {
            match key.as_ref() {
                "geometry" if is_elsewhere || is_elsewhere_itself => object.add(key, "null"),
                "geometry" => match geometry_problem(value, self.problems.len() < MAX_SEARCHED) {
                    Some(problem) => {
                        reasons.push(Reason::of(problem));
                        object.add(key, "null");
                    }
                    None => object.add(key, value),
                },
                "properties" if *value == "null" => object.add(key, value),
                "properties" => match members(value) {
                    Some(properties) => {
                        self.trial.begin();
                        own_id = ["diagramid", "id"].iter().find_map(|name| integer(last(&properties, name)?));
                        let mut repaired = Object::default();
                        for (name, value) in &properties {
                            repaired.add_property(name, value, &mut self.trial, &mut reasons);
                        }
                        object.add(key, &repaired.finish());
                    }
                    None => {
                        reasons.push(Reason::of("properties are no object"));
                        object.add(key, "{}");
                    }
                },
                "crs" if is_elsewhere_itself => {}
                _ => object.add(key, value),
            }
        }
        reasons.into_iter().for_each(|reason| self.name(row, id.or(own_id), reason));
        object.finish().into()
    }
}

/// The reason why a value of a row cannot be read.
struct Reason {
    text: String,
    is_about_price: bool,
}

impl Reason {
    /// A reason that affects a diagram's cost.
    fn of(text: impl Into<String>) -> Self {
        Reason { text: text.into(), is_about_price: true }
    }
}

const CRS: &str =
    "its crs is not WGS 84, so that its positions are not longitude and latitude; its geometry is left out";

/// Returns the reason why a geometry cannot be read, with the place in it if that is searched for.
fn geometry_problem(text: &str, is_searched: bool) -> Option<String> {
    let read = |text: &[u8]| GeometrySeed.deserialize(&mut serde_json::Deserializer::from_slice(text)).err();
    let error = read(text.as_bytes())?;
    let (path, message) = if is_searched {
        let error = DecodeError::new(text.as_bytes(), error, &read);
        (error.path.map(|path| format!(".{path}")).unwrap_or_default(), error.message)
    } else {
        (String::new(), message_with_byte(text.as_bytes(), &error))
    };
    let problem = message.rsplit_once(" at byte ").map_or(message.as_str(), |(problem, _)| problem);
    let problem = problem.replace("expected f64", "expected a number");
    Some(format!("geometry{path}: {problem}"))
}

fn integer(json: &str) -> Option<i64> {
    crate::features::columns::cells::integer(json).ok().flatten()
}

/// The members of an object, with their values as JSON text. `None` if it is not an object.
fn members(text: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    members_of(Scanner::over_valid(text))
}

fn members_of(mut scanner: Scanner<'_>) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let Value::Object = scanner.value().ok()? else { return None };
    let (mut members, mut found) = (scanner.members(), Vec::new());
    while members.advance().ok()? {
        let key = members.scanner.string().ok()?;
        members.scanner.take(b':').ok()?;
        let JsonText(value) = JsonText::deserialize(&mut *members.scanner).ok()?;
        found.push((key, value));
    }
    Some(found)
}

/// The elements of an array as JSON text. `None` if it is not an array.
fn elements(text: &str) -> Option<Vec<&str>> {
    elements_of(Scanner::over_valid(text))
}

fn elements_of(mut scanner: Scanner<'_>) -> Option<Vec<&str>> {
    let Value::Array = scanner.value().ok()? else { return None };
    let (mut elements, mut found) = (scanner.elements(), Vec::new());
    while elements.advance().ok()? {
        let JsonText(value) = JsonText::deserialize(&mut *elements.scanner).ok()?;
        found.push(value);
    }
    elements.finish().ok()?;
    scanner.end().ok()?;
    Some(found)
}

/// The value of a member: the last one, where names repeat.
fn last<'t>(members: &[(Cow<'_, str>, &'t str)], name: &str) -> Option<&'t str> {
    members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
}

fn list(elements: &[Cow<'_, str>]) -> String {
    format!("[{}]", elements.join(","))
}

/// The text of an object.
#[derive(Default)]
struct Object(String);

impl Object {
    fn add(&mut self, key: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&serde_json::Value::from(key).to_string());
        self.0.push(':');
        self.0.push_str(value);
    }

    /// Adds a property; null in place of one that cannot be read.
    fn add_property(&mut self, name: &str, value: &str, trial: &mut Trial, reasons: &mut Vec<Reason>) {
        let codes = (name == "tag_codes").then(|| serde_json::from_str::<Vec<String>>(value).ok()).flatten();
        if let Some(codes) = codes {
            // A form that some services have, not a mistake.
            return self.add(name, &serde_json::Value::from(codes.join(TAG_CODE_SEPARATOR)).to_string());
        }
        match trial.problem(name, value) {
            None => self.add(name, value),
            Some(problem) => {
                // No column can have such a name.
                if !name.contains('\0') {
                    self.add(name, "null");
                }
                reasons.push(Reason { text: problem, is_about_price: is_priced(name) });
            }
        }
    }

    fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}
