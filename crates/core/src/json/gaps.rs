//! Reads lists with values that cannot be read: these are left out and named. One bad value does not spoil the others.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, from_str};

use super::decode::{DecodeError, decode, message_with_byte};

/// At most this many values are left out: a text with more is not the requested list.
const MAX_GAPS: usize = 100_000;
/// At most this many are described; all are counted.
const MAX_DESCRIBED: usize = 1_000;
/// At most this many values are left out of one element, which is read again for each.
const MAX_GAPS_PER_ELEMENT: usize = 40;
/// Larger elements with a wrong value are left out as a whole.
const MAX_ELEMENT_BYTES: usize = 1 << 20;
/// An object with more fields is not searched for the wrong one.
const MAX_FIELDS: usize = 200;

/// A value that could not be read, and was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Path of the value, such as `[3].start_date`.
    pub path: String,
    pub problem: String,
}

/// The values that were left out: a description of the first ones, and the number of all.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    described: Vec<Gap>,
    count: usize,
}

impl Gaps {
    fn add(&mut self, describe: impl FnOnce() -> Gap) {
        self.count += 1;
        if self.described.len() < MAX_DESCRIBED {
            self.described.push(describe());
        }
    }

    pub fn described(&self) -> &[Gap] {
        &self.described
    }

    /// Returns the number of all gaps, described or not.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl From<Vec<Gap>> for Gaps {
    fn from(described: Vec<Gap>) -> Self {
        Gaps { count: described.len(), described }
    }
}

/// Decodes an array. Wrong values of an element are read as null; an element without a required value, such as its id, is left out. If no
/// element can be read, decoding fails.
pub fn decode_list<T: DeserializeOwned>(text: &[u8]) -> Result<(Vec<T>, Gaps), DecodeError> {
    let whole = match decode(text) {
        Ok(list) => return Ok((list, Gaps::default())),
        Err(error) => error,
    };
    let Ok(elements) = serde_json::from_slice::<Vec<&RawValue>>(text) else { return Err(whole) };
    let (mut list, mut gaps) = (Vec::new(), Gaps::default());
    for (index, element) in elements.into_iter().enumerate() {
        let at =
            |path: &str| format!("[{index}]{}{path}", if path.is_empty() || path.starts_with('[') { "" } else { "." });
        match decode_with_gaps(element.get()) {
            Ok((element, found)) => {
                list.push(element);
                found.into_iter().for_each(|gap| gaps.add(|| Gap { path: at(&gap.path), ..gap }));
            }
            Err(error) => {
                gaps.add(|| Gap::element(at(""), error.path.as_deref().unwrap_or_default(), &error.message));
            }
        }
        if gaps.count > MAX_GAPS {
            let message = format!("{}; more than {MAX_GAPS} other values are wrong, too", whole.message);
            return Err(DecodeError { message, ..whole });
        }
    }
    if list.is_empty() { Err(whole) } else { Ok((list, gaps)) }
}

/// Decodes an object. Wrong values are read as null; elements of its lists that lack a required value are left out.
pub fn decode_around_gaps<T: DeserializeOwned>(text: &[u8]) -> Result<(T, Gaps), DecodeError> {
    match str::from_utf8(text) {
        Ok(text) => decode_with_gaps(text).map(|(value, gaps)| (value, gaps.into())),
        Err(_) => decode(text).map(|value| (value, Gaps::default())),
    }
}

impl Gap {
    /// An element that was left out.
    fn element(path: String, wrong_path: &str, problem: &str) -> Self {
        let field = wrong_path.rsplit([']', '.']).next().filter(|field| !field.is_empty());
        let field = field.map(|field| format!("{field}: ")).unwrap_or_default();
        Gap { path, problem: format!("it is left out: {field}{}", without_byte(problem)) }
    }
}

/// True if there is one problem fewer than before: the problem comes later in the text, or is another one. A missing required value does
/// not count.
fn is_about_another(problem: &str, before: &str) -> bool {
    let byte = |message: &str| message.rsplit_once(" at byte ").and_then(|(_, byte)| byte.parse::<usize>().ok());
    // A null in the place of a value moves the rest by less than its own length.
    if byte(problem) > byte(before).map(|byte| byte + "null".len()) {
        return true;
    }
    let is_needed = problem.contains("null") || problem.contains("missing field");
    !is_needed && without_byte(problem) != without_byte(before)
}

fn decode_with_gaps<T: DeserializeOwned>(text: &str) -> Result<(T, Vec<Gap>), DecodeError> {
    let first = match decode::<T>(text.as_bytes()) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    let tree = from_str::<Value>(text).ok().filter(|_| text.len() <= MAX_ELEMENT_BYTES);
    let Some(mut tree) = tree else { return Err(first) };
    let (mut gaps, mut left_out) = (Vec::new(), LeftOut::default());
    // Decoded from the tree's text, so that bytes can be compared.
    let (mut path, mut problem) = match decode::<T>(tree.to_string().as_bytes()) {
        // A field occurs twice in the text, and once in the tree.
        Ok(_) => return Err(first),
        Err(error) => (error.path.unwrap_or_default(), error.message),
    };
    while gaps.len() < MAX_GAPS_PER_ELEMENT {
        let wrong = field_of::<T>(&mut tree, path, &problem);
        let is_element = wrong.is_empty() || wrong.ends_with(']');
        match value_at(&mut tree, &wrong) {
            Some(value) if !is_element && !value.is_null() => {
                *value = Value::Null;
                gaps.push(Gap { path: left_out.original_path(&wrong), problem: without_byte(&problem).to_owned() });
            }
            _ => {
                // Null is not enough: the list element that requires the value is left out.
                let Some(element) = wrong.rfind(']').map(|end| &wrong[..=end]) else { break };
                let Some((list, index)) = list_and_index(element) else { break };
                let Some(Value::Array(elements)) = value_at(&mut tree, list) else { break };
                if index >= elements.len() {
                    break;
                }
                elements.remove(index);
                let original = left_out.original_path(element);
                gaps.retain(|gap: &Gap| !gap.path.starts_with(&format!("{original}.")));
                gaps.push(Gap::element(original, &wrong, &problem));
                left_out.0.push((list.to_owned(), index));
            }
        }
        match decode(tree.to_string().as_bytes()) {
            Ok(value) => return Ok((value, gaps)),
            Err(error) => (path, problem) = (error.path.unwrap_or_default(), error.message),
        }
    }
    Err(first)
}

/// The elements that were left out of a text, by the paths of their lists, so that later ones keep their numbers.
#[derive(Default)]
struct LeftOut(Vec<(String, usize)>);

impl LeftOut {
    /// Returns the path in the original text.
    fn original_path(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for (list, left_out) in self.0.iter().rev() {
            let Some(rest) = path.strip_prefix(list.as_str()).and_then(|rest| rest.strip_prefix('[')) else { continue };
            let Some((index, after)) = rest.split_once(']') else { continue };
            if let Some(index) = index.parse::<usize>().ok().filter(|index| index >= left_out) {
                path = format!("{list}[{}]{after}", index + 1);
            }
        }
        path
    }
}

/// Splits the path of an element into the list's path and the index.
fn list_and_index(element: &str) -> Option<(&str, usize)> {
    let (list, index) = element.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, index.parse().ok()?))
}

/// Returns the path of the wrong field. Where fields of two structs are in one object, the error is about the object as a whole.
fn field_of<T: DeserializeOwned>(tree: &mut Value, path: String, problem: &str) -> String {
    let Some(Value::Object(fields)) = value_at(tree, &path) else { return path };
    if fields.len() > MAX_FIELDS {
        return path;
    }
    let known = fields.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name);
    let fields: Vec<String> =
        known.map(|name| if path.is_empty() { name.clone() } else { format!("{path}.{name}") }).collect();
    // If several fields are wrong, setting one to null shows another error; that the field is required does not count.
    let mut next = None;
    for field in fields {
        let Some(value) = value_at(tree, &field).map(Value::take) else { continue };
        let text = tree.to_string();
        value_at(tree, &field).into_iter().for_each(|place| *place = value.clone());
        let Err(error) = from_str::<T>(&text) else { return field };
        if next.is_none() && is_about_another(&message_with_byte(text.as_bytes(), &error), problem) {
            next = Some(field);
        }
    }
    next.unwrap_or(path)
}

/// A message without the byte, which counts from the start of an element.
fn without_byte(message: &str) -> &str {
    message.rsplit_once(" at byte ").map_or(message, |(problem, _)| problem)
}

/// The value at a path.
fn value_at<'v>(value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    if path.is_empty() {
        return Some(value);
    }
    let (value, rest) = match value {
        Value::Array(elements) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            (elements.get_mut(index.parse::<usize>().ok()?)?, rest)
        }
        Value::Object(fields) => {
            // A name may have dots in it.
            let is_start = |name: &&String| {
                path.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let name = fields.keys().filter(is_start).max_by_key(|name| name.len())?.clone();
            (fields.get_mut(&name)?, &path[name.len()..])
        }
        _ => return None,
    };
    value_at(value, rest.strip_prefix('.').unwrap_or(rest))
}

/// Reads a list, with `#[serde(default)]`; null is an empty list.
pub fn null_is_empty<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Diagram, Synthesis, SystemDetail};

    fn paths(gaps: &Gaps) -> Vec<&str> {
        gaps.described().iter().map(|gap| gap.path.as_str()).collect()
    }

    #[test]
    fn a_wrong_value_is_left_out_and_named() {
        let text = br#"[{"id":1,"sysid":2},{"id":2,"sysid":2,"start_date":"2024-13-45","area":[1],"rank":3}]"#;
        let (diagrams, gaps) = decode_list::<Diagram>(text).unwrap();
        assert_eq!((diagrams[1].start_date.clone(), diagrams[1].area, diagrams[1].rank), (None, None, Some(3)));
        assert_eq!(paths(&gaps), ["[1].start_date", "[1].area"]);
        assert!(gaps.described()[0].problem.contains("2024-13-45"), "{gaps:?}");
    }

    #[test]
    fn an_element_without_what_it_needs_is_left_out_and_named() {
        let text = br#"[{"id":1,"sysid":2},null,{"sysid":2,"area":[]},{"id":"x","sysid":2},{"id":5,"sysid":2}]"#;
        let (diagrams, gaps) = decode_list::<Diagram>(text).unwrap();
        assert_eq!(diagrams.iter().map(|diagram| diagram.id.0).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(paths(&gaps), ["[1]", "[2]", "[3]"]);
        assert!(gaps.described().iter().all(|gap| gap.problem.starts_with("it is left out: ")), "{gaps:?}");
    }

    #[test]
    fn what_is_wrong_in_all_rows_of_an_object_leaves_none_of_them_out() {
        let row =
            |number: usize| format!(r#"{{"cteamid":4,"id":"a023631f09bc2e{number}","creationdate":"02.03.2026"}}"#);
        let rows: Vec<_> = (31..46).map(row).collect();
        let text = format!(r#"{{"synthesis":[{}]}}"#, rows.join(","));
        let (designs, gaps) = decode_around_gaps::<Synthesis>(text.as_bytes()).unwrap();
        assert_eq!((designs.synthesis.len(), gaps.count()), (15, 15));
        assert!(paths(&gaps).iter().all(|path| path.ends_with("].creationdate")), "{gaps:?}");
    }

    #[test]
    fn a_list_without_any_element_that_can_be_read_is_an_error() {
        for text in ["[1]", "[", "{}", r#"[{"sysid":2}]"#] {
            assert!(decode_list::<Diagram>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_in_all_rows_is_left_out_of_each_and_nothing_else() {
        let mut rows = vec![r#"{"id":1,"sysid":2,"start_date":"2024-13-45","area":[],"rank":3}"#; 300];
        rows[200] = r#"{"id":1,"sysid":2,"start_date":"2024-12-24","area":7.5,"rank":{},"notes":"x"}"#;
        let (diagrams, gaps) = decode_list::<Diagram>(format!("[{}]", rows.join(",")).as_bytes()).unwrap();
        assert_eq!((diagrams.len(), gaps.count()), (300, 2 * 299 + 1));
        assert_eq!(gaps.described().iter().filter(|gap| gap.path.starts_with("[200]")).count(), 1);
        assert_eq!((diagrams[200].area, diagrams[200].rank, diagrams[299].rank), (Some(7.5), None, Some(3)));
        assert!(diagrams[200].start_date.is_some());
        assert!(
            gaps.described().last().is_some_and(|gap| gap.path.starts_with("[299].") && !gap.problem.is_empty()),
            "{gaps:?}"
        );
    }

    #[test]
    fn a_list_of_very_many_wrong_rows_is_read_and_the_first_are_described() {
        let wrong = [r#"{"id":null,"sysid":2}"#, r#"{"id":1,"sysid":2,"area":"large"}"#, "null"];
        let rows: Vec<_> = (0..30_000).map(|row| wrong[row % wrong.len()]).collect();
        let (diagrams, gaps) = decode_list::<Diagram>(format!("[{}]", rows.join(",")).as_bytes()).unwrap();
        assert_eq!((diagrams.len(), gaps.count(), gaps.described().len()), (10_000, 30_000, MAX_DESCRIBED));
        assert!(diagrams.iter().all(|diagram| diagram.area.is_none()));
    }

    #[test]
    fn an_object_of_very_many_fields_takes_no_time_to_give_up() {
        let fields: String = (0..100_000).map(|number| format!(r#","f{number}":0"#)).collect();
        let started = std::time::Instant::now();
        assert!(decode_around_gaps::<SystemDetail>(format!(r#"{{"id":"x"{fields}}}"#).as_bytes()).is_err());
        let twice = format!(r#"[{{"name":"x",{}"id":1}}]"#, r#""id":1,"#.repeat(300_000));
        assert!(decode_list::<SystemDetail>(twice.as_bytes()).is_err());
        assert!(started.elapsed().as_secs() < 10);
    }

    #[test]
    fn wrong_values_of_an_object_and_of_its_lists_are_left_out() {
        let text =
            br#"{"synthesis":[{"cteamid":4},{"cteamid":4,"id":"a023631f09bc2e31","creationdate":"2024-13-45"}]}"#;
        let (designs, gaps) = decode_around_gaps::<Synthesis>(text).unwrap();
        assert_eq!((designs.synthesis.len(), designs.synthesis[0].details.creationdate.clone()), (1, None));
        assert_eq!(paths(&gaps), ["synthesis[0]", "synthesis[1].creationdate"]);
        let text = br#"{"id":1,"name":"Water","cost":"dear","budget":[],"target_ha":5}"#;
        let (system, gaps) = decode_around_gaps::<SystemDetail>(text).unwrap();
        assert_eq!((system.cost, system.budget, system.target_ha, gaps.count()), (None, None, Some(5.0), 2));
        assert!(decode_around_gaps::<SystemDetail>(br#"{"id":"x","name":"Water"}"#).is_err());
    }
}
