//! The command line of pygeodesign. The [`Host`] provides everything that needs Python, or handles signals.

mod archive;
mod ask;
mod basemap;
mod call;
mod card_texts;
mod cards;
mod connect;
mod context;
mod costs;
mod databases;
mod error;
mod found;
mod history;
mod host;
mod members;
mod new;
mod output;
mod pages;
mod projects;
mod serve;
mod tokens;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use archive::{Archive, ArchiveAll, Merge, Open, Sync};
use ask::Ask;
use basemap::Basemap;
use call::Call;
use connect::{LogIn, LogOut};
use context::Context;
use costs::Costs;
use databases::{Backup, ImportProject, Workshops};
use error::{CommandError, Result, WRONG_INPUT};
use geodesign::named::AtCommandLine;
use history::History;
use members::{Members, Teams, Users};
use new::New;
use pages::{Compare, Gallery, Map, Record, Report};
use projects::{Designs, Diagrams, Projects, Systems, Thumbnails, Upload, Watch};
use serve::Serve;
use tokens::Tokens;

pub use host::{
    Answer, AnswerColumn, ArchivedAll, AskedQuestion, ChosenDesigns, ComparedDesign, Host, HostError, PageOptions,
    PageTexts, Question, ReportOptions, UploadOptions, UploadedRow,
};

/// Work with geodesign projects.
#[derive(Parser)]
#[command(
    name = "pygeodesign",
    version,
    after_help = "\
The service comes from --url, GEODESIGN_URL or `pygeodesign login`, the token from GEODESIGN_TOKEN or `pygeodesign login`.
Data is written to the standard output, messages to the standard error.

Exit codes:
  0    done
  1    failed
  2    wrong arguments, or arguments that mean several things
  3    no token, a wrong token, or no permission
  4    there is no such project, team, design or diagram
  5    no answer from the service
  130  interrupted (Ctrl-C)
  141  the reader of the output has closed it

Examples:
  pygeodesign login
  pygeodesign costs \"Staten Island 2050\"
  pygeodesign diagrams -o diagrams.geojson"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

/// Defines the commands, in groups for `--help`. Each is `clap::Args` with a method `run`.
macro_rules! commands {
    ($($group:literal: $($name:ident($arguments:ty))*;)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($($name($arguments),)*)*
        }

        impl Command {
            fn run(&self, context: &Context) -> Result<()> {
                match self {
                    $($(Command::$name(command) => command.run(context),)*)*
                }
            }
        }

        /// Number of commands in each group, in the order of the commands.
        const GROUPS: &[(&str, usize)] = &[$(($group, [$(stringify!($name)),*].len())),*];
    };
}

commands! {
    "Look": Login(LogIn) Logout(LogOut) Projects(Projects) Systems(Systems) Costs(Costs) Teams(Teams) Designs(Designs)
        Diagrams(Diagrams) Thumbnails(Thumbnails) Map(Box<Map>) Gallery(Box<Gallery>) History(History) Watch(Watch);
    "Compare": Compare(Compare) Ask(Ask) Report(Report) Record(Record);
    "Draw": Upload(Upload);
    "Keep": Archive(Archive) ArchiveAll(ArchiveAll) Sync(Sync) Merge(Merge) Open(Open) Backup(Backup);
    "Run an evening": New(Box<New>) Basemap(Basemap) Serve(Box<Serve>) Tokens(Tokens) Members(Members) Users(Users);
    "Operate": Workshops(Workshops) ImportProject(ImportProject) Call(Call) Completions(Completions);
}

/// The command line, whose `--help` lists the commands in groups.
fn command_line() -> clap::Command {
    let command = CommandLine::command();
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    let mut subcommands = command.get_subcommands();
    let mut help = String::new();
    for (group, count) in GROUPS {
        help += &format!("\n{group}:\n");
        for command in subcommands.by_ref().take(*count) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            help += &format!("  {:width$}  {about}\n", command.get_name());
        }
    }
    drop(subcommands);
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{help}\nOptions:\n{{options}}{{after-help}}");
    command.help_template(template)
}

fn parsed(arguments: impl IntoIterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    CommandLine::from_arg_matches(&command_line().try_get_matches_from(arguments)?)
}

/// Runs the command in `arguments`, which start with the program's name. Returns the exit code of the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>, host: &dyn Host) -> u8 {
    let _messages = AtCommandLine::new();
    let result = Context::new(host).and_then(|context| match parsed(arguments) {
        Ok(CommandLine { command }) => command.run(&context).map(|()| 0),
        Err(error) if error.use_stderr() => {
            // Begins with `error:`, and shows how to use the command.
            let _ = error.print();
            Ok(WRONG_INPUT)
        }
        // --help and --version.
        Err(help) => context.print(&help.to_string()).map(|()| 0),
    });
    result.unwrap_or_else(|error| {
        // A failure after Ctrl-C, such as while waiting for a database, is part of what the user wanted to end.
        let error = if host.is_interrupted() { CommandError::Interrupted } else { error };
        error.message().iter().for_each(|message| output::error(message));
        error.exit_code()
    })
}

/// Print completions for a shell.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign completions bash > ~/.local/share/bash-completion/completions/pygeodesign
  pygeodesign completions zsh > ~/.zfunc/_pygeodesign
  pygeodesign completions fish > ~/.config/fish/completions/pygeodesign.fish")]
struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    fn run(&self, context: &Context) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command_line(), "pygeodesign", &mut script);
        context.print(&String::from_utf8_lossy(&script))
    }
}
