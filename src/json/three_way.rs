//! Merging JSON texts: what changed between two texts is carried over to a third, which stays as it is where nothing changed.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Fields that are one value, however large: a merged geometry would be a shape that nobody drew.
const WHOLE_FIELDS: [&str; 1] = ["geometry"];

/// The text `origin` with what changed from `before` to `now`. Fields of objects and items of lists with an id are merged one by
/// one; of any other value that changed, `now` is taken. What did not change is the text of `origin`, byte for byte.
pub fn carry_over(before: &str, now: &str, origin: &str) -> serde_json::Result<String> {
    let mut merged = String::with_capacity(origin.len());
    let [before, now, origin] = [before, now, origin].map(serde_json::from_str::<&RawValue>);
    merge(before?, now?, origin?, &mut merged)?;
    Ok(merged)
}

fn merge(before: &RawValue, now: &RawValue, origin: &RawValue, merged: &mut String) -> serde_json::Result<()> {
    let first_bytes = [before, now, origin].map(|value| value.get().as_bytes().first().copied());
    match first_bytes {
        _ if now.get() == before.get() => merged.push_str(origin.get()),
        _ if origin.get() == before.get() => merged.push_str(now.get()),
        [Some(b'{'), Some(b'{'), Some(b'{')] => merge_objects(before, now, origin, merged)?,
        [Some(b'['), Some(b'['), Some(b'[')] => merge_lists(before, now, origin, merged)?,
        _ => merged.push_str(now.get()),
    }
    Ok(())
}

fn merge_objects(before: &RawValue, now: &RawValue, origin: &RawValue, merged: &mut String) -> serde_json::Result<()> {
    let [before, now, origin] = [before, now, origin].map(|object| serde_json::from_str::<Object>(object.get()));
    let (before, now, origin) = (before?, now?, origin?);
    let (before, in_origin) = (before.by_name(), origin.by_name());
    let still = now.by_name();
    merged.push('{');
    let mut fields = Separated(0);
    for (name, value) in &origin.0 {
        match (before.get(name.as_str()), still.get(name.as_str())) {
            // Only the origin has it.
            (None, None) => fields.add(merged, name, value)?,
            (None, Some(now)) => fields.add(merged, name, now)?,
            (Some(_), None) => {}
            (Some(before), Some(now)) if WHOLE_FIELDS.contains(&name.as_str()) => {
                fields.add(merged, name, if before.get() == now.get() { value } else { now })?;
            }
            (Some(before), Some(now)) => {
                fields.name(merged, name)?;
                merge(before, now, value, merged)?;
            }
        }
    }
    for (name, value) in &now.0 {
        let is_unchanged = before.get(name.as_str()).is_some_and(|before| before.get() == value.get());
        if !in_origin.contains_key(name.as_str()) && !is_unchanged {
            fields.add(merged, name, value)?;
        }
    }
    merged.push('}');
    Ok(())
}

/// Items stand in the order of the origin. A new one stands before the one that it precedes now, or at the end.
fn merge_lists(before: &RawValue, now: &RawValue, origin: &RawValue, merged: &mut String) -> serde_json::Result<()> {
    let [before, now, origin] = [before, now, origin].map(|list| List::of(list.get()));
    let (before, now, origin) = (before?, now?, origin?);
    let mut order: Vec<&Key> = origin.keys.iter().filter(|key| now.has(key) || !before.has(key)).collect();
    let kept: HashSet<&Key> = order.iter().copied().collect();
    let is_unchanged =
        |key| before.get(key).is_some_and(|item| now.get(key).is_some_and(|now| now.get() == item.get()));
    let mut next: Option<&Key> = None;
    for key in now.keys.iter().rev() {
        if !kept.contains(key) {
            if is_unchanged(key) {
                continue;
            }
            let before_next = next.and_then(|next| order.iter().position(|key| *key == next));
            order.insert(before_next.unwrap_or(order.len()), key);
        }
        next = Some(key);
    }
    merged.push('[');
    let mut items = Separated(0);
    for key in order {
        items.separate(merged);
        match (before.get(key), now.get(key), origin.get(key)) {
            (Some(before), Some(now), Some(origin)) => merge(before, now, origin, merged)?,
            (_, Some(now), _) => merged.push_str(now.get()),
            (_, None, origin) => merged.push_str(origin.map_or("null", RawValue::get)),
        }
    }
    merged.push(']');
    Ok(())
}

/// Writes commas between what is added.
struct Separated(usize);

impl Separated {
    fn separate(&mut self, merged: &mut String) {
        if self.0 > 0 {
            merged.push(',');
        }
        self.0 += 1;
    }

    fn name(&mut self, merged: &mut String, name: &str) -> serde_json::Result<()> {
        self.separate(merged);
        merged.push_str(&serde_json::to_string(name)?);
        merged.push(':');
        Ok(())
    }

    fn add(&mut self, merged: &mut String, name: &str, value: &RawValue) -> serde_json::Result<()> {
        self.name(merged, name)?;
        merged.push_str(value.get());
        Ok(())
    }
}

/// The fields of an object, in their order.
struct Object<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Object<'t> {
    fn by_name(&self) -> HashMap<&str, &'t RawValue> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value)).collect()
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

/// What tells an item of a list from the others: its id, and how many before it have the same.
type Key = (String, usize);

/// A list whose items are found by their keys.
struct List<'t> {
    keys: Vec<Key>,
    items: HashMap<Key, &'t RawValue>,
}

impl<'t> List<'t> {
    fn of(text: &'t str) -> serde_json::Result<Self> {
        let mut seen = HashMap::new();
        let mut list = List { keys: Vec::new(), items: HashMap::new() };
        for item in serde_json::from_str::<Vec<&RawValue>>(text)? {
            let id = id_of(item);
            let earlier = seen.entry(id.clone()).or_insert(0);
            let key = (id, *earlier);
            *earlier += 1;
            list.items.insert(key.clone(), item);
            list.keys.push(key);
        }
        Ok(list)
    }

    fn has(&self, key: &Key) -> bool {
        self.items.contains_key(key)
    }

    fn get(&self, key: &Key) -> Option<&'t RawValue> {
        self.items.get(key).copied()
    }
}

/// The id of an item; for a number or a text, the item itself. Empty for an item without one.
fn id_of(item: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Ids<'t> {
        #[serde(borrow, default)]
        id: Option<&'t RawValue>,
        #[serde(borrow, default)]
        session_id: Option<&'t RawValue>,
        #[serde(borrow, default)]
        username: Option<&'t RawValue>,
        #[serde(borrow, default)]
        diagramid: Option<&'t RawValue>,
        #[serde(borrow, default)]
        properties: Option<&'t RawValue>,
        #[serde(borrow, default)]
        attributes: Option<&'t RawValue>,
    }
    match item.get().as_bytes().first() {
        Some(b'[') => String::new(),
        Some(b'{') => {
            let Ok(ids) = serde_json::from_str::<Ids>(item.get()) else { return String::new() };
            let id = ids.id.or(ids.session_id).or(ids.username).or(ids.diagramid);
            match (id, ids.properties.or(ids.attributes)) {
                // Services write ids as numbers or as texts.
                (Some(id), _) => id.get().trim_matches('"').to_owned(),
                // A feature has the id of its diagram.
                (None, Some(properties)) if properties.get().starts_with('{') => id_of(properties),
                _ => String::new(),
            }
        }
        _ => item.get().trim_matches('"').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(before: &str, now: &str, origin: &str) -> String {
        carry_over(before, now, origin).unwrap()
    }

    #[test]
    fn what_did_not_change_is_the_text_of_the_origin() {
        let origin = r#"{"id": 7,  "area": 1.50, "steward": "Ana"}"#;
        assert_eq!(merged(r#"{"id":7,"area":2}"#, r#"{"id":7,"area":2}"#, origin), origin);
    }

    #[test]
    fn a_field_that_changed_is_the_new_one_and_unknown_fields_stay() {
        let before = r#"{"id":7,"title":"Pond","area":2}"#;
        let now = r#"{"id":7,"title":"Lake","area":2}"#;
        let origin = r#"{"title": "Pond", "id": 7, "area": 1.50, "steward": {"name": "Ana"}}"#;
        let expected = r#"{"title":"Lake","id":7,"area":1.50,"steward":{"name": "Ana"}}"#;
        assert_eq!(merged(before, now, origin), expected);
    }

    #[test]
    fn a_field_that_the_origin_lacks_appears_when_it_changes() {
        let (before, origin) = (r#"{"id":7,"notes":""}"#, r#"{"id":7,"rank":1.0}"#);
        assert_eq!(merged(before, r#"{"id":7,"notes":"Wet"}"#, origin), r#"{"id":7,"rank":1.0,"notes":"Wet"}"#);
        assert_eq!(merged(before, r#"{"id":8,"notes":""}"#, origin), r#"{"id":8,"rank":1.0}"#);
    }

    #[test]
    fn items_are_found_by_their_ids_and_keep_the_order_of_the_origin() {
        let before = r#"[{"id":1,"t":"a"},{"id":2,"t":"b"},{"id":3,"t":"c"}]"#;
        let now = r#"[{"id":1,"t":"a"},{"id":3,"t":"C"},{"id":4,"t":"d"}]"#;
        let origin = r#"[{"id": "3", "t": "c", "x": 0}, {"id": 2, "t": "b"}, {"id": 1, "t": "a"}, {"id": 9}]"#;
        let expected = r#"[{"id":"3","t":"C","x":0},{"id": 1, "t": "a"},{"id": 9},{"id":4,"t":"d"}]"#;
        assert_eq!(merged(before, now, origin), expected);
    }

    #[test]
    fn entries_that_come_first_are_added_first() {
        assert_eq!(merged("[2,1]", "[4,3,2,1]", "[2, 1, 0]"), "[4,3,2,1,0]");
    }

    #[test]
    fn a_geometry_is_never_merged() {
        let feature = |coordinates: &str| format!(r#"{{"geometry":{{"coordinates":{coordinates}}}}}"#);
        let result = merged(&feature("[1,2]"), &feature("[3,2]"), &feature("[1, 2, 0]"));
        assert_eq!(result, feature("[3,2]"));
    }

    #[test]
    fn features_of_one_diagram_are_told_apart_by_their_order() {
        let feature =
            |height: u8, extra: &str| format!(r#"{{"properties":{{"diagramid":7,"height":{height}{extra}}}}}"#);
        let list = |first: String, second: String| format!("[{first},{second}]");
        let before = list(feature(1, ""), feature(2, ""));
        let now = list(feature(1, ""), feature(3, ""));
        let origin = list(feature(1, r#","x":0"#), feature(2, r#","x":1"#));
        let expected = list(feature(1, r#","x":0"#), feature(3, r#","x":1"#));
        assert_eq!(merged(&before, &now, &origin), expected);
    }
}
