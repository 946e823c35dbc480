//! The command line, a file per command.

mod serve;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use serve::Serve;

/// Geodesign projects from the command line.
#[derive(Parser)]
#[command(name = "pygeodesign", version)]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Serve projects to this machine, or, with TLS, to a room.
    Serve(Serve),
}

/// Runs a command; the exit code of the process. `print` shows text at once; `wait` returns when it is time to stop.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    print: impl Fn(&str) -> std::io::Result<()>,
    wait: impl FnOnce(),
) -> u8 {
    let Command { action: Action::Serve(serve) } = match Command::try_parse_from(arguments) {
        Ok(command) => command,
        Err(answer) => {
            // Help and version are answers too; they go to where one looks for them.
            let _ = answer.print();
            return answer.exit_code().try_into().unwrap_or(2);
        }
    };
    let served = serve.start().and_then(|(service, welcome)| {
        print(&welcome)?;
        wait();
        service.stop();
        Ok(())
    });
    match served {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("pygeodesign serve: {error}");
            1
        }
    }
}
