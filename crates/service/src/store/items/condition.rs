//! Filters of features as conditions in SQL. Values are parameters; names are looked up among the fields of the collection.

use rusqlite::types::Value;

use super::fields::{Field, FieldKind, Place, Source};
use crate::cql2::{Comparison, Filter, Operand, date_or_timestamp};
use crate::store::database::values::ProjectKey;
use geodesign_geometry::{Geometry, Outline};

/// Reason why a filter does not fit the features.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterProblem {
    #[error("there is no property {0:?} to filter by; choose from {1}")]
    UnknownProperty(String, String),
    #[error("{0} is neither a parameter nor a property to filter by")]
    UnknownParameter(String),
    #[error("{0}: {1:?} is unknown; choose from {2}")]
    UnknownValue(String, String, String),
    #[error("{0:?} is not a geometry; use the property geometry")]
    NotAGeometry(String),
    #[error("{0} is {1} and cannot be compared with {2}")]
    Types(String, &'static str, &'static str),
    #[error("{0} is {1}; it must be true or false")]
    NotATruth(String, &'static str),
    #[error("the filter has more than {MAX_PARTS} comparisons")]
    TooManyParts,
    #[error("the filter has more than {MAX_VALUES} values")]
    TooManyValues,
}

/// SQLite nests expressions at most twice as deep.
const MAX_PARTS: usize = 500;
const MAX_VALUES: usize = 10_000;

type Result<T> = std::result::Result<T, FilterProblem>;

/// A condition, with the values of its parameters.
#[derive(Debug)]
pub struct Condition<'s> {
    pub sql: String,
    pub values: Vec<Value>,
    source: &'s Source,
    project: ProjectKey,
    /// Number of comparisons and connectives.
    parts: usize,
}

/// Values that can be compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Text,
    Number,
    Boolean,
    Time,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Text => "a text",
            Class::Number => "a number",
            Class::Boolean => "true or false",
            Class::Time => "a date or a time",
        }
    }
}

impl FieldKind {
    fn class(self) -> Class {
        match self {
            FieldKind::Text => Class::Text,
            FieldKind::Integer | FieldKind::Number => Class::Number,
            FieldKind::Boolean => Class::Boolean,
            FieldKind::Date | FieldKind::DateTime => Class::Time,
        }
    }
}

impl<'s> Condition<'s> {
    /// Starts with the condition that the rows belong to the project.
    pub fn new(source: &'s Source, project: ProjectKey) -> Self {
        // Numbered parameters come first, so that those without a number follow them.
        Condition {
            sql: source.condition.clone().into_owned(),
            values: vec![Value::Integer(project.0)],
            source,
            project,
            parts: 0,
        }
    }

    /// Adds a parameter.
    pub fn bind(&mut self, value: impl Into<Value>) {
        self.sql.push('?');
        self.values.push(value.into());
    }

    pub fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    /// Adds the condition that the rows fulfil a filter.
    pub fn and(&mut self, filter: &Filter) -> Result<()> {
        self.push(" AND ");
        self.filter(filter)
    }

    /// Adds the condition that a property has the value that a text stands for.
    pub fn and_equal(&mut self, name: &str, text: &str) -> Result<()> {
        let field = self.field(name).map_err(|_| FilterProblem::UnknownParameter(name.to_owned()))?;
        if !field.values.is_empty() && !field.values.contains(&text) {
            return Err(FilterProblem::UnknownValue(name.to_owned(), text.to_owned(), field.values.join(", ")));
        }
        let value = match field.kind.class() {
            Class::Number if field.kind == FieldKind::Integer && text.parse::<i64>().is_err() => {
                Operand::Text(text.to_owned())
            }
            Class::Number => text.parse().map_or_else(|_| Operand::Text(text.to_owned()), Operand::Number),
            Class::Boolean | Class::Text | Class::Time => Operand::Text(text.to_owned()),
        };
        let left = Operand::Property(name.to_owned());
        self.and(&Filter::Compare { left, how: Comparison::Equal, right: value })
    }

    fn filter(&mut self, filter: &Filter) -> Result<()> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(FilterProblem::TooManyParts);
        }
        match filter {
            Filter::All(filters) => self.joined(filters, " AND "),
            Filter::Any(filters) => self.joined(filters, " OR "),
            Filter::Not(negated) => {
                self.push("NOT (");
                self.filter(negated)?;
                self.push(")");
                Ok(())
            }
            Filter::Compare { left, how, right } => {
                let class = self.common_class(left, [right])?;
                self.operand(left, class)?;
                self.push(how.sign());
                self.operand(right, class)
            }
            Filter::Between { value, low, high } => {
                let class = self.common_class(value, [low, high])?;
                self.push("(");
                self.operand(value, class)?;
                self.push(" BETWEEN ");
                self.operand(low, class)?;
                self.push(" AND ");
                self.operand(high, class)?;
                self.push(")");
                Ok(())
            }
            Filter::In { list, .. } if self.values.len() + list.len() > MAX_VALUES => Err(FilterProblem::TooManyValues),
            Filter::In { value, list } => {
                let class = self.common_class(value, list)?;
                self.operand(value, class)?;
                self.push(" IN (");
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        self.push(",");
                    }
                    self.operand(item, class)?;
                }
                self.push(")");
                Ok(())
            }
            Filter::Like { value, pattern } => {
                let class = self.class_of(value)?.unwrap_or(Class::Text);
                if class != Class::Text {
                    return Err(FilterProblem::Types(shown(value), class.name(), "a pattern"));
                }
                let folds_case = matches!(value, Operand::CaseFolded(_));
                self.push("resembles(");
                self.operand(value, class)?;
                self.push(", ");
                self.bind(if folds_case { pattern.to_lowercase() } else { pattern.clone() });
                self.push(")");
                Ok(())
            }
            Filter::IsNull(operand) => {
                let class = self.class_of(operand)?.unwrap_or(Class::Text);
                self.operand(operand, class)?;
                self.push(" IS NULL");
                Ok(())
            }
            Filter::Intersects { property, geometry } => {
                if property != GEOMETRY {
                    return Err(FilterProblem::NotAGeometry(property.clone()));
                }
                self.meets(geometry);
                Ok(())
            }
            Filter::Is(operand) => match self.class_of(operand)? {
                Some(Class::Boolean) => self.operand(operand, Class::Boolean),
                other => Err(FilterProblem::NotATruth(shown(operand), other.unwrap_or(Class::Text).name())),
            },
        }
    }

    fn joined(&mut self, filters: &[Filter], by: &str) -> Result<()> {
        self.push("(");
        for (index, filter) in filters.iter().enumerate() {
            if index > 0 {
                self.push(by);
            }
            self.filter(filter)?;
        }
        self.push(")");
        Ok(())
    }

    /// Writes the condition that the feature's geometry has a point in common with this one.
    pub fn meets(&mut self, geometry: &Geometry) {
        let Some(outline) = Outline::of(geometry) else { return self.push("FALSE") };
        let text = serde_json::to_string(geometry).unwrap_or_default();
        match self.source.geometry {
            Place::Nowhere => self.push("FALSE"),
            Place::InText(sql) => {
                self.push(&format!("meets({sql}, "));
                self.bind(text);
                self.push(")");
            }
            Place::OfDiagram => {
                self.push("diagrams.id IN (SELECT near.diagram ");
                self.near(&outline);
                self.push(" AND (");
                self.and_meets(&outline, text);
                self.push("))");
            }
            Place::Own => {
                // The plus makes SQLite go from the few diagrams to their features.
                self.push("(diagrams.id IN (SELECT near.diagram ");
                self.near(&outline);
                self.push(") AND +features.key IN (SELECT near.key ");
                self.near(&outline);
                self.push(" AND (");
                self.and_meets(&outline, text);
                self.push(")))");
            }
        }
    }

    /// Writes the condition that the feature has no geometry.
    pub fn is_nowhere(&mut self) {
        match self.source.geometry {
            Place::Nowhere => self.push("TRUE"),
            Place::InText(sql) => self.push(&format!("coalesce({sql}, 'null') = 'null'")),
            Place::OfDiagram => {
                self.push("NOT EXISTS (SELECT 1 FROM features AS theirs WHERE theirs.diagram = diagrams.id)")
            }
            Place::Own => self.push("FALSE"),
        }
    }

    /// Writes the tables and the condition for features whose extents meet a geometry's extent.
    fn near(&mut self, outline: &Outline) {
        let [west, south, east, north] = outline.extent();
        self.push("FROM feature_extents AS near WHERE near.first_project <= ");
        self.bind(self.project.0);
        self.push(" AND near.last_project >= ");
        self.bind(self.project.0);
        for (side, value) in [("west <=", east), ("east >=", west), ("south <=", north), ("north >=", south)] {
            self.push(&format!(" AND near.{side} "));
            self.bind(value);
        }
    }

    /// Writes the condition that these features themselves meet it. Those within a rectangle need no further test.
    fn and_meets(&mut self, outline: &Outline, text: String) {
        let [west, south, east, north] = outline.extent();
        if outline.is_rectangle() {
            for (side, value) in [("west >=", west), ("east <=", east), ("south >=", south), ("north <=", north)] {
                self.push(&format!("near.{side} "));
                self.bind(value);
                self.push(if side.starts_with("north") { " OR " } else { " AND " });
            }
        }
        self.push(
            "meets((SELECT near_feature.geometry FROM features AS near_feature WHERE near_feature.key = near.key), ",
        );
        self.bind(text);
        self.push(")");
    }

    fn field(&self, name: &str) -> Result<&'s Field> {
        let fields = &self.source.fields;
        fields.iter().find(|field| field.name == name && field.is_queryable).ok_or_else(|| {
            let names = fields.iter().filter(|field| field.is_queryable).map(|field| &*field.name).collect::<Vec<_>>();
            FilterProblem::UnknownProperty(name.to_owned(), names.join(", "))
        })
    }

    /// Returns the class of an operand; `None` for a text that may be a time.
    fn class_of(&self, operand: &Operand) -> Result<Option<Class>> {
        Ok(match operand {
            Operand::Property(name) => Some(self.field(name)?.kind.class()),
            Operand::Text(_) => None,
            Operand::Number(_) => Some(Class::Number),
            Operand::Boolean(_) => Some(Class::Boolean),
            Operand::Date(_) | Operand::Timestamp(_) => Some(Class::Time),
            Operand::CaseFolded(folded) => match self.class_of(folded)? {
                None | Some(Class::Text) => Some(Class::Text),
                Some(other) => return Err(FilterProblem::Types(shown(folded), other.name(), "a text")),
            },
        })
    }

    fn common_class<'o>(
        &self,
        first: &'o Operand,
        others: impl IntoIterator<Item = &'o Operand> + Clone,
    ) -> Result<Class> {
        let mut class = self.class_of(first)?;
        for other in others.clone() {
            let other = self.class_of(other)?;
            class = if other == Some(Class::Boolean) { other } else { class.or(other) };
        }
        let class = class.unwrap_or(Class::Text);
        for operand in std::iter::once(first).chain(others) {
            let own = match operand {
                // Programs without types for times write them as texts.
                Operand::Text(text) if class == Class::Time && date_or_timestamp(text).is_ok() => Class::Time,
                Operand::Text(_) | Operand::Number(_) if class == Class::Boolean && truth(operand).is_some() => class,
                operand => self.class_of(operand)?.unwrap_or(Class::Text),
            };
            if own != class {
                return Err(FilterProblem::Types(shown(operand), own.name(), class.name()));
            }
        }
        Ok(class)
    }

    fn operand(&mut self, operand: &Operand, class: Class) -> Result<()> {
        match operand {
            Operand::Property(name) => {
                let field = self.field(name)?;
                self.push("(");
                self.push(&field.sql);
                self.push(")");
            }
            Operand::Text(text) if class == Class::Time => match date_or_timestamp(text) {
                Ok(time) => return self.operand(&time, class),
                Err(_) => return Err(FilterProblem::Types(shown(operand), "a text", class.name())),
            },
            Operand::Text(_) | Operand::Number(_) if class == Class::Boolean => {
                self.bind(truth(operand).map(i64::from));
            }
            Operand::Text(text) => self.bind(text.clone()),
            Operand::Number(number) => self.bind(*number),
            Operand::Boolean(truth) => self.bind(i64::from(*truth)),
            Operand::Date(date) => self.bind(date.clone()),
            // A day counts as its midnight.
            Operand::Timestamp(moment) => {
                let is_midnight = moment.ends_with("T00:00:00");
                self.bind(if is_midnight { moment[..moment.len() - 9].to_owned() } else { moment.clone() });
            }
            Operand::CaseFolded(folded) => match &**folded {
                Operand::Text(text) => self.bind(text.to_lowercase()),
                folded => {
                    self.push("fold");
                    return self.operand(folded, class);
                }
            },
        }
        Ok(())
    }
}

/// Reads true or false from programs without such a type: GDAL and R write 1 and 0, QGIS also writes a text.
fn truth(operand: &Operand) -> Option<bool> {
    match operand {
        Operand::Number(0.0) => Some(false),
        Operand::Number(1.0) => Some(true),
        Operand::Text(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "false" | "f" => Some(false),
            "1" | "true" | "t" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Name of the geometry of features.
const GEOMETRY: &str = "geometry";

fn shown(operand: &Operand) -> String {
    match operand {
        Operand::Property(name) => name.clone(),
        Operand::Text(text) => format!("'{text}'"),
        Operand::Number(number) => number.to_string(),
        Operand::Boolean(truth) => truth.to_string(),
        Operand::Date(time) | Operand::Timestamp(time) => time.clone(),
        Operand::CaseFolded(folded) => shown(folded),
    }
}
