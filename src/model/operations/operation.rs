//! An operation, and the request that it becomes once its ids are known.

use std::marker::PhantomData;

use http::Method;

use super::path_ids::{PathIds, PathWriter};

/// An operation of the service. `Ids` is the struct of the ids in its path.
#[derive(Debug)]
pub struct Operation<Ids> {
    /// Unique among the operations; `operationId` in the OpenAPI document.
    pub name: &'static str,
    pub method: Method,
    /// Below the API root, with the names of the ids in braces: `projects/{projectid}/members/`.
    pub path: &'static str,
    /// What the operation answers or does, in a sentence or two.
    pub summary: &'static str,
    ids: PhantomData<fn() -> Ids>,
}

impl<Ids: PathIds> Operation<Ids> {
    /// Does not compile where the names in braces are not those of the ids.
    pub(super) const fn new(name: &'static str, method: Method, path: &'static str, summary: &'static str) -> Self {
        assert!(has_names(path, Ids::NAMES), "the names in braces are the fields of the ids, in their order");
        Operation { name, method, path, summary, ids: PhantomData }
    }

    /// The request for these ids.
    pub fn at(self, ids: Ids) -> Endpoint {
        let mut path = PathWriter::new(self.path);
        ids.write(&mut path);
        Endpoint { method: self.method, path: path.finish(), query: None }
    }
}

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    pub method: Method,
    /// Below the API root, percent-encoded, without a slash in front.
    pub path: String,
    /// Without its question mark.
    pub query: Option<String>,
}

impl Endpoint {
    /// The same with another query.
    #[must_use]
    pub fn with_query(&self, query: String) -> Self {
        Endpoint { query: Some(query), ..self.clone() }
    }
}

/// Whether the names in braces in a path are these, in this order.
const fn has_names(path: &str, names: &[&str]) -> bool {
    let path = path.as_bytes();
    let (mut at, mut found) = (0, 0);
    while at < path.len() {
        if path[at] == b'{' {
            if found == names.len() {
                return false;
            }
            let name = names[found].as_bytes();
            let end = at + 1 + name.len();
            if end >= path.len() || path[end] != b'}' {
                return false;
            }
            let mut letter = 0;
            while letter < name.len() {
                if path[at + 1 + letter] != name[letter] {
                    return false;
                }
                letter += 1;
            }
            (at, found) = (end, found + 1);
        }
        at += 1;
    }
    found == names.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::operations::{OfMemberInSystem, SELECTION_IN_SYSTEM};

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
