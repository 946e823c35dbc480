//! Parsing the command line and running a command.

use std::ffi::OsString;
use std::io;

use clap::{Parser, Subcommand};

use super::backup::Backup;
use super::serve::{Serve, ServeError};
use super::welcome::welcome;

/// Work with geodesign projects.
#[derive(Parser)]
#[command(name = "pygeodesign", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve projects to this machine or, with TLS, to a network.
    Serve(Box<Serve>),
    /// Copy a database into one file, also while a service uses it.
    Backup(Backup),
}

/// Runs the command in `arguments`, the first of which is the name of the program. Returns the exit code of the process.
///
/// `print` writes text to the standard output and flushes it. A service runs until `wait_for_stop` returns.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    print: impl Fn(&str) -> io::Result<()>,
    wait_for_stop: impl FnOnce(),
) -> u8 {
    let command = match CommandLine::try_parse_from(arguments) {
        Ok(CommandLine { command }) => command,
        Err(error) => {
            // Prints --help and --version to the standard output, and mistakes to the standard error.
            let _ = error.print();
            return error.exit_code().try_into().unwrap_or(2);
        }
    };
    let (name, result) = match command {
        Command::Serve(serve) => ("serve", run_service(&serve, print, wait_for_stop)),
        Command::Backup(backup) => ("backup", run_backup(&backup, print)),
    };
    match result {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("pygeodesign {name}: {error}");
            1
        }
    }
}

fn run_backup(backup: &Backup, print: impl Fn(&str) -> io::Result<()>) -> Result<(), ServeError> {
    print(&backup.run()?).map_err(ServeError::Print)
}

fn run_service(
    serve: &Serve,
    print: impl Fn(&str) -> io::Result<()>,
    wait_for_stop: impl FnOnce(),
) -> Result<(), ServeError> {
    let service = serve.start()?;
    print(&welcome(serve, &service)?).map_err(ServeError::Print)?;
    wait_for_stop();
    service.stop();
    Ok(())
}
