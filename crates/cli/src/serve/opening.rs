//! Opening the room in a browser of this machine, signed in.

use std::env;
use std::io::{self, IsTerminal};

use tempfile::TempDir;

use crate::host::Host;
use geodesign_common::html::Escaped;
use geodesign_common::whole_files::{Readers, write_whole};

/// Variables of Linux desktops.
const SCREENS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];
/// Variables of remote shells, notebooks and automated builds.
const ELSEWHERE: [&str; 3] = ["SSH_CONNECTION", "JPY_PARENT_PID", "CI"];

/// True if the user sits at a terminal of this machine, and it has a screen.
pub fn has_screen() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_desktop = cfg!(any(windows, target_os = "macos")) || SCREENS.into_iter().any(is_set);
    is_desktop && io::stdout().is_terminal() && !ELSEWHERE.into_iter().any(is_set)
}

/// Opens a link with a token. The browser is given a page that only this user can read and that leads to the link, because other users
/// of the machine can see the arguments of a command. Returns the page's folder, which is removed when it is dropped.
pub fn open(link: &str, host: &dyn Host) -> io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = folder.prefix("geodesign-").tempdir()?;
    let page = folder.path().join("open.html");
    write_whole(&page, leading_to(link).as_bytes(), Readers::Owner)?;
    host.open_in_browser(&page);
    Ok(folder)
}

fn leading_to(link: &str) -> String {
    let link = Escaped(link);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Geodesign</title>\
         <meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;url={link}\"></head>\
         <body><p><a href=\"{link}\">Open the room</a></p></body></html>\n"
    )
}
