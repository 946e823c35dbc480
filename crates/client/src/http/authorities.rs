//! Certificate authorities to trust in addition to the system's: those of `ca_bundle`, and of variables that other programs read.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use reqwest::Certificate;

use crate::config::{Config, ConfigError};

/// Variables with a file or a folder of authorities. On other systems, `SSL_CERT_FILE` and `SSL_CERT_DIR` name the system's own.
const VARIABLES: &[&str] = if cfg!(any(windows, target_vendor = "apple")) {
    &["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"]
} else {
    &["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]
};

/// Reads the authorities in `ca_bundle`.
pub fn given_authorities(config: &Config) -> Result<Vec<Certificate>, ConfigError> {
    config.ca_bundle.as_deref().map_or(Ok(Vec::new()), |path| read("ca_bundle", path))
}

/// Reads the authorities that variables of the environment name.
pub fn authorities_of_environment() -> Result<Vec<Certificate>, ConfigError> {
    let mut authorities = Vec::new();
    for name in VARIABLES {
        if let Some(path) = env::var_os(name).filter(|path| !path.is_empty()) {
            authorities.extend(read(name, Path::new(&path))?);
        }
    }
    Ok(authorities)
}

fn read(setting: &'static str, path: &Path) -> Result<Vec<Certificate>, ConfigError> {
    let unusable = |problem: String, source| ConfigError::CaBundle { setting, path: path.to_owned(), problem, source };
    let mut authorities = Vec::new();
    for file in files_at(path).map_err(|error| unusable(error.to_string(), Some(error.into())))? {
        let pem = fs::read(file).map_err(|error| unusable(error.to_string(), Some(error.into())))?;
        authorities.extend(
            Certificate::from_pem_bundle(&pem).map_err(|error| unusable(error.to_string(), Some(error.into())))?,
        );
    }
    if authorities.is_empty() {
        return Err(unusable("no certificate in it".to_owned(), None));
    }
    Ok(authorities)
}

/// The files of a folder, or the file itself.
fn files_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries: io::Result<Vec<_>> = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect();
    Ok(entries?.into_iter().filter(|path| path.is_file()).collect())
}
