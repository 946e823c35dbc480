//! The command line of pygeodesign, with a file per command.

mod run;
mod serve;
mod welcome;

pub use run::run;
