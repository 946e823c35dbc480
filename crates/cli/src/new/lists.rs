//! The lists for the start of an evening: its systems and its participants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::csv_table::{CsvTable, Row};
use crate::error::{CommandError, Result};
use crate::output::note;
use geodesign::model::{Username, folded, is_color};
use geodesign_service::MAX_SYSTEMS;

/// A system in a setup file.
#[derive(Debug, Clone, Serialize)]
pub struct System {
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tag: String,
    color: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_ha: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_ha: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<EvaluationFile>,
}

/// The file of an evaluation map, and its column with the classes.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluationFile {
    pub file: PathBuf,
    pub column: String,
}

/// The systems of the International Geodesign Collaboration, by name, tag and colour: the nine whose innovations it describes, and
/// mixed use (https://www.igc-geodesign.org/faqs). The collaboration asks for at most ten, with the colours of a picture on
/// https://www.igc-geodesign.org/projects. Their values are not published as text: these are hues that planners commonly use. Compare
/// them with the picture before you exhibit anything.
const IGC: [(&str, &str, &str); 10] = [
    ("Water infrastructure", "WAT", "#2F7FC1"),
    ("Agriculture", "AGR", "#C9B458"),
    ("Green infrastructure", "GRN", "#3F9B4B"),
    ("Energy infrastructure", "ENE", "#F28E2B"),
    ("Transport infrastructure", "TRA", "#7A7A7A"),
    ("Industry and commerce", "IND", "#8E5EA2"),
    ("Institutional", "INS", "#4FB3A9"),
    ("Low density housing", "LDH", "#F2D64B"),
    ("High density housing", "HDH", "#D9483B"),
    ("Mixed use", "MIX", "#C77CB0"),
];

const SYSTEM_COLUMNS: [&str; 8] = ["name", "tag", "color", "description", "cost", "budget", "current_ha", "target_ha"];

/// Reads the systems of a preset (`igc`) or of a CSV file.
pub fn systems(given: &str) -> Result<Vec<System>> {
    if given.eq_ignore_ascii_case("igc") {
        return Ok(IGC.iter().map(|(name, tag, color)| System::new(name, tag, color)).collect());
    }
    let path = Path::new(given);
    let table = CsvTable::read(path, &["name", "color"])?;
    if let [unknown, ..] = table.columns_beside(&SYSTEM_COLUMNS)[..] {
        let known = SYSTEM_COLUMNS.join(", ");
        return Err(table.wrong_line(1, format_args!("the column {unknown:?} is unknown; the columns are {known}")));
    }
    let mut systems: Vec<System> = Vec::new();
    for row in table.rows() {
        let system = system(row)?;
        if systems.iter().any(|other| folded(&other.name) == folded(&system.name)) {
            return Err(row.wrong("name", format_args!("another system has the name {:?}; rename one", system.name)));
        }
        if systems.len() == MAX_SYSTEMS {
            return Err(row.wrong("name", format_args!("a project has at most {MAX_SYSTEMS} systems")));
        }
        systems.push(system);
    }
    if systems.is_empty() {
        return Err(table.wrong_line(2, "there is no system"));
    }
    Ok(systems)
}

fn system(row: Row) -> Result<System> {
    let name = row.text("name").ok_or_else(|| row.wrong("name", "it is empty; give the system a name"))?;
    let color = row.text("color").unwrap_or_default();
    if !is_color(color) {
        return Err(row.wrong("color", format_args!("{color:?} is not of the form #RRGGBB")));
    }
    Ok(System {
        description: row.text("description").unwrap_or_default().to_owned(),
        cost: row.number("cost")?,
        budget: row.number("budget")?,
        current_ha: row.number("current_ha")?,
        target_ha: row.number("target_ha")?,
        ..System::new(name, row.text("tag").unwrap_or_default(), color)
    })
}

impl System {
    fn new(name: &str, tag: &str, color: &str) -> Self {
        System {
            name: name.to_owned(),
            tag: tag.to_owned(),
            color: color.to_owned(),
            description: String::new(),
            cost: None,
            budget: None,
            current_ha: None,
            target_ha: None,
            evaluation: None,
        }
    }
}

/// Finds a system by its name or tag, in upper or lower case.
pub fn system_named<'s>(systems: &'s mut [System], given: &str) -> Result<&'s mut System> {
    let known = systems.iter().map(|system| system.name.as_str()).collect::<Vec<_>>().join(", ");
    let wanted = folded(given);
    let found = systems
        .iter_mut()
        .find(|system| [&system.name, &system.tag].iter().any(|name| !name.is_empty() && folded(name) == wanted));
    found.ok_or_else(|| CommandError::Input(format!("there is no system {given:?}; the systems are {known}")))
}

/// Maximum people in a list: each is compared with the others of the same team.
const MAX_PARTICIPANTS: usize = 5_000;

/// The members and teams of an evening.
#[derive(Debug, Default)]
pub struct Participants {
    pub members: Vec<Username>,
    pub administrators: Vec<Username>,
    pub teams: Vec<Team>,
}

/// A change team in a setup file.
#[derive(Debug, Clone, Serialize)]
pub struct Team {
    pub title: String,
    pub members: Vec<Username>,
}

impl Participants {
    /// Reads a CSV file with the column `name`, and optionally `team` and `administrator`.
    pub fn read(path: &Path) -> Result<Self> {
        let table = CsvTable::read(path, &["name"])?;
        let unused = table.columns_beside(&["name", "team", "administrator"]);
        if !unused.is_empty() {
            note(&format!("Unused columns in {}: {}", path.display(), unused.join(", ")));
        }
        let mut participants = Participants::default();
        let mut lines: BTreeMap<Username, usize> = BTreeMap::new();
        for row in table.rows() {
            let name = row.text("name").ok_or_else(|| row.wrong("name", "it is empty"))?;
            let name: Username = name.parse().map_err(|error| row.wrong("name", error))?;
            if let Some(line) = lines.insert(name.clone(), row.line()) {
                return Err(row.wrong("name", format_args!("{name} is in line {line} already")));
            }
            if lines.len() > MAX_PARTICIPANTS {
                return Err(row.wrong("name", format_args!("a list has at most {MAX_PARTICIPANTS} people")));
            }
            match row.text("administrator").map(str::to_lowercase).as_deref() {
                None | Some("no" | "false" | "0") => participants.members.push(name.clone()),
                Some("yes" | "true" | "1" | "x") => participants.administrators.push(name.clone()),
                Some(other) => return Err(row.wrong("administrator", format_args!("{other:?} is neither yes nor no"))),
            }
            if let Some(team) = row.text("team") {
                participants.join(team, name);
            }
        }
        if lines.is_empty() {
            return Err(table.wrong_line(2, "the list has no people"));
        }
        Ok(participants)
    }

    /// Makes a user a member, unless already a participant.
    pub fn add(&mut self, name: &Username) {
        if !self.members.contains(name) && !self.administrators.contains(name) {
            self.members.push(name.clone());
        }
    }

    pub fn add_administrator(&mut self, name: &Username) {
        self.members.retain(|member| member != name);
        if !self.administrators.contains(name) {
            self.administrators.push(name.clone());
        }
    }

    /// Puts a user into a team, which is added if needed.
    pub fn join(&mut self, title: &str, name: Username) {
        let members = self.team(title);
        if !members.contains(&name) {
            members.push(name);
        }
    }

    /// Returns the members of a team, which is added if needed.
    pub fn team(&mut self, title: &str) -> &mut Vec<Username> {
        let index = self.teams.iter().position(|team| team.title == title).unwrap_or_else(|| {
            self.teams.push(Team { title: title.to_owned(), members: Vec::new() });
            self.teams.len() - 1
        });
        &mut self.teams[index].members
    }
}
