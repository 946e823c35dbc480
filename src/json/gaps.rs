//! Reads lists of which some values cannot be read: these are left out, and named. One bad value is no reason to refuse the others.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::decode::{DecodeError, decode, message_with_byte};
use super::scanner::{Scanner, ScannerError, Value};

/// The most values of one element that are left out.
const MAX_GAPS_PER_ELEMENT: usize = 40;

/// The most bytes that are read again to find what is wrong in an object.
const MAX_BYTES_READ_AGAIN: usize = 16 << 20;
/// In a list, so many times its bytes are read beside that.
const TIMES_READ_AGAIN: usize = 4;
/// Of the elements of a list, so many are searched for what is wrong in them, where it is none of the usual fields. Those after them
/// are left out as they are.
const MAX_SEARCHED: usize = 1_000;
/// So many of the values that were left out are described; all are counted.
const MAX_DESCRIBED: usize = 1_000;
/// How often a text is read to find a value that is wrong and leave it out: the search for its path halves a list of places.
const READ_FOR_A_GAP: usize = 16;
/// The same where the field is known.
const READ_FOR_A_FIELD: usize = 2;
/// An object of more fields is not searched for the one that is wrong.
const MAX_FIELDS: usize = 200;
/// So many fields that were wrong are looked at first in the next elements.
const MAX_USUAL_FIELDS: usize = 8;

/// What may still be read again.
struct Budget(usize);

impl Budget {
    /// Takes the bytes of a text that is read so many times; false if that is too much.
    fn take(&mut self, text: &str, times: usize) -> bool {
        let left = self.0.checked_sub(text.len() * times);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// A value that could not be read, and was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Where it is, such as `[3].start_date`.
    pub path: String,
    pub problem: String,
}

/// The values that were left out: the first ones described, and how many there are.
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

    /// How many there are, those included that are not described.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl From<Vec<Gap>> for Gaps {
    fn from(described: Vec<Gap>) -> Self {
        Gaps { count: described.len(), described }
    }
}

/// Decodes an array. Of an element that cannot be read, the values that are wrong are read as null; an element without a value that
/// it needs, such as its id, is left out. If no element can be read, the text is no such list.
pub fn decode_list<T: DeserializeOwned>(text: &[u8]) -> Result<(Vec<T>, Gaps), DecodeError> {
    let whole = match decode(text) {
        Ok(list) => return Ok((list, Gaps::default())),
        Err(error) => error,
    };
    let Ok(elements) = serde_json::from_slice::<Vec<&RawValue>>(text) else { return Err(whole) };
    let (mut list, mut gaps) = (Vec::new(), Gaps::default());
    let mut budget = Budget(MAX_BYTES_READ_AGAIN + TIMES_READ_AGAIN * text.len());
    let mut usual = UsualFields::default();
    for (index, element) in elements.into_iter().enumerate() {
        let at =
            |path: &str| format!("[{index}]{}{path}", if path.is_empty() || path.starts_with('[') { "" } else { "." });
        match usual.decode(element.get(), &mut budget) {
            Ok((element, found)) => {
                list.push(element);
                found.into_iter().for_each(|gap| gaps.add(|| Gap { path: at(&gap.path), ..gap }));
            }
            Err(_) if budget.0 == 0 => {
                let message = format!(
                    "{}; {} other values are wrong, too, of more kinds than are read around",
                    whole.message,
                    gaps.count()
                );
                return Err(DecodeError { message, ..whole });
            }
            Err(error) => {
                gaps.add(|| Gap::element(at(""), error.path.as_deref().unwrap_or_default(), &error.message));
            }
        }
    }
    if list.is_empty() { Err(whole) } else { Ok((list, gaps)) }
}

/// Decodes an object. Values that are wrong are read as null; elements of its lists that lack a value which they need are left out.
pub fn decode_around_gaps<T: DeserializeOwned>(text: &[u8]) -> Result<(T, Gaps), DecodeError> {
    let Ok(text) = str::from_utf8(text) else { return Ok((decode(text)?, Gaps::default())) };
    match decode_with_gaps(text, &mut Budget(MAX_BYTES_READ_AGAIN)) {
        Ok((value, gaps)) => Ok((value, gaps.into())),
        Err(error) if error.path.is_some() => Err(error),
        // The place in a large object, which was not searched for.
        Err(error) => Err(decode::<T>(text.as_bytes()).err().unwrap_or(error)),
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

/// The fields that were wrong in the elements before, the latest first. A service that is wrong about one row is mostly wrong about all
/// in the same way, and looking here first saves the search.
#[derive(Default)]
struct UsualFields {
    fields: Vec<String>,
    /// How many elements were searched.
    searched: usize,
}

impl UsualFields {
    fn decode<T: DeserializeOwned>(&mut self, text: &str, budget: &mut Budget) -> Result<(T, Vec<Gap>), DecodeError> {
        let error = match serde_json::from_str(text) {
            Ok(value) => return Ok((value, Vec::new())),
            Err(error) => error,
        };
        let message = message_with_byte(text.as_bytes(), &error);
        if let Some(read) = self.decode_without(text, message.clone(), budget) {
            return Ok(read);
        }
        if self.searched == MAX_SEARCHED {
            return Err(DecodeError { path: None, message, source: error });
        }
        self.searched += 1;
        let (value, gaps) = decode_with_gaps(text, budget)?;
        for gap in gaps.iter().rev().filter(|gap| !gap.path.ends_with(']')) {
            self.fields.retain(|field| *field != gap.path);
            self.fields.insert(0, gap.path.clone());
        }
        self.fields.truncate(MAX_USUAL_FIELDS);
        Ok((value, gaps))
    }

    /// The element without those of these fields that are wrong in it. `None` if something else is wrong.
    fn decode_without<T: DeserializeOwned>(
        &self,
        text: &str,
        mut problem: String,
        budget: &mut Budget,
    ) -> Option<(T, Vec<Gap>)> {
        let (mut text, mut gaps) = (text.to_owned(), Vec::new());
        for field in &self.fields {
            if !budget.take(&text, READ_FOR_A_FIELD) {
                return None;
            }
            let Some(mended) = without_value(&text, field) else { continue };
            let gap = |problem: &str| Gap { path: field.clone(), problem: without_byte(problem).to_owned() };
            match serde_json::from_str(&mended) {
                Ok(value) => {
                    gaps.push(gap(&problem));
                    return Some((value, gaps));
                }
                Err(error) => {
                    let next = message_with_byte(mended.as_bytes(), &error);
                    if is_about_another(&next, &problem) {
                        gaps.push(gap(&problem));
                        (text, problem) = (mended, next);
                    }
                }
            }
        }
        None
    }
}

/// The text with null in the place of a value; `None` where it is null, or not there.
fn without_value(text: &str, path: &str) -> Option<String> {
    let span = span_of(text, path).filter(|span| &text[span.clone()] != "null")?;
    Some(format!("{}null{}", &text[..span.start], &text[span.end..]))
}

/// Whether one thing less is wrong than before. That a value is needed does not count.
fn is_about_another(problem: &str, before: &str) -> bool {
    let is_needed = problem.contains("null") || problem.contains("missing field");
    !is_needed && without_byte(problem) != without_byte(before)
}

fn decode_with_gaps<T: DeserializeOwned>(text: &str, budget: &mut Budget) -> Result<(T, Vec<Gap>), DecodeError> {
    let first = match serde_json::from_str::<T>(text) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(source) if !budget.take(text, READ_FOR_A_GAP) => {
            return Err(DecodeError { path: None, message: message_with_byte(text.as_bytes(), &source), source });
        }
        Err(source) => DecodeError::new(text.as_bytes(), source, &|start| serde_json::from_slice::<T>(start).err()),
    };
    let (mut text, mut gaps, mut left_out) = (text.to_owned(), Vec::new(), LeftOut::default());
    let (mut path, mut problem) = (first.path.clone().unwrap_or_default(), first.message.clone());
    while gaps.len() < MAX_GAPS_PER_ELEMENT && budget.take(&text, READ_FOR_A_GAP) {
        let wrong = field_of::<T>(&text, path, &problem, budget);
        let Some(span) = span_of(&text, &wrong) else { break };
        let is_element = wrong.is_empty() || wrong.ends_with(']');
        if !is_element && &text[span.clone()] != "null" {
            text.replace_range(span, "null");
            gaps.push(Gap { path: left_out.original_path(&wrong), problem: without_byte(&problem).to_owned() });
        } else {
            // It is not enough that a value is missing: the element of a list that needs it is left out.
            let Some(end) = wrong.rfind(']') else { break };
            let element = &wrong[..=end];
            let Some(span) = span_of(&text, element) else { break };
            let original = left_out.original_path(element);
            gaps.retain(|gap: &Gap| !gap.path.starts_with(&format!("{original}.")));
            gaps.push(Gap::element(original, &wrong, &problem));
            text = without_element(&text, span);
            left_out.add(element);
        }
        match decode(text.as_bytes()) {
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
    fn add(&mut self, element: &str) {
        if let Some((list, index)) = list_and_index(element) {
            self.0.push((list.to_owned(), index));
        }
    }

    /// A path as it was before.
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

/// Of the path of an element.
fn list_and_index(element: &str) -> Option<(&str, usize)> {
    let (list, index) = element.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, index.parse().ok()?))
}

/// The text without an element of a list, and without a comma beside it.
fn without_element(text: &str, span: std::ops::Range<usize>) -> String {
    let (before, after) = (text[..span.start].trim_end(), text[span.end..].trim_start());
    match after.strip_prefix(',') {
        Some(after) => format!("{before}{after}"),
        None => format!("{}{after}", before.strip_suffix(',').unwrap_or(before)),
    }
}

/// The path of the field that is wrong. Where fields of two structs are in one object, the error is about the object as a whole.
fn field_of<T: DeserializeOwned>(text: &str, path: String, problem: &str, budget: &mut Budget) -> String {
    let Some(object) = span_of(text, &path).map(|span| &text[span]) else { return path };
    let Ok(fields) = serde_json::from_str::<std::collections::BTreeMap<String, &RawValue>>(object) else { return path };
    let paths: Vec<String> =
        fields.keys().map(|name| if path.is_empty() { name.clone() } else { format!("{path}.{name}") }).collect();
    if fields.len() > MAX_FIELDS {
        return path;
    }
    // Where several fields are wrong, another error comes to light without one of them; but not that the field is needed.
    let mut next = None;
    for field in &paths {
        if !budget.take(text, READ_FOR_A_FIELD) {
            break;
        }
        let Some(mended) = without_value(text, field) else { continue };
        let Err(error) = serde_json::from_str::<T>(&mended) else { return field.clone() };
        if next.is_none() && is_about_another(&message_with_byte(mended.as_bytes(), &error), problem) {
            next = Some(field.clone());
        }
    }
    next.unwrap_or(path)
}

/// A message without the byte, which counts from the start of an element.
fn without_byte(message: &str) -> &str {
    message.rsplit_once(" at byte ").map_or(message, |(problem, _)| problem)
}

/// Where the value of a path is in the text: the last one, where names repeat.
fn span_of(text: &str, path: &str) -> Option<std::ops::Range<usize>> {
    let (mut scanner, mut found) = (Scanner::new(text), None);
    find(&mut scanner, &mut String::new(), path, &mut found).ok()?;
    found
}

fn find(
    scanner: &mut Scanner,
    path: &mut String,
    wanted: &str,
    found: &mut Option<std::ops::Range<usize>>,
) -> Result<(), ScannerError> {
    scanner.peek();
    let (start, length) = (scanner.offset(), path.len());
    match scanner.value()? {
        Value::Array => {
            let mut elements = scanner.elements();
            let mut index = 0_usize;
            while elements.advance()? {
                path.push_str(&format!("[{index}]"));
                find(elements.scanner, path, wanted, found)?;
                path.truncate(length);
                index += 1;
            }
            elements.finish()?;
        }
        Value::Object => {
            let mut members = scanner.members();
            while members.advance()? {
                let key = members.scanner.string()?;
                path.extend([if length == 0 { "" } else { "." }, &key]);
                members.scanner.take(b':')?;
                find(members.scanner, path, wanted, found)?;
                path.truncate(length);
            }
            members.finish()?;
        }
        _ => {}
    }
    if path == wanted {
        *found = Some(start..scanner.offset());
    }
    Ok(())
}

/// For lists, with `#[serde(default)]`: null is a list without elements.
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
