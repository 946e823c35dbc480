//! The columns of rows, each named once: in the struct that a row becomes.

use rusqlite::types::ValueRef;
use rusqlite::{Params, Row};

use super::error::Result;
use super::transaction::Reader;
use super::values::{Digest, ProjectKey, UserKey, from_json, object_text, parsed};
use geodesign::model::{
    Bounds, Center, Date, DateTime, DesignId, DiagramId, EntryId, GeometryText, Impacts, JsonObject, LayerId,
    ObjectText, ProjectId, Quantities, SystemId, TeamId, Username, Uuid,
};

/// The columns that a query selects, and the function that reads a row of them. [`columns!`] makes both from one list.
pub struct Columns<F> {
    list: Vec<&'static str>,
    read: F,
}

impl<F> Columns<F> {
    /// `read` takes as many cells as `add` adds columns to the list, in the same order.
    pub fn new<T>(add: impl FnOnce(&mut Vec<&'static str>), read: F) -> Self
    where
        F: Fn(&mut Cells) -> Result<T>,
    {
        let mut list = Vec::new();
        add(&mut list);
        Columns { list, read }
    }

    /// Returns these columns, followed by further ones.
    pub fn and<T, U>(
        self,
        further: Columns<impl Fn(&mut Cells) -> Result<U>>,
    ) -> Columns<impl Fn(&mut Cells) -> Result<(T, U)>>
    where
        F: Fn(&mut Cells) -> Result<T>,
    {
        let list = [self.list, further.list].concat();
        Columns::new(|all| *all = list, move |cells: &mut Cells| Ok(((self.read)(cells)?, (further.read)(cells)?)))
    }

    /// Reads a row.
    pub fn of<T>(&self, row: &Row) -> Result<T>
    where
        F: Fn(&mut Cells) -> Result<T>,
    {
        (self.read)(&mut Cells { row, next: 0 })
    }

    /// Returns the query that selects these columns. `rest` begins with `FROM`.
    pub fn query(&self, rest: &str) -> String {
        format!("SELECT {} {rest}", self.list.join(", "))
    }
}

/// The columns of a row, from left to right.
pub struct Cells<'r> {
    row: &'r Row<'r>,
    next: usize,
}

impl Cells<'_> {
    pub fn take<T: Column>(&mut self) -> Result<T> {
        self.next += 1;
        T::read(self.row, self.next - 1)
    }
}

/// A struct, or a tuple of names in parentheses, with the columns that its fields are read from:
///
/// ```text
/// columns!(SystemDetail { item: SystemItem { id, name }, tag: "upper(tag)", cost: checked("cost"), extra: (JsonObject::new()), .. })
/// ```
///
/// A field alone is the column of its name. A string or a constant after it is SQL. A function with such a string converts the column's
/// value to the field's, or fails. A struct has columns of its own. A value in parentheses comes from no column, and `..` stands for the
/// defaults of the other fields.
macro_rules! columns {
    (@list $list:ident $(..)?) => {};
    (@list $list:ident $field:ident $(, $($rest:tt)*)?) => {
        $list.push(stringify!($field));
        $(columns!(@list $list $($rest)*);)?
    };
    (@list $list:ident $field:ident: ($value:expr) $(, $($rest:tt)*)?) => {
        $(columns!(@list $list $($rest)*);)?
    };
    (@list $list:ident $field:ident: $type:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        columns!(@list $list $($inner)*);
        $(columns!(@list $list $($rest)*);)?
    };
    (@list $list:ident $field:ident: $read:ident($sql:expr) $(, $($rest:tt)*)?) => {
        $list.push($sql);
        $(columns!(@list $list $($rest)*);)?
    };
    (@list $list:ident $field:ident: $sql:expr $(, $($rest:tt)*)?) => {
        $list.push($sql);
        $(columns!(@list $list $($rest)*);)?
    };

    (@read () $cells:ident [$($field:ident = $value:expr;)*]) => { ($($value,)*) };
    (@read $type:ident $cells:ident [$($field:ident = $value:expr;)*]) => { $type { $($field: $value),* } };
    (@read $type:ident $cells:ident [$($field:ident = $value:expr;)*] ..) => {
        $type { $($field: $value,)* ..Default::default() }
    };
    (@read $type:tt $cells:ident [$($done:tt)*] $field:ident $(, $($rest:tt)*)?) => {
        columns!(@read $type $cells [$($done)* $field = $cells.take()?;] $($($rest)*)?)
    };
    (@read $type:tt $cells:ident [$($done:tt)*] $field:ident: ($value:expr) $(, $($rest:tt)*)?) => {
        columns!(@read $type $cells [$($done)* $field = $value;] $($($rest)*)?)
    };
    (@read $type:tt $cells:ident [$($done:tt)*] $field:ident: $struct:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        columns!(@read $type $cells [$($done)* $field = columns!(@read $struct $cells [] $($inner)*);] $($($rest)*)?)
    };
    (@read $type:tt $cells:ident [$($done:tt)*] $field:ident: $read:ident($sql:expr) $(, $($rest:tt)*)?) => {
        columns!(@read $type $cells [$($done)* $field = $read($cells.take()?)?;] $($($rest)*)?)
    };
    (@read $type:tt $cells:ident [$($done:tt)*] $field:ident: $sql:expr $(, $($rest:tt)*)?) => {
        columns!(@read $type $cells [$($done)* $field = $cells.take()?;] $($($rest)*)?)
    };

    (@columns $type:tt $($body:tt)*) => {
        $crate::store::database::columns::Columns::new(
            |list| {
                columns!(@list list $($body)*);
            },
            |cells| Ok(columns!(@read $type cells [] $($body)*)),
        )
    };
    ($type:ident { $($body:tt)* }) => { columns!(@columns $type $($body)*) };
    (($($body:tt)*)) => { columns!(@columns () $($body)*) };
}

pub(in crate::store) use columns;

impl Reader<'_> {
    /// Reads the rows of a query, whose `rest` begins with `FROM`.
    pub(in crate::store) fn select<T>(
        &self,
        columns: Columns<impl Fn(&mut Cells) -> Result<T>>,
        rest: &str,
        parameters: impl Params,
    ) -> Result<Vec<T>> {
        self.all(&columns.query(rest), parameters, |row| columns.of(row))
    }

    /// Reads the first row, if there is one.
    pub(in crate::store) fn select_one<T>(
        &self,
        columns: Columns<impl Fn(&mut Cells) -> Result<T>>,
        rest: &str,
        parameters: impl Params,
    ) -> Result<Option<T>> {
        self.one(&columns.query(rest), parameters, |row| columns.of(row))
    }
}

impl Reader<'_> {
    /// Returns the values of a query that selects one column.
    pub(in crate::store) fn values<T: Column>(&self, sql: &str, parameters: impl Params) -> Result<Vec<T>> {
        self.all(sql, parameters, |row| T::read(row, 0))
    }

    /// Returns the first of these values, if there is one.
    pub(in crate::store) fn value<T: Column>(&self, sql: &str, parameters: impl Params) -> Result<Option<T>> {
        self.one(sql, parameters, |row| T::read(row, 0))
    }
}

/// A type that a column can be read as.
pub trait Column: Sized {
    fn read(row: &Row, index: usize) -> Result<Self>;
}

impl<T: Column> Column for Option<T> {
    fn read(row: &Row, index: usize) -> Result<Self> {
        match row.get_ref(index)? {
            ValueRef::Null => Ok(None),
            _ => T::read(row, index).map(Some),
        }
    }
}

macro_rules! read_by {
    ($($types:ty),* => |$row:ident, $index:ident| $value:expr) => {$(
        impl Column for $types {
            fn read($row: &Row, $index: usize) -> Result<Self> {
                $value
            }
        }
    )*};
}

read_by!(bool, u8, i64, f64, String, Vec<u8>, Digest => |row, index| Ok(row.get(index)?));
read_by!(DiagramId, EntryId, LayerId, SystemId, TeamId, ProjectKey, UserKey, GeometryText => |row, index| Ok(Self(row.get(index)?)));
read_by!(DateTime, Date, Bounds, Center, DesignId, ProjectId, Username, Uuid => |row, index| parsed(row, index));
read_by!(Impacts, JsonObject, Quantities, Vec<DiagramId>, Vec<String>, [f64; 2] => |row, index| from_json(row, index));
read_by!(ObjectText => |row, index| object_text(row, index));
// A count, which is never below 0.
read_by!(u64 => |row, index| Ok(row.get::<_, i64>(index)?.max(0).unsigned_abs()));

#[cfg(test)]
mod tests {
    use crate::store::{Result, Store};

    #[derive(Debug, Default, PartialEq)]
    struct Inner {
        b: String,
        c: Option<i64>,
    }

    #[derive(Debug, Default, PartialEq)]
    struct Outer {
        d: i64,
        inner: Inner,
        own: u8,
        a: i64,
        rest: bool,
    }

    #[test]
    fn fields_get_their_columns_whatever_the_order_of_either() {
        let store = Store::open(None).unwrap();
        let doubled = |value: i64| Result::Ok(2 * value);
        let columns = columns!(Outer { d: doubled("d + 1"), inner: Inner { c, b: "upper(b)" }, own: (7), a, .. });
        let columns = columns.and(columns!((b, d)));
        let from = "FROM (SELECT 1 AS a, 'two' AS b, NULL AS c, 4 AS d)";
        let (outer, tuple): (Outer, (String, i64)) =
            store.read(|read| read.select_one(columns, from, [])).unwrap().unwrap();
        assert_eq!(outer, Outer { d: 10, inner: Inner { b: "TWO".into(), c: None }, own: 7, a: 1, rest: false });
        assert_eq!(tuple, ("two".to_owned(), 4));
    }
}
