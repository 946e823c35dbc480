//! Why values cannot become a column, or columns a table.

use super::json_values::UnexpectedValue;

/// A property that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    #[error("the property name {0:?} holds a NUL character, which a column name cannot contain")]
    NulInName(String),
    /// `value` is the JSON text, shortened.
    #[error("{property} is {value}, {source}")]
    WrongType { property: String, value: String, source: UnexpectedValue },
}

/// A column that cannot be finished. The message continues one that names the column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    #[error("its texts take more than 2 GiB; ask for them system by system")]
    TextsTooLong,
    #[error("its texts take more than {} MiB, because every feature of a diagram repeats them; ask for single diagrams", .max_bytes >> 20)]
    TooManyRepetitions { max_bytes: usize },
    #[error("a value is {0}")]
    Value(#[from] UnexpectedValue),
}

/// A table that cannot be made of the rows that were read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("column {name}: {source}")]
    Column { name: String, source: ColumnError },
    #[error("a geometry takes more than 2 GiB as WKB")]
    GeometryTooLong,
}
