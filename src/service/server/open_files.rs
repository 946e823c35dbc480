//! How many files the process may have open.

/// Has the system allow the process that many open files, as far as it does so. Returns how many it allows.
#[cfg(unix)]
pub fn allow_open_files(needed: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = current.unwrap_or(u64::MAX);
    let wanted = needed.min(maximum.unwrap_or(u64::MAX));
    if wanted <= allowed {
        return allowed;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => wanted,
        Err(_) => allowed,
    }
}

/// Such a limit is not known here.
#[cfg(not(unix))]
pub fn allow_open_files(_needed: u64) -> u64 {
    u64::MAX
}
