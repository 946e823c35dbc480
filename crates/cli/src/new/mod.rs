//! `pygeodesign new`: writes an evening's setup file, from options or from answers at the terminal.

mod csv_table;
mod lists;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use serde::Serialize;

use self::lists::{EvaluationFile, Participants, System, Team, system_named, systems};
use super::context::Context;
use super::error::{CommandError, Result};
use super::host::HostError;
use super::members::TeamMembers;
use super::output::{error, note};
use super::serve::parse_setup;
use geodesign::model::Username;
use geodesign_common::whole_files::{Readers, draft_of};
use geodesign_service::{MapFileError, Store, read_evaluation_file, read_map_file};

/// Write a workshop's setup file, for `pygeodesign serve --setup`.
///
/// If the title, the area, the systems or the administrators are not given, everything without an option is asked for at the terminal.
/// The file is checked as `serve` will read it before it is written, and an existing file is not replaced. At the end, the command that
/// serves the workshop is printed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign new workshop.json
  pygeodesign new workshop.json --title \"Lisbon 2040\" --area study_area.gpkg --systems igc --members members.csv \\
    --administrator facilitator --evaluation WAT=water.gpkg:class
  pygeodesign new workshop.json --title Lisbon --area area.geojson --systems systems.csv --administrator ana --team Youth=ben,cleo")]
pub struct New {
    /// The setup file to write.
    file: PathBuf,
    /// The title of the project.
    #[arg(long)]
    title: Option<String>,
    /// A short description of the project.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The study area: a file with polygons, in any format and CRS that can be uploaded.
    #[arg(long, value_name = "FILE")]
    area: Option<PathBuf>,
    /// `igc` for the ten systems of the International Geodesign Collaboration, or a CSV file with the columns name, color (#RRGGBB),
    /// and optionally tag, description, cost, budget, current_ha, target_ha.
    #[arg(long, value_name = "igc|FILE")]
    systems: Option<String>,
    /// A CSV file with the column name, and optionally team and administrator (yes or no).
    #[arg(long, value_name = "FILE")]
    members: Option<PathBuf>,
    /// A member. May be repeated.
    #[arg(long, value_name = "NAME")]
    member: Vec<Username>,
    /// An administrator, who runs the workshop. May be repeated.
    #[arg(long, value_name = "NAME")]
    administrator: Vec<Username>,
    /// A change team with its members, who become members of the project. May be repeated.
    #[arg(long, value_name = "TITLE=NAME,…")]
    team: Vec<TeamMembers>,
    /// The evaluation map of a system, by its name or tag: a file with polygons, and its column with the classes (red, yellow, green,
    /// green2, green3, or 1 to 5). May be repeated.
    #[arg(long, value_name = "SYSTEM=FILE:COLUMN")]
    evaluation: Vec<EvaluationOption>,
}

/// `SYSTEM=FILE:COLUMN`
#[derive(Clone)]
struct EvaluationOption {
    system: String,
    file: PathBuf,
    column: String,
}

impl FromStr for EvaluationOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('=').and_then(|(system, map)| Some((system, map.rsplit_once(':')?)));
        match parts {
            Some((system, (file, column))) if ![system, file, column].iter().any(|part| part.trim().is_empty()) => {
                Ok(EvaluationOption {
                    system: system.trim().to_owned(),
                    file: file.trim().into(),
                    column: column.trim().to_owned(),
                })
            }
            _ => Err("write SYSTEM=FILE:COLUMN, such as WAT=water.gpkg:class"),
        }
    }
}

/// A setup file with one project.
#[derive(Serialize)]
struct SetupFile<'a> {
    new_projects: [ProjectEntry<'a>; 1],
}

#[derive(Serialize)]
struct ProjectEntry<'a> {
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    boundaries: AreaEntry,
    systems: &'a [System],
    administrators: &'a [Username],
    members: &'a [Username],
    teams: &'a [Team],
}

#[derive(Serialize)]
struct AreaEntry {
    file: PathBuf,
}

impl New {
    pub fn run(&self, context: &Context) -> Result<()> {
        if self.file.symlink_metadata().is_ok() {
            return Err(self.exists());
        }
        let missing = self.missing_options();
        let at_terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
        let dialogue = (at_terminal && !missing.is_empty()).then_some(Dialogue { context });
        if dialogue.is_none() && !missing.is_empty() {
            return Err(CommandError::Input(format!("there is no terminal to ask at; give {}", missing.join(", "))));
        }
        let title = self.title(dialogue.as_ref())?;
        let area = self.area(context, dialogue.as_ref())?;
        let mut systems = self.systems(dialogue.as_ref())?;
        self.evaluate(context, dialogue.as_ref(), &mut systems)?;
        let participants = self.participants(dialogue.as_ref())?;
        let setup = SetupFile {
            new_projects: [ProjectEntry {
                title: &title,
                description: self.description.as_deref().unwrap_or_default().trim(),
                boundaries: AreaEntry { file: area },
                systems: &systems,
                administrators: &participants.administrators,
                members: &participants.members,
                teams: &participants.teams,
            }],
        };
        let text =
            serde_json::to_string_pretty(&setup).map_err(|error| CommandError::Failed(error.to_string()))? + "\n";
        // Read and applied as by `serve`.
        let _ = parse_setup(&text, &self.file, context.host)?.apply(&Store::open(None)?)?;
        self.write(&text)?;
        let count = participants.administrators.len() + participants.members.len();
        let (file, systems, teams) = (self.file.display(), systems.len(), participants.teams.len());
        context.print(&(self.serve_command() + "\n"))?;
        note(&format!("Wrote {file}: {systems} systems, {count} people, {teams} teams. The command above serves it"));
        Ok(())
    }

    /// The missing options that make the command ask at the terminal.
    fn missing_options(&self) -> Vec<&'static str> {
        let given = [
            ("--title TITLE", self.title.is_some()),
            ("--area FILE", self.area.is_some()),
            ("--systems igc|FILE", self.systems.is_some()),
            ("--administrator NAME or --members FILE", !self.administrator.is_empty() || self.members.is_some()),
        ];
        given.into_iter().filter(|(_, given)| !given).map(|(option, _)| option).collect()
    }

    fn title(&self, dialogue: Option<&Dialogue>) -> Result<String> {
        let checked = |title: &str| match title.trim() {
            "" => Err(CommandError::Input("the title is empty; give the project one".into())),
            title => Ok(title.to_owned()),
        };
        answer(self.title.as_deref(), dialogue, "Title of the project: ", checked)
    }

    /// Returns the file of the study area, as written in the setup file.
    fn area(&self, context: &Context, dialogue: Option<&Dialogue>) -> Result<PathBuf> {
        let checked = |given: &str| {
            let path = Path::new(given);
            let map = read_map_file(path, &map_reader(context)).map_err(map_problem)?;
            map.check_areas().map_err(|error| CommandError::Input(format!("{given}: {error}")))?;
            if map.features.is_empty() {
                return Err(CommandError::Input(format!(
                    "{given} has no polygons; give a file with the polygons of the study area"
                )));
            }
            Ok(self.in_setup_file(path))
        };
        let given = self.area.as_ref().map(|path| path.to_string_lossy());
        answer(given.as_deref(), dialogue, "Study area (a file with polygons): ", checked)
    }

    fn systems(&self, dialogue: Option<&Dialogue>) -> Result<Vec<System>> {
        let prompt = "Systems (igc, or a CSV file with name and color) [igc]: ";
        let checked = |given: &str| systems(if given.is_empty() { "igc" } else { given });
        answer(self.systems.as_deref(), dialogue, prompt, checked)
    }

    fn evaluate(&self, context: &Context, dialogue: Option<&Dialogue>, systems: &mut [System]) -> Result<()> {
        let add = |systems: &mut [System], EvaluationOption { system, file, column }: &EvaluationOption| {
            let system = system_named(systems, system)?;
            read_evaluation_file(file, column, &map_reader(context)).map_err(map_problem)?;
            system.evaluation = Some(EvaluationFile { file: self.in_setup_file(file), column: column.clone() });
            Ok(())
        };
        self.evaluation.iter().try_for_each(|option| add(systems, option))?;
        let Some(dialogue) = dialogue.filter(|_| self.evaluation.is_empty()) else { return Ok(()) };
        dialogue.each("Evaluation map (SYSTEM=FILE:COLUMN; Enter to go on): ", |given| {
            add(systems, &given.parse().map_err(|error: &str| CommandError::Input(error.into()))?)
        })
    }

    fn participants(&self, dialogue: Option<&Dialogue>) -> Result<Participants> {
        let mut participants = self.members.as_deref().map(Participants::read).transpose()?.unwrap_or_default();
        self.member.iter().for_each(|name| participants.add(name));
        self.administrator.iter().for_each(|name| participants.add_administrator(name));
        self.team.iter().for_each(|team| add_team(&mut participants, team));
        let Some(dialogue) = dialogue else {
            if participants.administrators.is_empty() {
                return Err(CommandError::Input(
                    "the project has no administrator: give --administrator NAME, or a column administrator in the CSV file \
                     of --members"
                        .into(),
                ));
            }
            return Ok(participants);
        };
        if participants.members.is_empty() && participants.administrators.is_empty() {
            participants =
                dialogue.ask("Members (a CSV file with name and maybe team, or names with commas): ", members)?;
        }
        if participants.administrators.is_empty() {
            let names = dialogue.ask("Who runs the workshop (names with commas) [facilitator]: ", |given| {
                usernames(if given.is_empty() { "facilitator" } else { given })
            })?;
            names.iter().for_each(|name| participants.add_administrator(name));
        }
        if participants.teams.is_empty() {
            dialogue.each("Team (TITLE=NAME,NAME; Enter to go on): ", |given| {
                add_team(&mut participants, &given.parse().map_err(CommandError::Input)?);
                Ok(())
            })?;
        }
        Ok(participants)
    }

    /// Returns a file's path for the setup file: relative if the file is below the setup file's folder, so that both can be moved together.
    fn in_setup_file(&self, path: &Path) -> PathBuf {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path = absolute(path);
        let folder = absolute(&self.file).parent().map(Path::to_owned).unwrap_or_default();
        path.strip_prefix(&folder).map(Path::to_owned).unwrap_or(path)
    }

    fn write(&self, text: &str) -> Result<()> {
        let failed = |error| CommandError::File(format!("{} cannot be written", self.file.display()), error);
        let mut draft = draft_of(&self.file, Readers::Usual).map_err(failed)?;
        draft.write_all(text.as_bytes()).map_err(failed)?;
        draft.persist_noclobber(&self.file).map(drop).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => self.exists(),
            _ => failed(error.error),
        })
    }

    fn exists(&self) -> CommandError {
        CommandError::Input(format!("{} exists; give a new name, or remove it", self.file.display()))
    }

    /// The next command to run.
    fn serve_command(&self) -> String {
        let (setup, database) = (quoted(&self.file), quoted(&self.file.with_extension("sqlite")));
        format!("pygeodesign serve --db {database} --project none --setup {setup} --host 0.0.0.0 --tls-self-signed")
    }
}

/// A person at a terminal.
struct Dialogue<'c> {
    context: &'c Context<'c>,
}

impl Dialogue<'_> {
    /// Asks until there is a valid answer.
    fn ask<T>(&self, prompt: &str, checked: impl Fn(&str) -> Result<T>) -> Result<T> {
        loop {
            match checked(self.context.host.ask(prompt)?.trim()) {
                Err(problem) if problem.message().is_some() => error(&problem.to_string()),
                answer => return answer,
            }
        }
    }

    /// Asks for one item after another, until an answer is empty.
    fn each(&self, prompt: &str, mut add: impl FnMut(&str) -> Result<()>) -> Result<()> {
        loop {
            match self.context.host.ask(prompt)?.trim() {
                "" => return Ok(()),
                given => match add(given) {
                    Err(problem) if problem.message().is_some() => error(&problem.to_string()),
                    added => added?,
                },
            }
        }
    }
}

/// Returns an option's value or, without it, the answer from the terminal.
fn answer<T>(
    given: Option<&str>,
    dialogue: Option<&Dialogue>,
    prompt: &str,
    checked: impl Fn(&str) -> Result<T>,
) -> Result<T> {
    match (given, dialogue) {
        (None, Some(dialogue)) => dialogue.ask(prompt, checked),
        (given, _) => checked(given.unwrap_or_default()),
    }
}

/// Reads members from typed names, or from a file.
fn members(given: &str) -> Result<Participants> {
    if Path::new(given).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) {
        return Participants::read(Path::new(given));
    }
    Ok(Participants { members: usernames(given)?, ..Participants::default() })
}

fn usernames(given: &str) -> Result<Vec<Username>> {
    let names = given.split(',').map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<Username> = names.map(str::parse).collect::<Result<_, _>>()?;
    if names.is_empty() { Err(CommandError::Input("give at least one name".into())) } else { Ok(names) }
}

fn add_team(participants: &mut Participants, TeamMembers { title, members }: &TeamMembers) {
    participants.team(title);
    for name in members {
        participants.add(name);
        participants.join(title, name.clone());
    }
}

/// Reads files in formats other than GeoJSON in degrees.
fn map_reader<'c>(context: &'c Context) -> impl Fn(&Path) -> Result<String, String> + use<'c> {
    |path| context.host.read_features(path).map_err(|error: HostError| error.to_string())
}

fn map_problem(error: MapFileError) -> CommandError {
    CommandError::Input(error.to_string())
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |character: char| character.is_alphanumeric() || "._-/".contains(character);
    if path.chars().all(is_plain) {
        path
    } else if cfg!(windows) {
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
