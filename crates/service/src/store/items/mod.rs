//! A project's content as collections of features, for GIS programs. Pages are filtered in the database, so that each takes only its own memory.

mod condition;
mod fields;
mod map_properties;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use rusqlite::types::ValueRef;
use rusqlite::{Row, params_from_iter};
use serde::Serialize;
use serde_json::value::RawValue;

use super::database::error::{Result, StoreError};
use super::database::transaction::Reader;
use super::database::values::ProjectKey;
use super::diagrams::DiagramFilter;
use crate::cql2::Filter;
use condition::Condition;
use fields::{MAP_PROPERTIES, Place, Source};
use geodesign::costs::{CostFigures, DiagramCost, ReportSubject};
use geodesign::model::{DiagramId, SystemId};
use geodesign_geometry::Geometry;

pub use condition::FilterProblem;
pub use fields::{Field, FieldKind};
pub use map_properties::members;

/// A collection of features of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collection {
    /// One feature per diagram, with its cost.
    Diagrams,
    /// One feature per drawn feature.
    Parts,
    Boundaries,
    Constraints,
    Context,
    /// Without geometries.
    Layers,
    Evaluation(SystemId),
    /// One feature per diagram in each design.
    Designs,
    /// One feature per diagram that a member selected.
    Selections,
}

const EVALUATION: &str = "evaluation-";

impl Collection {
    /// Returns the end of its id, which follows the project's id.
    pub fn name(self) -> String {
        match self {
            Collection::Diagrams => "diagrams".into(),
            Collection::Parts => "parts".into(),
            Collection::Boundaries => "boundaries".into(),
            Collection::Constraints => "constraints".into(),
            Collection::Context => "context".into(),
            Collection::Layers => "layers".into(),
            Collection::Evaluation(system) => format!("{EVALUATION}{system}"),
            Collection::Designs => "designs".into(),
            Collection::Selections => "selections".into(),
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        let plain = [
            Collection::Diagrams,
            Collection::Parts,
            Collection::Boundaries,
            Collection::Constraints,
            Collection::Context,
            Collection::Layers,
            Collection::Designs,
            Collection::Selections,
        ];
        match name.strip_prefix(EVALUATION) {
            Some(system) => system.parse().ok().map(|id| Collection::Evaluation(SystemId(id))),
            None => plain.into_iter().find(|collection| collection.name() == name),
        }
    }

    /// True if its features have geometries.
    pub fn has_geometry(self) -> bool {
        self != Collection::Layers
    }
}

/// The features to read.
#[derive(Debug, Default)]
pub struct ItemsQuery {
    /// Maximum number of features.
    pub limit: usize,
    /// Only features after this one.
    pub after: Option<ItemKey>,
    /// Features to skip; not counted if `after` is given.
    pub offset: usize,
    /// Only features that have a point in common with it.
    pub bbox: Option<Geometry>,
    pub filter: Option<Filter>,
    /// Only features with these values.
    pub equal: Vec<(String, String)>,
    /// Only features whose days overlap this period. Features without days match any period.
    pub period: Option<Period>,
    /// Only the feature with this id.
    pub id: Option<String>,
    /// True if all matching features are counted.
    pub counts: bool,
}

impl ItemsQuery {
    /// True if the query filters by properties.
    fn names_properties(&self) -> bool {
        self.filter.is_some() || !self.equal.is_empty()
    }
}

/// A period. One side may be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// Days, or moments in UTC.
    pub start: Option<String>,
    pub end: Option<String>,
}

/// The place of a feature in the order of its collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemKey(Vec<KeyValue>);

/// A number or a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyValue {
    Integer(i64),
    Text(String),
}

/// Features of a collection.
#[derive(Debug)]
pub struct ItemsPage {
    pub items: Vec<Item>,
    /// The key at which the next page begins; `None` after the last.
    pub next: Option<ItemKey>,
    /// Number of features on all pages, if they were counted.
    pub matched: Option<u64>,
}

/// A feature.
#[derive(Debug)]
pub struct Item {
    /// A number or a text, as JSON.
    pub id: String,
    /// GeoJSON texts: one, none, or those of all features of the diagram.
    pub geometries: Vec<String>,
    /// A JSON object.
    pub properties: String,
}

/// Approximate maximum of bytes in a page with several features.
const MAX_PAGE_BYTES: usize = 16 * 1024 * 1024;

impl Reader<'_> {
    /// Reads a page of the features of a collection. The outer error is the database's, the inner one is about the query.
    pub fn items(
        &self,
        project: ProjectKey,
        collection: Collection,
        query: &ItemsQuery,
    ) -> Result<std::result::Result<ItemsPage, FilterProblem>> {
        let mut source = collection.source(self);
        if source.map.is_some() && query.names_properties() {
            source.fields = self.item_fields(project, collection)?;
        }
        let mut condition = Condition::new(&source, project);
        if let Err(problem) = add_conditions(&mut condition, &source, query) {
            return Ok(Err(problem));
        }
        let from = &source.from;
        let count = query.counts.then(|| match source.count {
            // All of them: the project counts them as they come and go.
            Some(count) if condition.sql == source.condition => (count.to_owned(), condition.values.clone()),
            _ => (format!("SELECT count(*) FROM {from} WHERE {}", condition.sql), condition.values.clone()),
        });
        let keys: Vec<&str> = source.key.iter().map(|part| part.sql).collect();
        let keys = keys.join(", ");
        if let Some(ItemKey(after)) = &query.after {
            condition.push(&format!(" AND ({keys}) > ("));
            for (index, value) in after.iter().enumerate() {
                condition.push(if index > 0 { ", " } else { "" });
                match value {
                    KeyValue::Integer(number) => condition.bind(*number),
                    KeyValue::Text(text) => condition.bind(text.clone()),
                }
            }
            condition.push(")");
        }
        condition.push(&format!(" ORDER BY {keys} LIMIT "));
        condition.bind(query.limit as i64 + 1);
        if query.after.is_none() && query.offset > 0 {
            condition.push(" OFFSET ");
            condition.bind(i64::try_from(query.offset).unwrap_or(i64::MAX));
        }
        let geometry = match source.geometry {
            Place::OfDiagram => {
                "(SELECT group_concat(geometry, char(30)) FROM (SELECT geometry FROM features WHERE features.diagram = diagrams.id \
                 ORDER BY features.key))"
            }
            Place::Own => "features.geometry",
            Place::InText(sql) => sql,
            Place::Nowhere => "NULL",
        };
        let mut sql = format!("SELECT {keys}, {}, {geometry}", source.id);
        match source.map {
            Some(_) => write!(sql, ", {MAP_PROPERTIES}").unwrap_or_default(),
            None => source.fields.iter().for_each(|field| write!(sql, ", {}", field.sql).unwrap_or_default()),
        }
        write!(sql, " FROM {from} WHERE {}", condition.sql).unwrap_or_default();
        let mut page = ItemsPage { items: Vec::new(), next: None, matched: None };
        let (mut bytes, mut last) = (0, None);
        self.until(&sql, params_from_iter(&condition.values), |row| {
            let is_full = page.items.len() == query.limit || (bytes > MAX_PAGE_BYTES && !page.items.is_empty());
            if is_full {
                page.next = last.take();
                return Ok(ControlFlow::Break(()));
            }
            let item = item(&source, row)?;
            bytes += item.properties.len() + item.geometries.iter().map(String::len).sum::<usize>();
            last = Some(key(&source, row)?);
            page.items.push(item);
            Ok(ControlFlow::Continue(()))
        })?;
        let is_whole = page.next.is_none() && query.after.is_none() && query.offset == 0;
        page.matched = match count {
            Some(_) if is_whole => Some(page.items.len() as u64),
            Some((sql, values)) => self.value(&sql, params_from_iter(values))?,
            None => None,
        };
        if collection == Collection::Diagrams {
            self.add_costs(project, &mut page.items)?;
        }
        Ok(Ok(page))
    }

    /// Adds the costs of the diagrams of a page.
    fn add_costs(&self, project: ProjectKey, items: &mut [Item]) -> Result<()> {
        let ids = items.iter().filter_map(|item| item.id.parse().ok()).map(DiagramId).collect();
        let facts = self.cost_facts(project, &DiagramFilter::Among(project, ids))?;
        let figures = CostFigures::new(&self.systems(project)?, facts, ReportSubject::default());
        let mut costs: HashMap<i64, DiagramCost> =
            figures.diagrams.into_iter().map(|cost| (cost.diagramid, cost)).collect();
        for item in items {
            let Some(cost) = item.id.parse().ok().and_then(|id| costs.remove(&id)) else { continue };
            // The object ends with the computed fields.
            let computed = serde_json::json!({
                "kind": cost.kind.map(|kind| kind.name()),
                "area_ha": cost.area_ha,
                "length_km": cost.length_km,
                "pieces": cost.pieces,
                "rate": cost.rate,
                "cost": cost.cost,
                "cost_problem": cost.cost_problem,
            });
            let computed = computed.to_string();
            item.properties.truncate(item.properties.len() - 1);
            item.properties.push(',');
            item.properties.push_str(&computed[1..]);
        }
        Ok(())
    }
}

fn add_conditions(
    condition: &mut Condition,
    source: &Source,
    query: &ItemsQuery,
) -> std::result::Result<(), FilterProblem> {
    if let Some(id) = &query.id {
        condition.push(&format!(" AND {} = ", source.id));
        let is_number = source.key.iter().all(|part| !part.is_text) && !source.id.contains("||");
        match id.parse::<i64>() {
            Ok(number) if is_number => condition.bind(number),
            _ => condition.bind(id.clone()),
        }
    }
    if let Some(bbox) = &query.bbox {
        // The standard includes all features without a geometry.
        condition.push(" AND (");
        condition.meets(bbox);
        condition.push(" OR ");
        condition.is_nowhere();
        condition.push(")");
    }
    for (name, text) in &query.equal {
        condition.and_equal(name, text)?;
    }
    if let Some(filter) = &query.filter {
        condition.and(filter)?;
    }
    if let (Some(Period { start, end }), true) = (&query.period, source.has_period) {
        let undated = source.fields.iter().find(|field| field.name == "undated").map_or("FALSE", |field| &*field.sql);
        condition.push(&format!(" AND ({undated} OR (TRUE"));
        if let Some(start) = start {
            // A day lasts until its end.
            condition.push(" AND diagrams.end_date >= substr(");
            condition.bind(start.clone());
            condition.push(", 1, 10)");
        }
        if let Some(end) = end {
            condition.push(" AND diagrams.start_date <= ");
            condition.bind(end.clone());
        }
        condition.push("))");
    }
    Ok(())
}

fn key(source: &Source, row: &Row) -> Result<ItemKey> {
    let part = |(index, part): (usize, &fields::KeyPart)| {
        Ok(if part.is_text { KeyValue::Text(row.get(index)?) } else { KeyValue::Integer(row.get(index)?) })
    };
    Ok(ItemKey(source.key.iter().enumerate().map(part).collect::<Result<_>>()?))
}

fn item(source: &Source, row: &Row) -> Result<Item> {
    let first = source.key.len();
    let id = match row.get_ref(first)? {
        ValueRef::Integer(number) => number.to_string(),
        other => json_text(other.as_str().unwrap_or_default()),
    };
    let geometries: Option<String> = row.get(first + 1)?;
    let geometries = geometries.filter(|text| text != "null");
    let geometries = match geometries {
        Some(texts) if texts.contains(SEPARATOR) => texts.split(SEPARATOR).map(str::to_owned).collect(),
        one => one.into_iter().collect(),
    };
    let properties = match source.map {
        Some(_) => {
            let object: Option<String> = row.get(first + 2)?;
            object.filter(|text| text.starts_with('{')).unwrap_or_else(|| "{}".to_owned())
        }
        None => properties(source, row, first + 2)?,
    };
    Ok(Item { id, geometries, properties })
}

/// Returns the properties of a row as a JSON object.
fn properties(source: &Source, row: &Row, first: usize) -> Result<String> {
    let mut object = Vec::with_capacity(USUAL_BYTES);
    object.push(b'{');
    for (index, field) in source.fields.iter().enumerate().filter(|(_, field)| field.is_queryable) {
        if index > 0 {
            object.push(b',');
        }
        push_json(&mut object, &*field.name)?;
        object.push(b':');
        match (row.get_ref(first + index)?, field.kind) {
            (ValueRef::Null, _) => object.extend(b"null"),
            (ValueRef::Integer(truth), FieldKind::Boolean) => push_json(&mut object, &(truth != 0))?,
            (ValueRef::Integer(number), _) => push_json(&mut object, &number)?,
            (ValueRef::Real(number), _) => push_json(&mut object, &number)?,
            (value, FieldKind::DateTime) => {
                push_json(&mut object, &format!("{}Z", value.as_str().map_err(StoreError::content)?))?;
            }
            (value, _) => push_json(&mut object, value.as_str().map_err(StoreError::content)?)?,
        }
    }
    object.push(b'}');
    String::from_utf8(object).map_err(StoreError::content)
}

/// Separates geometries; it does not occur in JSON.
const SEPARATOR: char = '\u{1e}';
/// Most objects have at most this many bytes.
const USUAL_BYTES: usize = 1_024;

fn push_json(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> Result<()> {
    serde_json::to_writer(json, value).map_err(StoreError::content)
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl ItemKey {
    /// Returns the text of the key in a link.
    pub fn encode(&self) -> String {
        let parts = self.0.iter().map(|part| match part {
            KeyValue::Integer(number) => format!("i{number}"),
            KeyValue::Text(text) => format!("t{text}"),
        });
        parts.collect::<Vec<_>>().join("~")
    }

    /// Reads the text in a link; `None` if it belongs to no link of this collection.
    pub fn decode(text: &str, collection: Collection) -> Option<Self> {
        let parts = text.split('~').map(|part| match part.split_at_checked(1)? {
            ("i", number) => number.parse().ok().map(KeyValue::Integer),
            ("t", text) => Some(KeyValue::Text(text.to_owned())),
            _ => None,
        });
        let parts: Vec<KeyValue> = parts.collect::<Option<_>>()?;
        let is_text: Vec<bool> = parts.iter().map(|part| matches!(part, KeyValue::Text(_))).collect();
        let expected: &[bool] = match collection {
            Collection::Designs => &[true, false],
            Collection::Parts | Collection::Selections => &[false, false],
            _ => &[false],
        };
        (is_text == expected).then_some(ItemKey(parts))
    }
}

impl Item {
    /// Returns its geometry as GeoJSON: its only geometry, or all joined into one. Positions are mapped if `map` is given.
    pub fn geometry(&self, map: Option<&dyn Fn([f64; 2]) -> [f64; 2]>) -> Result<Cow<'_, str>> {
        fn mapped<'t>(text: &'t str, map: Option<&dyn Fn([f64; 2]) -> [f64; 2]>) -> Result<Cow<'t, str>> {
            match map {
                None => Ok(text.into()),
                Some(map) => {
                    let geometry = super::database::values::to_geometry(text)?;
                    let geometry = geometry.map(|geometry| geometry.map_positions(&|position| map(position)));
                    Ok(serde_json::to_string(&geometry).map_err(StoreError::content)?.into())
                }
            }
        }
        match self.geometries.as_slice() {
            [] => Ok("null".into()),
            [one] => mapped(one, map),
            several => {
                let texts = several.iter().map(|text| mapped(text, map)).collect::<Result<Vec<_>>>()?;
                Ok(together(&texts)?.into())
            }
        }
    }
}

/// Joins geometries of one kind as a multi-geometry, others as a collection.
fn together(geometries: &[Cow<str>]) -> Result<String> {
    #[derive(serde::Deserialize)]
    struct Known<'t> {
        r#type: String,
        #[serde(borrow)]
        coordinates: Option<&'t RawValue>,
    }
    let known = geometries.iter().map(|text| serde_json::from_str::<Known>(text).map_err(StoreError::content));
    let known = known.collect::<Result<Vec<_>>>()?;
    for kind in ["Polygon", "LineString", "Point"] {
        let multi = format!("Multi{kind}");
        let parts = known.iter().map(|known| match (known.r#type.as_str(), known.coordinates) {
            (name, Some(coordinates)) if name == kind => Some(coordinates.get().to_owned()),
            (name, Some(coordinates)) if name == multi => {
                let inner = coordinates.get().trim();
                Some(inner.get(1..inner.len() - 1)?.trim().to_owned())
            }
            _ => None,
        });
        if let Some(parts) = parts.collect::<Option<Vec<_>>>() {
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            return Ok(format!("{{\"type\":\"{multi}\",\"coordinates\":[{}]}}", parts.join(",")));
        }
    }
    Ok(format!("{{\"type\":\"GeometryCollection\",\"geometries\":[{}]}}", geometries.join(",")))
}
