//! Two operations of the service, written plainly with axum and rusqlite: what a Rust developer would write first.
//!
//!     DATABASE=path axum_rusqlite PORT

use std::cell::RefCell;
use std::env;

use axum::extract::Path;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Router, serve};
use rusqlite::{Connection, Result, Row};
use tokio::net::TcpListener;

const IS_MEMBER: &str = "SELECT 1 FROM tokens JOIN members USING (user) WHERE token = ? AND project = ?";
const FIELDS: &str = "SELECT fields FROM diagrams WHERE project = ? AND id = ?";
const FEATURES: &str = "SELECT properties, geometry FROM features WHERE diagram = ? ORDER BY key";
const ALL_FIELDS: &str = "SELECT fields, id FROM diagrams WHERE project = ? ORDER BY id";

thread_local! {
    /// Each worker thread has its own connection, with its own prepared statements.
    static DATABASE: RefCell<Connection> =
        RefCell::new(Connection::open(env::var("DATABASE").expect("a path in DATABASE")).expect("a database"));
}

#[tokio::main]
async fn main() {
    let router = Router::new()
        .route("/api/v1/projects/{project}/diagrams/all/", get(all_diagrams))
        .route("/api/v1/projects/{project}/diagrams/{diagram}/", get(diagram));
    let port = env::args().nth(1).expect("a port");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("a free port");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    serve(listener, router).await.expect("a server");
}

async fn diagram(Path((project, diagram)): Path<(String, i64)>, headers: HeaderMap) -> Response {
    respond(&project, &headers, |database, json| {
        let fields: String = database.prepare_cached(FIELDS)?.query_row((&project, diagram), |row| row.get(0))?;
        push_diagram(json, database, diagram, &fields)
    })
}

async fn all_diagrams(Path(project): Path<String>, headers: HeaderMap) -> Response {
    respond(&project, &headers, |database, json| {
        json.push('[');
        let mut statement = database.prepare_cached(ALL_FIELDS)?;
        let mut rows = statement.query([&project])?;
        while let Some(row) = rows.next()? {
            if json.len() > 1 {
                json.push(',');
            }
            push_diagram(json, database, row.get(1)?, text(row, 0)?)?;
        }
        json.push(']');
        Ok(())
    })
}

/// Responds with the JSON that `write` appends. 404 if the token's user is not a member of the project, or if there is
/// no such diagram.
fn respond(project: &str, headers: &HeaderMap, write: impl FnOnce(&Connection, &mut String) -> Result<()>) -> Response {
    let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Token "));
    let mut json = String::new();
    let written = DATABASE.with_borrow(|database| {
        database.prepare_cached(IS_MEMBER)?.query_row((token, project), |_| Ok(()))?;
        write(database, &mut json)
    });
    match written {
        Ok(()) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        Err(rusqlite::Error::QueryReturnedNoRows) => StatusCode::NOT_FOUND.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Appends a diagram: its features, then its other fields, which are the text of a JSON object.
fn push_diagram(json: &mut String, database: &Connection, diagram: i64, fields: &str) -> Result<()> {
    json.push_str(r#"{"geojson":{"type":"FeatureCollection","features":["#);
    let mut statement = database.prepare_cached(FEATURES)?;
    let mut rows = statement.query([diagram])?;
    let mut separator = "";
    while let Some(row) = rows.next()? {
        json.push_str(separator);
        json.push_str(r#"{"type":"Feature","properties":"#);
        json.push_str(text(row, 0)?);
        json.push_str(r#","geometry":"#);
        json.push_str(text(row, 1)?);
        json.push('}');
        separator = ",";
    }
    json.push_str("]},");
    json.push_str(&fields[1..]);
    Ok(())
}

fn text<'row>(row: &'row Row<'_>, column: usize) -> Result<&'row str> {
    Ok(row.get_ref(column)?.as_str()?)
}
