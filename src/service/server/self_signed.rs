//! A certificate authority of the service's own, and a certificate that it signs.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{RootCertStore, ServerConfig};

use super::certificates::{CertificateError, crypto_provider, from_files};

const DAY: Duration = Duration::from_hours(24);
/// Days for which the service's certificate is valid, from a day ago. Some clients reject server certificates that are valid
/// for more than 398 days.
const SERVER_DAYS: u32 = 397;
/// Days for which the authority's certificate is valid.
const CA_DAYS: u32 = 2 * 365;
/// Certificates are replaced when they are valid for less than this.
const MIN_REMAINING_VALIDITY: Duration = Duration::from_hours(7 * 24);

/// A certificate that the service made itself.
#[derive(Debug, Clone)]
pub struct SelfSigned {
    pub config: Arc<ServerConfig>,
    /// The certificate of the authority, which clients have to trust.
    pub ca_file: PathBuf,
}

/// Serves with the certificate in `folder`, which is valid for `names` (of machines, or addresses).
///
/// A new authority and a new certificate are made if there are none, if one of the names is missing in the certificate, and
/// shortly before either expires. Clients then have to trust the new `ca.pem`.
pub fn load_or_create(folder: &Path, names: &[String]) -> Result<SelfSigned, CertificateError> {
    let names = names.iter().map(|name| name.trim_end_matches('.').to_owned()).collect::<Vec<_>>();
    if let Some(name) = names.iter().find(|name| ServerName::try_from(name.as_str()).is_err()) {
        return Err(CertificateError::Name(name.clone()));
    }
    fs::create_dir_all(folder).map_err(|source| CertificateError::Write { path: folder.into(), source })?;
    // Keeps two services that start at the same time from mixing their files. Not every file system has locks; without
    // one, the service starts all the same.
    let _lock = File::create(folder.join(".lock")).and_then(|file| file.lock().map(|()| file));
    let [ca, certificate, key] = ["ca.pem", "server.pem", "server-key.pem"].map(|name| folder.join(name));
    let config = match load(&ca, &certificate, &key, &names) {
        Some(config) => config,
        None => {
            let created = create(names)?;
            write_file(&key, &created.key, &mut tempfile::Builder::new())?;
            write_file(&certificate, &created.certificate, &mut world_readable())?;
            write_file(&ca, &created.ca, &mut world_readable())?;
            from_files(&certificate, &key)?
        }
    };
    Ok(SelfSigned { config, ca_file: ca })
}

/// The certificate in these files, if a client that trusts the authority accepts it for each of the names, now and for
/// [`MIN_REMAINING_VALIDITY`].
fn load(ca: &Path, certificate: &Path, key: &Path, names: &[String]) -> Option<Arc<ServerConfig>> {
    let config = from_files(certificate, key).ok()?;
    let server = CertificateDer::from_pem_file(certificate).ok()?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca).ok()?).ok()?;
    let client = WebPkiServerVerifier::builder_with_provider(roots.into(), crypto_provider()).build().ok()?;
    let accepts = |name: &str, time: Duration| {
        let time = UnixTime::since_unix_epoch(time);
        ServerName::try_from(name).is_ok_and(|name| client.verify_server_cert(&server, &[], &name, &[], time).is_ok())
    };
    let now = Duration::from_secs(UnixTime::now().as_secs());
    names.iter().all(|name| accepts(name, now) && accepts(name, now + MIN_REMAINING_VALIDITY)).then_some(config)
}

/// PEM texts.
struct Created {
    ca: String,
    certificate: String,
    key: String,
}

/// A certificate for the names, signed by a new authority. The authority's key is not kept, so that it signs nothing else.
fn create(names: Vec<String>) -> Result<Created, rcgen::Error> {
    let valid_for = |mut params: CertificateParams, name: &str, days: u32| {
        params.not_before = date_time_ymd(1970, 1, 1) + Duration::from_secs(UnixTime::now().as_secs()) - DAY;
        params.not_after = params.not_before + DAY * days;
        params.distinguished_name.push(DnType::CommonName, name);
        params
    };
    let mut ca = valid_for(CertificateParams::default(), "Geodesign service CA", CA_DAYS);
    ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let ca = CertifiedIssuer::self_signed(ca, KeyPair::generate()?)?;

    let mut server = valid_for(CertificateParams::new(names)?, "Geodesign service", SERVER_DAYS);
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Python 3.13 and later reject certificates without it.
    server.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate()?;
    Ok(Created { ca: ca.pem(), certificate: server.signed_by(&key, &ca)?.pem(), key: key.serialize_pem() })
}

/// Writes a temporary file and renames it to `path`, so that no other process sees half of it. Unless `builder` sets other
/// permissions, only the owner may read it at any time.
fn write_file(path: &Path, text: &str, builder: &mut tempfile::Builder) -> Result<(), CertificateError> {
    let write = || {
        let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|source| CertificateError::Write { path: path.into(), source })
}

fn world_readable() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder
}
