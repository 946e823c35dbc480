//! Arguments from Python as types of the model: ids, choices, dates, bounds, and selections of diagrams.

use std::path::PathBuf;

use jiff::civil;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use serde_json::Value;

use super::errors::{Exception, Result, input_error};
use super::from_python::{from_python, given, kind};
use geodesign::costs::{CountedLand, Units};
use geodesign::json::in_words_of_python;
use geodesign::model::{
    Bounds, BoundsError, Center, CostType, DayOf, DesignId, DiagramGroup, DiagramId, DiagramKind, EntryId, FeatureType,
    FundingType, JsonObject, LayerId, LayerType, NewMember, NewSystem, NewTag, Preference, ProjectId, SecretId,
    ServerType, SystemId, TeamId, Username, UtcMillis, Uuid, moment, moment_in_table, utc_date_time,
};
use geodesign_client::{CostSelection, DiagramReference, GivenDesign, Outside, Project, SelectionKind, TeamReference};
use geodesign_service::Paging;

/// A type of another crate that is used as an argument.
pub trait Argument: Sized {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self>;
}

/// An argument of that type from Python.
pub struct Arg<T>(pub T);

impl<T: Argument> FromPyObject<'_, '_> for Arg<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        T::from_object(object).map(Arg)
    }
}

/// An operation's input: `Given` is the Python argument that it is made from.
pub trait Taken {
    type Given;

    fn from_given(given: Self::Given) -> Self;
}

impl<T: Argument> Taken for T {
    type Given = Arg<T>;

    fn from_given(Arg(given): Arg<T>) -> Self {
        given
    }
}

impl<T: Taken> Taken for Option<T> {
    type Given = Option<T::Given>;

    fn from_given(given: Self::Given) -> Self {
        given.map(T::from_given)
    }
}

impl<T: Taken> Taken for Vec<T> {
    type Given = Vec<T::Given>;

    fn from_given(given: Self::Given) -> Self {
        given.into_iter().map(T::from_given).collect()
    }
}

macro_rules! as_they_are {
    ($($name:ty)*) => {$(
        impl Taken for $name {
            type Given = $name;

            fn from_given(given: Self) -> Self {
                given
            }
        }
    )*};
}

as_they_are! { String Py<PyAny> bool f64 i64 u32 usize }

/// A path on this machine. Paths that begin with `~` are in the home folder, as in a shell.
#[derive(Clone, IntoPyObject)]
pub struct LocalPath(pub PathBuf);

impl<'py> FromPyObject<'_, 'py> for LocalPath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let path: PathBuf = object.extract()?;
        if !path.as_os_str().as_encoded_bytes().starts_with(b"~") {
            return Ok(LocalPath(path));
        }
        let expanded = object.py().import("os.path")?.call_method1("expanduser", (path,))?;
        expanded.extract().map(LocalPath)
    }
}

impl Taken for PathBuf {
    type Given = LocalPath;

    fn from_given(LocalPath(path): LocalPath) -> Self {
        path
    }
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl Argument for $name {
            fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                // The service writes the id of a new diagram as text.
                if let Ok(text) = object.cast::<PyString>() {
                    let id = text.to_cow()?.trim().parse();
                    return id.map($name).map_err(|_| input_error(format!("{text:?} is not an id; ids are integers")));
                }
                object.extract().map($name)
            }
        }
    )*};
}

integers! { DiagramId EntryId LayerId SystemId TeamId }

macro_rules! texts {
    ($($name:ident)*) => {$(
        impl Argument for $name {
            fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                let text: String = object.extract()?;
                text.parse::<$name>().map_err(Exception::into_exception)
            }
        }
    )*};
}

texts! { ProjectId DesignId SecretId Uuid }

/// A comment: its dict or its id.
pub struct CommentReference(pub Uuid);

impl Argument for CommentReference {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let id = match object.cast::<PyDict>() {
            Ok(comment) => comment.as_any().get_item("id")?,
            Err(_) => object.to_owned(),
        };
        Uuid::from_object(id.as_borrowed()).map(Self)
    }
}

/// Diagram groups: a dict from name to diagrams.
pub struct Groups(Vec<(String, DiagramIds)>);

impl Groups {
    pub async fn find(self, project: &Project) -> Result<Vec<DiagramGroup>> {
        let mut groups = Vec::with_capacity(self.0.len());
        for (group_name, diagrams) in self.0 {
            groups.push(DiagramGroup { group_name, diagrams: diagrams.find(project).await? });
        }
        Ok(groups)
    }
}

impl Argument for Groups {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let group = |(name, diagrams): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((name.extract()?, DiagramIds::from_object(diagrams.as_borrowed())?))
        };
        let groups =
            object.cast::<PyDict>().map_err(|_| PyTypeError::new_err("groups must be a dict from name to diagrams"))?;
        groups.iter().map(group).collect::<PyResult<_>>().map(Groups)
    }
}

/// Diagrams from anything that can be iterated: a list, a set, a column of a data frame.
pub struct DiagramIds(Vec<DiagramReference>);

impl DiagramIds {
    pub async fn find(self, project: &Project) -> Result<Vec<DiagramId>> {
        Ok(project.find_diagrams(&self.0).await?)
    }
}

/// The ids of diagrams; empty if none are given.
pub async fn ids(given: Option<DiagramIds>, project: &Project) -> Result<Vec<DiagramId>> {
    match given {
        Some(diagrams) => diagrams.find(project).await,
        None => Ok(Vec::new()),
    }
}

impl Argument for DiagramIds {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.hasattr("columns")? {
            let problem = "diagrams must be a list of diagrams or ids, not a table: give its column, such as frame[\"diagramid\"]";
            return Err(input_error(problem));
        }
        let is_one = object.is_instance_of::<PyString>() || object.is_instance_of::<PyMapping>();
        let Some(items) = object.try_iter().ok().filter(|_| !is_one) else {
            return Err(input_error(format!("diagrams must be a list of diagrams or ids, not {}", given(&object))));
        };
        items.map(|item| DiagramReference::from_object(item?.as_borrowed())).collect::<PyResult<_>>().map(DiagramIds)
    }
}

/// The requested fields of diagrams.
#[derive(Clone, Copy)]
pub enum DiagramFields {
    All,
    Details,
    Summary,
}

/// The action for a row whose diagram the system already has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    Warn,
    Skip,
}

/// The action for rows that cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    Raise,
    Skip,
}

/// A type whose values have names in Python.
pub trait Choice: Sized {
    fn known(name: &str) -> Option<Self>;

    /// The error for any other name, which is in quotes, or for an invalid value.
    fn problem(given: &str) -> String;
}

/// The value of that name; the error lists all names.
pub fn choice<C: Choice>(name: &str) -> PyResult<C> {
    C::known(name).ok_or_else(|| input_error(C::problem(&format!("{name:?}"))))
}

macro_rules! choices {
    ($($choice:ident: $known:expr, |$name:ident| $problem:expr;)*) => {$(
        impl Choice for $choice {
            fn known(name: &str) -> Option<Self> {
                $known(name)
            }

            fn problem($name: &str) -> String {
                $problem
            }
        }

        impl Argument for $choice {
            fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                match object.cast::<PyString>() {
                    Ok(name) => choice(&name.to_cow()?),
                    Err(_) => Err(input_error($choice::problem(&kind(&object)))),
                }
            }
        }
    )*};
}

choices! {
    DiagramKind: DiagramKind::from_name, |name| format!("kind {name} is neither \"project\" nor \"policy\"");
    FundingType: FundingType::from_name, |name| format!("funding {name} is not {}", FundingType::NAMES);
    FeatureType: FeatureType::from_name, |name| format!("feature_type {name} is not {}", FeatureType::NAMES);
    CostType: CostType::from_name, |name| format!("cost_type {name} is not {}", CostType::NAMES);
    ServerType: ServerType::from_name, |name| format!("server_type {name} is not one of {}", ServerType::ALL.join(", "));
    LayerType: LayerType::from_name, |name| format!("layer_type {name} is not one of {}", LayerType::ALL.join(", "));
    Duplicates: duplicates, |name| format!("duplicates must be \"warn\" or \"skip\", not {name}");
    OnError: on_error, |name| format!("on_error must be \"raise\" or \"skip\", not {name}");
    Outside: outside, |name| format!("outside must be \"refuse\" or \"allow\", not {name}");
    Preference: preference, |name| format!("prefer must be \"here\" or \"archive\", not {name}");
    DiagramFields: diagram_fields, |name| format!("fields must be \"all\", \"details\" or \"summary\", not {name}");
    Paging: paging, |name| format!("paging must be \"plain\", \"enveloped\" or \"on-request\", not {name}");
    CountedLand: CountedLand::from_name, |name| format!("land must be \"all\" or \"inside\", not {name}");
    Units: Units::from_name, |name| format!("units must be \"metric\" (hectares, kilometres) or \"us\" (acres, miles), not {name}");
}

fn duplicates(name: &str) -> Option<Duplicates> {
    match name {
        "warn" => Some(Duplicates::Warn),
        "skip" => Some(Duplicates::Skip),
        _ => None,
    }
}

fn on_error(name: &str) -> Option<OnError> {
    match name {
        "raise" => Some(OnError::Raise),
        "skip" => Some(OnError::Skip),
        _ => None,
    }
}

fn outside(name: &str) -> Option<Outside> {
    match name {
        "refuse" => Some(Outside::Refuse),
        "allow" => Some(Outside::Allow),
        _ => None,
    }
}

fn diagram_fields(name: &str) -> Option<DiagramFields> {
    match name {
        "all" => Some(DiagramFields::All),
        "details" => Some(DiagramFields::Details),
        "summary" => Some(DiagramFields::Summary),
        _ => None,
    }
}

fn preference(name: &str) -> Option<Preference> {
    Preference::ALL.into_iter().find(|preference| preference.name() == name)
}

fn paging(name: &str) -> Option<Paging> {
    match name {
        "plain" => Some(Paging::Plain),
        "enveloped" => Some(Paging::Enveloped),
        "on-request" | "off" => Some(Paging::OnRequest),
        _ => None,
    }
}

impl Argument for UtcMillis {
    /// Accepts a datetime, a date (its midnight), or a string of either. Without a time zone they are in UTC, like the service's own.
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        moment_from_text(&iso_text(&object)?)
    }
}

/// The text of a datetime or a date, or the string itself.
fn iso_text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    match object.cast::<PyString>() {
        Ok(text) => Ok(text.to_string()),
        // Other values with this method, such as times of day, are not written as dates.
        Err(_) => object
            .call_method0("isoformat")
            .and_then(|text| text.extract())
            .map_err(|_| input_error(format!("{object} is not a datetime, a date or the text of one"))),
    }
}

/// A time in UTC, the start of a request's period.
pub struct Since(pub civil::DateTime);

impl Argument for Since {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = iso_text(&object)?;
        utc_date_time(&text).map(Since).ok_or_else(|| no_moment(&text))
    }
}

fn no_moment(text: &str) -> PyErr {
    input_error(format!("{text:?} is neither a date nor a date-time; write 2030-05-01 or 2030-05-01T12:30:00"))
}

/// A moment from the text of a date or a date-time.
pub fn moment_from_text(text: &str) -> PyResult<UtcMillis> {
    // A string in the service's own form is refused with the service's reason.
    let has_its_form = [24, 27].contains(&text.len()) && text.ends_with('Z');
    match text.parse::<UtcMillis>() {
        Ok(moment) => Ok(moment),
        Err(problem) if has_its_form => Err(input_error(problem.to_string())),
        Err(_) => match moment(text) {
            Some(moment) => UtcMillis::new(moment).map_err(|problem| input_error(problem.to_string())),
            None => Err(no_moment(text)),
        },
    }
}

/// A moment from a cell of a table, which may be a year, a month or an interval.
pub fn moment_of_cell(text: &str, day_of: DayOf) -> PyResult<UtcMillis> {
    match moment_in_table(text, day_of) {
        Some(moment) => UtcMillis::new(moment).map_err(|problem| input_error(problem.to_string())),
        None => moment_from_text(text),
    }
}

/// A timedelta, or seconds.
pub struct Lifetime(pub jiff::Span);

impl Argument for Lifetime {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let seconds: f64 = if object.hasattr("total_seconds")? {
            object.call_method0("total_seconds")?.extract()?
        } else {
            object.extract()?
        };
        if seconds.is_nan() {
            return Err(input_error("lifetime: nan is not a time"));
        }
        let span = jiff::Span::new().try_milliseconds((seconds * 1000.0) as i64);
        span.map(Lifetime).map_err(|problem| input_error(format!("lifetime: {problem}")))
    }
}

/// West, south, east, north in degrees, as four numbers or a string.
impl Argument for Bounds {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("bounds: {problem}")));
        }
        let form = "bounds must be west, south, east, north in degrees, such as (-9.3, 38.6, -9.0, 38.9)";
        let [west, south, east, north] = numbers(&object, form)?;
        Ok(Bounds { west, south, east, north })
    }
}

/// Longitude and latitude in degrees, as two numbers or a string.
impl Argument for Center {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("center: {problem}")));
        }
        let [longitude, latitude] =
            numbers(&object, "center must be a longitude and a latitude in degrees, such as (-9.1, 38.7)")?;
        Ok(Center { longitude, latitude })
    }
}

/// `N` numbers from anything that can be iterated, except a dict, which would give its keys.
fn numbers<const N: usize>(object: &Bound<'_, PyAny>, form: &str) -> PyResult<[f64; N]> {
    let items = object.try_iter().ok().filter(|_| !object.is_instance_of::<PyDict>());
    let numbers: Option<Vec<f64>> =
        items.and_then(|items| items.take(N + 1).map(|item| item.ok()?.extract().ok()).collect());
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| input_error(format!("{form}, not {}", given(object))))
}

/// The part of a member's selection to request. The service divides it by kind only within a system.
pub fn selection_kind(system: Option<SystemId>, kind: Option<DiagramKind>) -> PyResult<SelectionKind> {
    match (system, kind) {
        (Some(system), kind) => Ok(SelectionKind::InSystem(system, kind)),
        (None, None) => Ok(SelectionKind::Everywhere),
        (None, Some(_)) => Err(input_error("kind= needs a system: give system= too")),
    }
}

/// The requested design: among all designs, or among those of a team; the team's latest one if only the team is given.
pub fn given_design(team: Option<TeamReference>, design: Option<GivenDesign>) -> Option<GivenDesign> {
    match (team, design) {
        (None, design) => design,
        (team, None) => Some(GivenDesign { team, design: None }),
        (team, Some(GivenDesign { design, .. })) => Some(GivenDesign { team, design }),
    }
}

/// The diagrams to price: at most one way of choosing.
pub async fn cost_selection(
    project: &Project,
    member: Option<Username>,
    design: Option<GivenDesign>,
    diagrams: Option<DiagramIds>,
) -> Result<CostSelection> {
    match (member, design, diagrams) {
        (None, None, None) => Ok(CostSelection::All),
        (Some(member), None, None) => Ok(CostSelection::Member(member)),
        (None, Some(design), None) => {
            let (team, design) = project.find_design(&design).await?;
            Ok(CostSelection::Design(team, design))
        }
        (None, None, Some(diagrams)) => Ok(CostSelection::Diagrams(diagrams.find(project).await?)),
        _ => Err(input_error("give one of member=, design= (with or without team=), or diagrams=, not several").into()),
    }
}

/// A dict that is sent as free-form JSON.
pub struct Metadata(pub JsonObject);

impl Argument for Metadata {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        dict_for("additional_metadata", r#"{"phase": 2}"#, object).map(Metadata)
    }
}

/// A dict with storeys, and any other fields.
pub struct BuildingData(pub JsonObject);

impl Argument for BuildingData {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        dict_for("building_data", r#"{"storeys_above_ground": 5}"#, object).map(BuildingData)
    }
}

fn dict_for(name: &str, example: &str, object: Borrowed<'_, '_, PyAny>) -> PyResult<JsonObject> {
    if !object.is_instance_of::<PyMapping>() {
        return Err(input_error(format!("{name} must be a dict, such as {example}, not {}", given(&object))));
    }
    from_python(&object, name)
}

/// Tags to create: dicts with `tag` and `code`, or names alone.
pub struct NewTags(pub Vec<NewTag>);

impl Argument for NewTags {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let form = "a list of dicts with tag and code, or of names, such as [{\"tag\": \"Coast\", \"code\": \"CO\"}]";
        let tag = |(index, item): (usize, Bound<'_, PyAny>)| {
            let name = format!("tags[{index}]");
            match item.cast::<PyString>() {
                Ok(text) => Ok(NewTag { tag: text.extract()?, code: String::new() }),
                Err(_) => from_python(check_dict(&item, &name, form)?, &name),
            }
        };
        items(&object, "tags", form)?.into_iter().enumerate().map(tag).collect::<PyResult<_>>().map(NewTags)
    }
}

/// People to add: dicts with `username`, and optionally `team` and `administrator`, or names alone.
pub struct NewPeople(pub Vec<NewMember>);

impl Argument for NewPeople {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let form = "a list of names, or of dicts with username, and optionally team and administrator, such as \
                    [{\"username\": \"ana\", \"team\": \"Residents\"}]";
        let person = |(index, item): (usize, Bound<'_, PyAny>)| {
            let name = format!("members[{index}]");
            match item.cast::<PyString>() {
                Ok(_) => Ok(NewMember { username: from_python(&item, &name)?, team: None, administrator: false }),
                Err(_) => from_python(check_dict(&item, &name, form)?, &name),
            }
        };
        items(&object, "members", form)?.into_iter().enumerate().map(person).collect::<PyResult<_>>().map(NewPeople)
    }
}

/// Systems to create: dicts with `name`, `color`, and optionally `tag`, `description` and `cost`.
pub struct NewSystems(pub Vec<NewSystem>);

impl Argument for NewSystems {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let form = "a list of dicts with name and color, such as [{\"name\": \"Water\", \"color\": \"#2B7BBA\"}]; tag, \
                    description and cost may be added";
        let system = |(index, item): (usize, Bound<'_, PyAny>)| {
            let name = format!("systems[{index}]");
            let mut fields: JsonObject = from_python(check_dict(&item, &name, form)?, &name)?;
            const KNOWN: [&str; 7] = ["name", "color", "tag", "description", "display", "verbose_description", "cost"];
            if let Some(unknown) = fields.keys().find(|field| !KNOWN.contains(&field.as_str())) {
                return Err(input_error(format!(
                    "{name}: there is no field {unknown:?}; a system has {}",
                    KNOWN.join(", ")
                )));
            }
            if let Some(description) = fields.shift_remove("description") {
                fields.insert("verbose_description".into(), description);
            }
            let system = serde_path_to_error::deserialize(Value::Object(fields.0));
            let mut system: NewSystem = system.map_err(|error| {
                let problem = in_words_of_python(&error.inner().to_string());
                let field = error.path().to_string();
                input_error(match field.as_str() {
                    "." => format!("{name}: {problem}; systems must be {form}"),
                    _ => format!("{name}: {field}: {problem}"),
                })
            })?;
            // The service reads the description under one name and writes it under the other, so both are sent.
            let description = system.description().to_owned();
            (system.display, system.verbose_description) = (description.clone(), description);
            Ok(system)
        };
        items(&object, "systems", form)?.into_iter().enumerate().map(system).collect::<PyResult<_>>().map(NewSystems)
    }
}

/// The items of a list; a single string or dict is not a list.
fn items<'py>(object: &Bound<'py, PyAny>, name: &str, form: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_one = object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>();
    let items = object.try_iter().ok().filter(|_| !is_one);
    items.ok_or_else(|| input_error(format!("{name} cannot be {}; give {form}", kind(object))))?.collect()
}

fn check_dict<'o, 'py>(item: &'o Bound<'py, PyAny>, name: &str, form: &str) -> PyResult<&'o Bound<'py, PyAny>> {
    let things = name.split('[').next().unwrap_or(name);
    if item.is_instance_of::<PyDict>() {
        return Ok(item);
    }
    Err(input_error(format!("{name} is {}, not a dict; {things} must be {form}", given(item))))
}
