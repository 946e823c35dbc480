//! Makes the lists of an archive anew out of their parts, so that a list of 2,000 diagrams is not downloaded because one of them
//! changed.
//!
//! How a list is made of its parts is tried with the old archive first. Only if that gives exactly the old bytes is the new list
//! made in the same way; otherwise the list is downloaded.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// How an item of a list is made of the answer about that one diagram.
pub type ItemOf = fn(&str) -> Option<String>;

/// The answer itself.
pub fn whole(diagram: &str) -> Option<String> {
    Some(diagram.to_owned())
}

/// The answer without the features.
pub fn without_features(diagram: &str) -> Option<String> {
    let Fields(fields) = serde_json::from_str(diagram).ok()?;
    let field = |(name, value): &(String, &RawValue)| Some(format!("{}:{value}", serde_json::to_string(name).ok()?));
    let fields = fields.iter().filter(|(name, _)| name != "geojson").map(field).collect::<Option<Vec<_>>>()?;
    Some(format!("{{{}}}", fields.join(",")))
}

/// The items of a list with their ids, in their order. `None` for anything else.
pub fn items<Id: DeserializeOwned>(list: &[u8]) -> Option<Vec<(Id, &str)>> {
    #[derive(Deserialize)]
    struct Item<Id> {
        id: Id,
    }
    let items: Vec<&RawValue> = serde_json::from_slice(list).ok()?;
    let item = |text: &'_ RawValue| serde_json::from_str(text.get()).map(|Item { id }| id).ok();
    items.into_iter().map(|text| Some((item(text)?, text.get()))).collect()
}

/// A list of these items.
pub fn list<'i>(items: impl IntoIterator<Item = &'i str>) -> String {
    let items: Vec<&str> = items.into_iter().collect();
    format!("[{}]", items.join(","))
}

/// The same items of another list: each item of `list` that is in `before`, byte for byte, is replaced by that of the same id in
/// `now`. `None` if an item is not there.
pub fn with_items_of<Id: DeserializeOwned + Eq + Hash>(
    old: &[u8],
    before: &HashMap<Id, &str>,
    now: &HashMap<Id, &str>,
) -> Option<Bytes> {
    let items = items::<Id>(old)?;
    if list(items.iter().map(|(_, text)| *text)).as_bytes() != old {
        return None;
    }
    let replaced = items.iter().map(|(id, text)| now.get(id).copied().filter(|_| before.get(id) == Some(text)));
    Some(list(replaced.collect::<Option<Vec<_>>>()?).into())
}

/// The newest entries of a list in front of the older ones that are known, so that it has as many as `total`. `None` if the two do
/// not meet.
pub fn prepend(newest: &[u8], old: &[u8], total: usize) -> Option<Bytes> {
    let newest: Vec<&RawValue> = serde_json::from_slice(newest).ok()?;
    let old: Vec<&RawValue> = serde_json::from_slice(old).ok()?;
    let meets = newest.iter().position(|entry| old.first().is_some_and(|first| first.get() == entry.get()))?;
    let is_same = newest[meets..].iter().zip(&old).all(|(new, old)| new.get() == old.get());
    let kept = total.checked_sub(meets).filter(|kept| is_same && *kept <= old.len() && newest.len() <= total)?;
    Some(list(newest[..meets].iter().chain(&old[..kept]).map(|entry| entry.get())).into())
}

/// The fields of an object in their order, each value as it is written.
struct Fields<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Fields<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'t> Visitor<'t> for FieldsVisitor {
            type Value = Fields<'t>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Fields<'t>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_without_its_features_keeps_the_text_of_its_other_fields() {
        let diagram = r#"{"geojson":{"a":[1,2]},"id":7,"area":1.50,"notes":"\u00e9 {\"x\"}"}"#;
        assert_eq!(without_features(diagram).unwrap(), r#"{"id":7,"area":1.50,"notes":"\u00e9 {\"x\"}"}"#);
        assert_eq!(without_features("[1]"), None);
    }

    #[test]
    fn items_are_replaced_by_those_of_the_same_id() {
        let before = HashMap::from([(1, r#"{"id":1,"n":0}"#), (2, r#"{"id":2,"n":0}"#)]);
        let now = HashMap::from([(1, r#"{"id":1,"n":9}"#), (2, r#"{"id":2,"n":0}"#)]);
        let replaced = |old: &str| with_items_of(old.as_bytes(), &before, &now);
        assert_eq!(replaced(r#"[{"id":2,"n":0},{"id":1,"n":0}]"#).unwrap(), r#"[{"id":2,"n":0},{"id":1,"n":9}]"#);
        assert_eq!(replaced("[]").unwrap(), "[]");
        assert_eq!(replaced(r#"[{"id":1,"n":5}]"#), None, "another item than in the list before");
        assert_eq!(replaced(r#"[{"id":3,"n":0}]"#), None, "an item that is in no list");
        assert_eq!(replaced(r#"[ {"id":1,"n":0}]"#), None, "a list that is written in another way");
    }

    #[test]
    fn newer_entries_come_before_those_that_are_known() {
        let prepend = |newest: &str, old: &str, total| prepend(newest.as_bytes(), old.as_bytes(), total);
        assert_eq!(prepend("[5,4,3]", "[3,2,1]", 5).unwrap(), "[5,4,3,2,1]");
        assert_eq!(prepend("[5,4,3]", "[3,2,1]", 4).unwrap(), "[5,4,3,2]", "the oldest are no longer kept");
        assert_eq!(prepend("[3,2]", "[3,2,1]", 3).unwrap(), "[3,2,1]");
        assert_eq!(prepend("[6,5]", "[3,2,1]", 6), None, "there are more new ones");
        assert_eq!(prepend("[4,3,9]", "[3,2,1]", 4), None, "they are others");
    }
}
