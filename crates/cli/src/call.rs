//! `pygeodesign call`: calls any operation of the service by its name.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::connect::Service;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, json, note, text};
use geodesign::model::operations::{Endpoint, OPERATION_ROWS, OperationRow};
use geodesign_client::RequestBody;
use geodesign_common::whole_files::{Readers, write_whole};

/// Percent-encoded characters of paths and queries: all but RFC 3986's unreserved ones.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PROJECT: &str = "projectid";

/// Call any operation of the service by its name, and print its response as JSON.
///
/// The ids in the path are given as NAME=VALUE, and so are the fields of the body, or of the query if there is no body. A value that is
/// JSON, such as 2, true or {"open": false}, is read as JSON, any other as text. Without an operation, all are listed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign call
  pygeodesign call set_vote diagramid=1002 vote=2 comment=\"Shade where children play\"
  pygeodesign call set_activities drawing='{\"open\": false, \"message\": \"We vote now.\"}'
  pygeodesign call edit_team cteamid=1 color=#2B7BBA
  pygeodesign call merge --file train.zip dry_run=true")]
pub struct Call {
    /// The name of the operation, such as set_vote [default: list them].
    operation: Option<String>,
    /// An id, or a field of the body. The project is the only one unless projectid=ID is given.
    #[arg(value_name = "NAME=VALUE")]
    values: Vec<NamedValue>,
    /// The complete body as JSON, instead of single fields.
    #[arg(long, value_name = "JSON")]
    body: Option<String>,
    /// Send this file as the body: JSON, or an archive (.zip).
    #[arg(long, value_name = "FILE", conflicts_with = "body")]
    file: Option<PathBuf>,
    /// Write the response, such as a picture, to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    service: Service,
}

/// A named value, given as `NAME=VALUE`.
#[derive(Clone)]
pub struct NamedValue {
    pub name: String,
    value: String,
}

impl FromStr for NamedValue {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
        Ok(NamedValue { name: name.to_owned(), value: value.to_owned() })
    }
}

impl NamedValue {
    /// Returns the value as JSON if it is valid JSON, else as a string.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.value).unwrap_or_else(|_| self.value.clone().into())
    }
}

impl Call {
    pub fn run(&self, context: &Context) -> Result<()> {
        let Some(name) = &self.operation else { return self.list(context) };
        let operation = OPERATION_ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            CommandError::Input(format!("there is no operation {name:?}; `pygeodesign call` lists them"))
        })?;
        let (ids, mut fields): (Vec<_>, Vec<_>) = self.values.iter().partition(|value| operation.has_id(&value.name));
        let mut path = operation.path.to_owned();
        for NamedValue { name, value } in ids {
            path = path.replace(&format!("{{{name}}}"), &utf8_percent_encode(value, ENCODED).to_string());
        }
        if let Some(missing) = missing_id(&path).filter(|missing| *missing != PROJECT) {
            return Err(CommandError::Input(format!("{name} needs {missing}=…; its path is {}", operation.path)));
        }
        let body = self.body_of(operation, &mut fields)?;
        let query: Vec<String> = fields.iter().map(|NamedValue { name, value }| encoded_pair(name, value)).collect();
        let client = if path.contains(PROJECT) {
            let project = self.service.project(context, None)?;
            path = path.replace(&format!("{{{PROJECT}}}"), project.id().as_str());
            project.client().clone()
        } else {
            self.service.connect(context)?
        };
        let query = (!query.is_empty()).then(|| query.join("&"));
        let endpoint = Endpoint { query, ..operation.at_path(path) };
        let asks_for_page = fields.iter().any(|field| matches!(field.name.as_str(), "page" | "page_size"));
        let response = if operation.has_list && !asks_for_page {
            context.wait(client.whole_list(&endpoint))?
        } else {
            context.wait(client.call(&endpoint, body))?
        };
        match &self.output {
            Some(path) => {
                let failed = |error| CommandError::File(format!("{} cannot be written", path.display()), error);
                write_whole(path, &response, Readers::Usual).map_err(failed)?;
                note(&format!("Wrote {}", path.display()));
                Ok(())
            }
            None if response.is_empty() => Ok(()),
            None => {
                let value: Value = serde_json::from_slice(&response).map_err(|_| {
                    CommandError::Input("the response is not JSON; give a file with --output".to_owned())
                })?;
                context.print(&json(&value)?)
            }
        }
    }

    fn list(&self, context: &Context) -> Result<()> {
        let row = |row: &OperationRow| {
            let name = row.name.to_ascii_lowercase();
            serde_json::json!({"operation": name, "method": row.method.as_str(), "path": row.path, "summary": row.summary})
        };
        let rows: Vec<Value> = OPERATION_ROWS.iter().map(row).collect();
        let columns = [
            text("operation", "Operation"),
            text("method", "Method"),
            text("path", "Path"),
            text("summary", "What it does"),
        ];
        context.print(&self.format.listing(&rows, &columns)?)
    }

    /// Builds the body of a write. Removes the fields that it uses from `fields`.
    fn body_of(&self, operation: &OperationRow, fields: &mut Vec<&NamedValue>) -> Result<Option<RequestBody>> {
        if let Some(path) = &self.file {
            let content = fs::read(path);
            let content =
                content.map_err(|error| CommandError::File(format!("{} cannot be read", path.display()), error))?;
            let is_archive = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
            return Ok(Some(if is_archive { RequestBody::Archive(content) } else { RequestBody::Json(content) }));
        }
        if let Some(body) = &self.body {
            return Ok(Some(RequestBody::Json(body.clone().into_bytes())));
        }
        if operation.method.is_safe() || operation.method == http::Method::DELETE || fields.is_empty() {
            return Ok(None);
        }
        let body: Map<String, Value> = fields.drain(..).map(|field| (field.name.clone(), field.json())).collect();
        Ok(Some(RequestBody::Json(Value::Object(body).to_string().into_bytes())))
    }
}

/// Returns an id in a path that has no value yet.
fn missing_id(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once('{')?;
    rest.split_once('}').map(|(name, _)| name)
}

fn encoded_pair(name: &str, value: &str) -> String {
    format!("{}={}", utf8_percent_encode(name, ENCODED), utf8_percent_encode(value, ENCODED))
}
