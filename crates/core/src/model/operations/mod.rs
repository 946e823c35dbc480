//! The operations of the service, each written once, as a row of a table. There is a table per group of resources; a type of
//! response that only one operation has may stand in the file of its row.
//!
//! A row begins with what client and service share. Its sentence says what the operation returns or does; it is the summary in
//! the OpenAPI document and begins the documentation of the methods that send the request.
//!
//! ```text
//! NAME: METHOD "path below the API root, with the names of the ids in braces" (Ids)
//!     "The sentence.";
//! ```
//!
//! `(Ids, archived)`: the response is a member of every archive of the project. `(Ids, extension)`: an addition of this service, which
//! other services with the same interface may not have; OpenAPI marks it. `(Ids, list)`: a list that may be divided into pages; only rows
//! without methods need this mark. `(Ids, members)`: the same for the list `members` in the response's object. `(Ids, selecting)`, `(Ids,
//! designing)` or `(Ids, commenting)`: the activity that closes the operation to members, if it writes; without such a mark it is drawing, and with `always` no
//! activity closes it. `(Ids, reading)`: it only reads, whatever its method, so guests can send it, too. An operation whose response is
//! read as it is has its methods in the row, instead of the semicolon:
//!
//! ```text
//! "The sentence." {
//!     "A further sentence for Python, if one is needed."
//!     ///     What the method returns in Python.
//!     get name(id: Id) -> Type = |response: Response| response.field;
//!     ///     >>> project.name(1)
//!     ///     'an example for the documentation, which the tests run'
//! }
//! ```
//!
//! `get name as short(id: Id)`: below the id of a part of the project, its handle has the method too (`diagram.short()`); in Python, only
//! the handle has it. `get name in workshop()`: in Python, it is a method of `project.workshop`, which has everything about taking part, or
//! of `project.study_area`.
//!
//! `get` reads one JSON value, `list` a list that the service may divide into pages (`list_with_figures`: one whose items may lack values
//! that only the resource has, `list_elsewhere`: one that only other services divide), `features` a feature collection. The arguments are
//! the ids in the path that follow the project's, in the same order. The part after `=` says which part of the response is returned;
//! without it, all of it. This makes the method of the Rust client and those of the Python classes; the arguments and errors in their
//! documentation follow from the ids.
//!
//! A write is a row with methods too, if it sends its last argument as it is (`post`), only its path (`send`), or has no response
//! (`delete`). Errors that do not follow from the ids stand before the example:
//!
//! ```text
//! post name(id: Id; argument: Type, "What it is in Python.") -> Type = |response: Response| response.field;
//! "BadRequestError: When the service refuses it."
//! ```

use std::any::Any;
use std::marker::PhantomData;

use http::Method;

use super::Activity;

mod path_ids;
#[macro_use]
mod diagrams;
#[macro_use]
mod projects;
#[macro_use]
mod systems;
#[macro_use]
mod teams;
#[macro_use]
mod edits;
#[macro_use]
mod people;

pub use path_ids::{
    InComment, InDesign, InDesignSystem, InDiagram, InHistory, InLayer, InNegotiation, InProject, InSystem, InTeam,
    InThumbnail, NoIds, OfLink, OfMember, OfMemberInSystem, OfToken, OfUser, OfWalkIn, OnBoard, PathIds, PathWriter,
    ProjectPathIds,
};

// Types of responses that stand beside their rows; there may be none.
#[allow(unused_imports)]
pub use self::{diagrams::*, projects::*, systems::*, teams::*};

/// Passes all rows to a macro, grouped by the class of the client that has their methods. Each table appends its rows to those of the
/// earlier tables and passes all on to the next.
#[macro_export]
macro_rules! operations_table {
    ($consumer:ident) => {
        project_operations! { diagram_operations system_operations team_operations edit_operations people_operations $consumer }
    };
}

/// The constants, and the macro for their summaries.
macro_rules! operation_constants {
    ($($class:ident {
        $($name:ident: $method:ident $path:literal ($ids:ident $(, $mark:ident)*) $summary:literal $read:tt)*
    })*) => {
        $($(
            #[doc = concat!("`", stringify!($method), " ", $path, "`\n\n", $summary)]
            pub const $name: Operation<$ids> = Operation {
                name: stringify!($name),
                method: Method::$method,
                path: checked_path::<$ids>($path),
                summary: $summary,
                is_list: is_list!($read) || is_marked!(list $($mark)*),
                is_archived: is_marked!(archived $($mark)*),
                is_extension: is_marked!(extension $($mark)*),
                listed_in: listed_in!($method $($mark)*),
                reads: reads!($method $($mark)*),
                closed_with: closed_with!($method $($mark)*),
                ids: PhantomData,
            };
        )*)*

        static OPERATIONS: &[&(dyn Any + Sync)] = &[$($(&$name),*),*];

        /// All operations, for lookups by name.
        pub static OPERATION_ROWS: &[OperationRow] = &[$($(
            OperationRow {
                name: stringify!($name),
                method: Method::$method,
                path: $path,
                summary: $summary,
                has_list: $name.is_list || $name.listed_in.is_some(),
                listed_in: $name.listed_in,
            },
        )*)*];

        /// The summary of an operation as a literal: `#[doc = summary!(MEMBERS)]`. It is in scope by `#[macro_use] extern crate`: where
        /// a procedural macro reads the attribute, the compiler cannot resolve an import.
        #[macro_export]
        macro_rules! summary {
            $($(($name) => { $summary };)*)*
        }
    };
}

macro_rules! is_marked {
    (archived archived $($more:ident)*) => {
        true
    };
    (list $(archived)? list $($more:ident)*) => {
        true
    };
    (extension $(archived)? $(list)? extension $($more:ident)*) => {
        true
    };
    (reading $(extension)? reading) => {
        true
    };
    ($asked:ident $($mark:ident)*) => {
        false
    };
}

macro_rules! listed_in {
    (GET archived $($mark:ident)*) => {
        listed_in!(GET $($mark)*)
    };
    (GET list $($mark:ident)*) => {
        listed_in!(GET $($mark)*)
    };
    (GET extension $($mark:ident)*) => {
        listed_in!(GET $($mark)*)
    };
    (GET $field:ident) => {
        Some(stringify!($field))
    };
    ($($other:ident)*) => {
        None
    };
}

macro_rules! reads {
    (GET $($mark:ident)*) => {
        true
    };
    ($method:ident $($mark:ident)*) => {
        is_marked!(reading $($mark)*)
    };
}

macro_rules! closed_with {
    (GET $($mark:ident)*) => {
        None
    };
    ($method:ident) => {
        Some(Activity::Drawing)
    };
    ($method:ident selecting) => {
        Some(Activity::Selecting)
    };
    ($method:ident designing) => {
        Some(Activity::Designing)
    };
    ($method:ident commenting) => {
        Some(Activity::Commenting)
    };
    ($method:ident always) => {
        None
    };
    ($method:ident reading) => {
        None
    };
    ($method:ident $other:ident $($mark:ident)*) => {
        closed_with!($method $($mark)*)
    };
}

macro_rules! is_list {
    ({ $($more:literal)? $(#$returns:tt)* list $($read:tt)* }) => {
        true
    };
    ({ $($more:literal)? $(#$returns:tt)* list_with_figures $($read:tt)* }) => {
        true
    };
    ($read:tt) => {
        false
    };
}

operations_table! { operation_constants }

/// Number of items in a page if a request gives none.
pub const DEFAULT_PAGE_SIZE: usize = 10;
/// Number of items that a client asks for first, from a list that may be divided into pages.
pub const FIRST_PAGE_SIZE: usize = 1_000;

/// Row of an operation, whatever the ids in its path.
#[derive(Debug)]
pub struct OperationRow {
    pub name: &'static str,
    pub method: Method,
    /// Path below the API root, with the names of the ids in braces.
    pub path: &'static str,
    pub summary: &'static str,
    /// True if the service may divide the response, or a list in it, into pages.
    pub has_list: bool,
    listed_in: Option<&'static str>,
}

impl OperationRow {
    /// Returns the request, with the ids in its path.
    pub fn at_path(&self, path: String) -> Endpoint {
        Endpoint { listed_in: self.listed_in, ..Endpoint::at_path(self.method.clone(), path) }
    }

    pub fn has_id(&self, name: &str) -> bool {
        self.path.split('/').any(|segment| segment.strip_prefix('{').and_then(|id| id.strip_suffix('}')) == Some(name))
    }
}

/// An operation of the service. `Ids` is the struct of the ids in its path.
#[derive(Debug)]
pub struct Operation<Ids> {
    /// Name, unique among the operations; `operationId` in the OpenAPI document.
    pub name: &'static str,
    pub method: Method,
    /// Path below the API root, with the names of the ids in braces.
    pub path: &'static str,
    /// The result or effect of the operation, in a sentence or two.
    pub summary: &'static str,
    /// True if the service may divide the response into pages.
    pub is_list: bool,
    /// True if every archive of a project has the response.
    pub is_archived: bool,
    /// True for an addition of this service, which other services with the same interface may not have.
    pub is_extension: bool,
    /// The field of the response's object with a list that the service may divide into pages.
    pub listed_in: Option<&'static str>,
    /// True if it writes nothing.
    pub reads: bool,
    /// The activity that closes this operation to members when an administrator of the project closes it. New operations can be closed,
    /// too, unless their row says otherwise.
    pub closed_with: Option<Activity>,
    ids: PhantomData<fn() -> Ids>,
}

impl<Ids: PathIds> Operation<Ids> {
    /// Returns the request for these ids.
    pub fn at(&self, ids: Ids) -> Endpoint {
        let mut path = PathWriter::new(self.path);
        ids.write(&mut path);
        Endpoint { method: self.method.clone(), path: path.finish(), query: None, listed_in: self.listed_in }
    }
}

/// The operations with these ids whose responses are in archives, in the order of the table.
pub fn archived_operations<Ids: PathIds>() -> impl Iterator<Item = &'static Operation<Ids>> {
    let with_these_ids = OPERATIONS.iter().filter_map(|operation| (*operation as &dyn Any).downcast_ref());
    with_these_ids.filter(|operation: &&Operation<Ids>| operation.is_archived)
}

/// Destination of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    pub method: Method,
    /// Path below the API root, percent-encoded, without a leading slash.
    pub path: String,
    /// Query without the question mark.
    pub query: Option<String>,
    /// See [`Operation::listed_in`].
    pub listed_in: Option<&'static str>,
}

impl Endpoint {
    /// Returns the endpoint at a path below the API root, for any operation.
    pub fn at_path(method: Method, path: impl Into<String>) -> Self {
        Endpoint { method, path: path.into(), query: None, listed_in: None }
    }

    /// Returns the same endpoint with another query.
    #[must_use]
    pub fn with_query(&self, query: String) -> Self {
        Endpoint { query: Some(query), ..self.clone() }
    }

    /// Returns the same endpoint with more parameters in its query.
    #[must_use]
    pub fn with_more_query(&self, more: &str) -> Self {
        let query = self.query.as_ref().map_or(more.to_owned(), |query| format!("{query}&{more}"));
        self.with_query(query)
    }
}

/// Returns the path. It does not compile if the names in braces are not the names of the ids.
const fn checked_path<Ids: PathIds>(path: &'static str) -> &'static str {
    assert!(has_names(path, Ids::NAMES), "the names in braces are the fields of the ids, in their order");
    path
}

/// True if the names in braces in a path are these, in this order.
const fn has_names(path: &str, names: &[&str]) -> bool {
    let path = path.as_bytes();
    let (mut index, mut found) = (0, 0);
    while index < path.len() {
        if path[index] == b'{' {
            if found == names.len() {
                return false;
            }
            let name = names[found].as_bytes();
            let end = index + 1 + name.len();
            if end >= path.len() || path[end] != b'}' {
                return false;
            }
            let mut letter = 0;
            while letter < name.len() {
                if path[index + 1 + letter] != name[letter] {
                    return false;
                }
                letter += 1;
            }
            (index, found) = (end, found + 1);
        }
        index += 1;
    }
    found == names.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_percent_encoded_so_that_each_stays_one_segment() {
        let ids = OfMemberInSystem {
            projectid: "StatenIsland2050".parse().unwrap(),
            sysid: crate::model::SystemId(7),
            username: "a/b?é {sysid}".into(),
        };
        let endpoint = SELECTION_IN_SYSTEM.at(ids);
        assert_eq!(endpoint.path, "projects/StatenIsland2050/systems/7/a%2Fb%3F%C3%A9%20%7Bsysid%7D/diagrams/");
    }

    #[test]
    fn a_write_is_closed_with_drawing_unless_its_row_says_otherwise() {
        let rows = [SET_PLUGINS.closed_with, ADD_STAKEHOLDERS.closed_with, CREATE_TAGS.closed_with];
        assert_eq!(rows, [Some(Activity::Drawing); 3]);
        let rows = [EDIT_DIAGRAM.closed_with, SET_VOTE.closed_with, SAVE_DESIGN.closed_with];
        assert_eq!(rows, [Activity::Drawing, Activity::Selecting, Activity::Designing].map(Some));
        assert_eq!([PREVIEW.closed_with, MERGE.closed_with, MEMBERS.closed_with], [None; 3]);
        const { assert!(SET_VOTE.is_extension && PREVIEW.is_extension && !SET_PLUGINS.is_extension) };
    }

    #[test]
    fn a_path_must_have_the_names_of_its_ids_in_their_order() {
        assert!(has_names("projects/", &[]));
        assert!(has_names("a/{x}/b/{yz}/", &["x", "yz"]));
        for (path, names) in [
            ("a/{x}/", &[][..]),
            ("a/", &["x"]),
            ("a/{x}/b/{y}/", &["y", "x"]),
            ("a/{xy}/", &["x"]),
            ("a/{x", &["x"]),
            ("a/{x}/b/{y}/", &["x"]),
        ] {
            assert!(!has_names(path, names), "{path} {names:?}");
        }
    }
}
