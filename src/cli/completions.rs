//! `pygeodesign completions`: what a shell needs to complete commands and options.

use clap::{Args, Command};
use clap_complete::Shell;

use super::context::Context;
use super::error::Result;

/// Print completions for a shell.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign completions bash > ~/.local/share/bash-completion/completions/pygeodesign
  pygeodesign completions zsh > ~/.zfunc/_pygeodesign
  pygeodesign completions fish > ~/.config/fish/completions/pygeodesign.fish")]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(&self, context: &Context, mut command: Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "pygeodesign", &mut script);
        context.print(&String::from_utf8_lossy(&script))
    }
}
