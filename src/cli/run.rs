//! Parsing the command line and running a command.

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use super::archive::Archive;
use super::archive_all::ArchiveAll;
use super::backup::Backup;
use super::completions::Completions;
use super::context::Context;
use super::costs::Costs;
use super::designs::Designs;
use super::diagrams::Diagrams;
use super::error::{CommandError, Result, WRONG_INPUT};
use super::host::Host;
use super::import_project::ImportProject;
use super::login::LogIn;
use super::open::Open;
use super::output;
use super::projects::Projects;
use super::report::Report;
use super::serve::Serve;
use super::sync::Sync;
use super::systems::Systems;
use super::teams::Teams;
use super::thumbnails::Thumbnails;
use super::tokens::Tokens;
use super::upload::Upload;
use super::users::Users;
use super::watch::Watch;
use super::welcome::{welcome, welcome_to_folder};
use super::workshops::Workshops;

/// Work with geodesign projects.
#[derive(Parser)]
#[command(
    name = "pygeodesign",
    version,
    after_help = "\
The service is that of --url, GEODESIGN_URL or `pygeodesign login`, the token that of GEODESIGN_TOKEN or `pygeodesign login`.
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
  pygeodesign login --url https://workshop.local:8443
  pygeodesign costs \"Staten Island 2050\"
  pygeodesign diagrams -o diagrams.geojson"
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Login(LogIn),
    Projects(Projects),
    Systems(Systems),
    Costs(Costs),
    Teams(Teams),
    Designs(Designs),
    Diagrams(Diagrams),
    Report(Report),
    Thumbnails(Thumbnails),
    Upload(Upload),
    Archive(Archive),
    ArchiveAll(ArchiveAll),
    Sync(Sync),
    Open(Open),
    Watch(Watch),
    Serve(Box<Serve>),
    Workshops(Workshops),
    Backup(Backup),
    Users(Users),
    Tokens(Tokens),
    ImportProject(ImportProject),
    Completions(Completions),
}

/// Runs the command in `arguments`, the first of which is the name of the program. Returns the exit code of the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>, host: &dyn Host) -> u8 {
    let result = Context::new(host).and_then(|context| match CommandLine::try_parse_from(arguments) {
        Ok(CommandLine { command }) => command.run(&context).map(|()| 0),
        Err(error) if error.use_stderr() => {
            // Begins with `error:`, and tells how the command is used.
            let _ = error.print();
            Ok(WRONG_INPUT)
        }
        // --help and --version.
        Err(help) => context.print(&help.to_string()).map(|()| 0),
    });
    result.unwrap_or_else(|error| {
        // What fails after Ctrl-C, such as waiting for a database, is what the user wanted to end.
        let error = if host.is_interrupted() { CommandError::Interrupted } else { error };
        error.message().iter().for_each(|message| output::error(message));
        error.exit_code()
    })
}

impl Command {
    fn run(&self, context: &Context) -> Result<()> {
        match self {
            Command::Login(login) => login.run(context),
            Command::Projects(projects) => projects.run(context),
            Command::Systems(systems) => systems.run(context),
            Command::Costs(costs) => costs.run(context),
            Command::Teams(teams) => teams.run(context),
            Command::Designs(designs) => designs.run(context),
            Command::Diagrams(diagrams) => diagrams.run(context),
            Command::Report(report) => report.run(context),
            Command::Thumbnails(thumbnails) => thumbnails.run(context),
            Command::Upload(upload) => upload.run(context),
            Command::Archive(archive) => archive.run(context),
            Command::ArchiveAll(archive) => archive.run(context),
            Command::Sync(sync) => sync.run(context),
            Command::Watch(watch) => watch.run(context),
            Command::Open(open) => open.run(context),
            Command::Serve(serve) => run_service(serve, context),
            Command::Workshops(workshops) => workshops.run(context),
            Command::Backup(backup) => backup.run(context),
            Command::Users(users) => users.run(context),
            Command::Tokens(tokens) => tokens.run(context),
            Command::ImportProject(import) => import.run(context),
            Command::Completions(completions) => completions.run(context, CommandLine::command()),
        }
    }
}

fn run_service(serve: &Serve, context: &Context) -> Result<()> {
    if let Some(folder) = &serve.workshops {
        let service = serve.start_folder(folder)?;
        context.print(&welcome_to_folder(serve, &service).map_err(CommandError::from)?)?;
        context.wait_for_interrupt();
        service.stop();
        return Ok(());
    }
    let service = context.work(|is_interrupted| serve.start(is_interrupted))??;
    context.print(&welcome(serve, &service).map_err(CommandError::from)?)?;
    context.wait_for_interrupt();
    service.stop();
    Ok(())
}
