//! The OpenAPI document, which a test compares with the file that the service sends.

use serde_json::{Value, json};

use super::routes;

/// The document that describes all operations.
pub fn openapi_document() -> String {
    let (_, described) = routes::all().into_parts();
    let mut text = String::new();
    write_lines(&json!(described.into_document()), 0, &mut text);
    text + "\n"
}

/// Writes each part of no more than [`MAX_LINE`] bytes on a line of its own, so that a difference shows what changed.
fn write_lines(part: &Value, depth: usize, text: &mut String) {
    let line = part.to_string();
    match part.as_object().filter(|_| line.len() > MAX_LINE) {
        Some(members) => {
            for (index, (name, member)) in members.iter().enumerate() {
                let start = if index == 0 { '{' } else { ',' };
                *text += &format!("{start}\n{:1$}{name:?}: ", "", depth + 1);
                write_lines(member, depth + 1, text);
            }
            *text += &format!("\n{:1$}}}", "", depth);
        }
        None => *text += &line,
    }
}

const MAX_LINE: usize = 6_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// If this variable is set, the test writes the document instead of checking it.
    const WRITE: &str = "WRITE_OPENAPI";

    #[test]
    fn the_document_is_that_of_the_handlers() {
        let document = openapi_document();
        if std::env::var_os(WRITE).is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/http/openapi.json");
            return std::fs::write(path, document).unwrap();
        }
        let is_current = document == include_str!("openapi.json");
        assert!(is_current, "write it again: {WRITE}=1 cargo test --features openapi --lib openapi");
    }
}
