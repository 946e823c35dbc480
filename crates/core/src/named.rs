//! Names of settings and methods in messages: as in Python, or as on the command line.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

static AT_COMMAND_LINE: AtomicBool = AtomicBool::new(false);

/// A setting or method, with its name in Python and on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    python: &'static str,
    command_line: &'static str,
}

pub const ALLOW_HTTP: Named = Named { python: "allow_http=True", command_line: "--allow-http" };
pub const ALLOW_OUTSIDE: Named = Named { python: "outside=\"allow\"", command_line: "--allow-outside" };
pub const BASE_URL: Named = Named { python: "base_url", command_line: "--url" };
pub const CA_BUNDLE: Named = Named { python: "ca_bundle=", command_line: "--ca-bundle" };
pub const CERTIFI: Named = Named { python: "ca_bundle=certifi.where()", command_line: "--ca-bundle with a PEM file" };
pub const CLIENT_JOIN: Named = Named { python: "Client.join", command_line: "`pygeodesign login`" };
pub const PROJECTS: Named = Named { python: "client.projects()", command_line: "`pygeodesign projects`" };
pub const SKIP_DUPLICATES: Named = Named { python: "duplicates=\"skip\"", command_line: "--skip-duplicates" };

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if AT_COMMAND_LINE.load(Ordering::Relaxed) { self.command_line } else { self.python })
    }
}

/// While this exists, messages of this process use the names of the command line.
#[derive(Debug)]
pub struct AtCommandLine(());

impl AtCommandLine {
    #[expect(clippy::new_without_default, reason = "it changes what the process says")]
    pub fn new() -> Self {
        AT_COMMAND_LINE.store(true, Ordering::Relaxed);
        AtCommandLine(())
    }
}

impl Drop for AtCommandLine {
    fn drop(&mut self) {
        AT_COMMAND_LINE.store(false, Ordering::Relaxed);
    }
}
