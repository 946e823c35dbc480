//! Work that Python programs do for the pages, for administrators: reading maps from files, weighing maps, and making pages and tables to
//! download.
//!
//! These are not operations of the table, because a service may lack them: one that was not started from Python has none, and one without
//! the package's extras has only some.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{FromRef, Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::archive::archived;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::ogc::{OgcRoot, read_from, with_properties};
use crate::http::request::auth::{Administrator, Caller};
use crate::http::request::bodies::announced_length;
use crate::http::request::bodies::receive;
use crate::http::request::extract::ApiRoot;
use crate::http::response::file::{FileKind, FileResponse};
use crate::http::response::memory::Memory;
use crate::http::state::AppState;
use crate::processes::{ProcessError, Processes};
use crate::store::Store;

pub fn router() -> Router<AppState> {
    Router::new()
        .route("/processes/", get(offered))
        .route("/processes/{projectid}/read_map/", post(read_map))
        .route("/processes/{projectid}/weigh_maps/", post(weigh_maps))
        .route("/processes/{projectid}/report/", get(report))
        .route("/processes/{projectid}/workbook/", get(workbook))
        .route("/processes/{projectid}/cost_page/", get(cost_page))
        .route("/processes/{projectid}/qgis_project/", get(qgis_project))
}

/// Lists the programs that this service has.
async fn offered(caller: Caller, State(state): State<AppState>) -> Result<Response> {
    state.look_up(caller, |_, _| Ok(()))?;
    let offered = match state.processes() {
        Some(processes) => processes.offered().await?,
        None => &[],
    };
    Ok(axum::Json(json!({ "processes": offered })).into_response())
}

/// The name of the file in the body, and the wanted layer.
#[derive(Deserialize)]
struct MapFile {
    name: String,
    layer: Option<String>,
}

/// The features of a GIS file in WGS 84, or the names of its layers if it has several.
async fn read_map(
    administrator: Administrator,
    State(state): State<AppState>,
    Query(MapFile { name, layer }): Query<MapFile>,
    request: Request,
) -> Result<FileResponse<GeoJson>> {
    let input = format!("input{}", ending(&name));
    run_over_body(administrator, &state, request, "read_map", &input, json!({ "name": name, "layer": layer })).await
}

/// An evaluation map made from several maps and their weights, which the body names.
async fn weigh_maps(
    administrator: Administrator,
    State(state): State<AppState>,
    request: Request,
) -> Result<FileResponse<GeoJson>> {
    run_over_body(administrator, &state, request, "weigh_maps", "input.json", Value::Null).await
}

async fn run_over_body<Kind: FileKind>(
    administrator: Administrator,
    state: &AppState,
    request: Request,
    program: &'static str,
    input: &str,
    settings: Value,
) -> Result<FileResponse<Kind>> {
    state.look_up(administrator, |_, _| Ok(()))?;
    let processes = of(state)?;
    let limit = state.limits().map_file_bytes();
    limit.check("the file", announced_length(request.headers()).unwrap_or_default())?;
    let content = receive(&Arc::<Memory>::from_ref(state), request).await?;
    limit.check("the file", content.len())?;
    let folder = Store::from_ref(state).folder_to_send()?;
    let path = folder.path().join(input);
    in_turn(state, async {
        gate::run(move || fs::write(path, content)).await?.map_err(ProcessError::from)?;
        Ok(processes.run(program, folder.path(), &settings).await?)
    })
    .await?;
    output_of(folder)
}

async fn report(administrator: Administrator, state: State<AppState>, root: ApiRoot) -> Result<FileResponse<Report>> {
    run_over_archive(administrator, &state, root, "report", &Value::Null).await
}

async fn workbook(
    administrator: Administrator,
    state: State<AppState>,
    root: ApiRoot,
) -> Result<FileResponse<Workbook>> {
    run_over_archive(administrator, &state, root, "workbook", &Value::Null).await
}

async fn cost_page(
    administrator: Administrator,
    state: State<AppState>,
    root: ApiRoot,
) -> Result<FileResponse<CostPage>> {
    run_over_archive(administrator, &state, root, "cost_page", &Value::Null).await
}

/// A QGIS project that reads the collections of the OGC API, at the address of this request.
async fn qgis_project(
    administrator: Administrator,
    state: State<AppState>,
    root: ApiRoot,
    ogc: OgcRoot,
) -> Result<FileResponse<QgisProject>> {
    let root_of_gis = ogc.to_string();
    let collections = read_from(&state, administrator.clone(), move |read, granted| {
        with_properties(read, granted.project, granted.shows_names(), &ogc)
    });
    let settings = json!({ "root": root_of_gis, "collections": collections.await? });
    run_over_archive(administrator, &state, root, "qgis_project", &settings).await
}

async fn run_over_archive<Kind: FileKind>(
    administrator: Administrator,
    state: &AppState,
    root: ApiRoot,
    program: &'static str,
    settings: &Value,
) -> Result<FileResponse<Kind>> {
    let processes = of(state)?;
    let run = async {
        let (folder, _) = archived(administrator, state, root).await?;
        processes.run(program, folder.path(), settings).await?;
        Ok(folder)
    };
    output_of(in_turn(state, run).await?)
}

/// Runs work in two of a user's three places: each user runs one process at a time, and can still read meanwhile.
async fn in_turn<T>(state: &AppState, work: impl Future<Output = Result<T>>) -> Result<T> {
    gate::hold(2, Duration::from_secs(state.limits().process_seconds), work).await
}

fn of(state: &AppState) -> Result<&Processes> {
    state.processes().ok_or(ApiError::NotFound("process: this service was not started from Python"))
}

/// Returns a program's output, which has the same name for every program.
fn output_of<Kind: FileKind>(folder: TempDir) -> Result<FileResponse<Kind>> {
    let path = folder.path().join("output");
    Ok(FileResponse::open(folder, &path).map_err(ProcessError::from)?)
}

/// Returns the extension of a file's name, by which readers recognise some formats. No other part of the name is used here.
fn ending(name: &str) -> String {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_plain = ending.len() <= 10 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain && !ending.is_empty() { format!(".{ending}") } else { String::new() }
}

macro_rules! files {
    ($($kind:ident: $content_type:literal, $name:literal;)*) => {$(
        struct $kind;

        impl FileKind for $kind {
            const CONTENT_TYPE: &'static str = $content_type;
            const NAME: &'static str = $name;
        }
    )*};
}

files! {
    GeoJson: "application/geo+json", "map.geojson";
    Report: "text/html; charset=utf-8", "report.html";
    Workbook: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "costs.xlsx";
    CostPage: "text/html; charset=utf-8", "costs.html";
    QgisProject: "application/zip", "project.qgz";
}
