//! `pygeodesign login`: keeps the address of a service and a token for later commands.

use clap::Args;

use super::connect::Service;
use super::context::Context;
use super::error::Result;
use super::output::note;

/// Keep the address of a service and a token, for later commands.
///
/// The token is asked for without being shown, or read from the standard input if that is no terminal. It is tried, and then
/// kept in pygeodesign/login.json in your folder for settings (XDG_CONFIG_HOME, ~/.config or %APPDATA%), in a file that only
/// you can read. Delete the file to log out.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pygeodesign login --url https://workshop.local:8443\n  pygeodesign login --url https://workshop.local:8443 < token.txt"
)]
pub struct LogIn {
    #[command(flatten)]
    service: Service,
}

impl LogIn {
    pub fn run(&self, context: &Context) -> Result<()> {
        let (client, login) = self.service.log_in(context)?;
        let projects = context.wait(client.projects())?.len();
        let path = login.write()?;
        note(&format!("Logged in to {}, with {projects} projects. The token is in {}", login.url, path.display()));
        Ok(())
    }
}
