//! Certificates: read from files, or made by the service for the names of this machine.

use std::fs::{self, File};
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, SerialNumber, date_time_ymd,
};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{InconsistentKeys, RootCertStore, ServerConfig};

use crate::http::RoomAuthority;
use geodesign::model::AuthorityKey;
use geodesign_common::digest::sha256;

/// The name of HTTP/2 in TLS.
pub const HTTP_2: &[u8] = b"h2";

/// The reason why a service cannot use or create a certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    #[error("{path} cannot be read: {source}; give a PEM file that the service may read")]
    Read { path: PathBuf, source: io::Error },
    #[error("{0} is not a complete PEM file; copy it again")]
    Damaged(PathBuf),
    #[error("{0} has no certificate; give a PEM file with the certificate of the service, then those of its issuers")]
    NoCertificate(PathBuf),
    #[error("{0} has no private key; give a PEM file with the key of the certificate, without a passphrase")]
    NoKey(PathBuf),
    #[error(
        "the key in {key} does not match the first certificate in {certificate}; give two files that belong together"
    )]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("the certificate in {path} cannot be used: {source}; have it issued again")]
    Certificate { path: PathBuf, source: rustls::Error },
    #[error(
        "the key in {path} cannot be used: {source}; use an ECDSA (P-256, P-384), Ed25519 or RSA key (2048 bits or more)"
    )]
    Key { path: PathBuf, source: rustls::Error },
    #[error(
        "{0} is not the key of a certificate authority; restore it, or remove it to start a new authority: earlier cards then stop working"
    )]
    AuthorityKey(PathBuf),
    #[error("{0:?} is neither the name of a machine nor an address, so no certificate can be made for it")]
    Name(String),
    #[error("no certificate could be made: {0}; give the files of a certificate that you have")]
    Create(#[from] rcgen::Error),
    #[error("{path} cannot be written: {source}; certificates are kept in a folder that the service may write to")]
    Write { path: PathBuf, source: io::Error },
}

/// Serves with a certificate, followed in its file by its issuers' certificates, and its private key (PKCS#8, PKCS#1 or SEC1).
pub fn from_files(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, CertificateError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| pem_error(certificate, error, CertificateError::NoCertificate))?;
    if chain.is_empty() {
        return Err(CertificateError::NoCertificate(certificate.into()));
    }
    let private_key =
        PrivateKeyDer::from_pem_file(key).map_err(|error| pem_error(key, error, CertificateError::NoKey))?;
    let mut config = ServerConfig::builder_with_provider(crypto_provider())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private_key))
        .map_err(|source| match source {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                CertificateError::Mismatch { certificate: certificate.into(), key: key.into() }
            }
            rustls::Error::InvalidCertificate(_) => CertificateError::Certificate { path: certificate.into(), source },
            _ => CertificateError::Key { path: key.into(), source },
        })?;
    config.alpn_protocols = vec![HTTP_2.to_vec(), b"http/1.1".to_vec()];
    // Sessions are in the tickets, so that no number of connections causes others to be forgotten.
    if let Ok(tickets) = ring::Ticketer::new() {
        config.ticketer = tickets;
    }
    Ok(Arc::new(config))
}

pub fn crypto_provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn pem_error(path: &Path, error: pem::Error, no_items: fn(PathBuf) -> CertificateError) -> CertificateError {
    match error {
        pem::Error::Io(source) => CertificateError::Read { path: path.into(), source },
        pem::Error::NoItemsFound => no_items(path.into()),
        // The error is left out: it quotes the file, which may be a private key.
        _ => CertificateError::Damaged(path.into()),
    }
}

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
    pub authority: OwnAuthority,
}

/// The certificate authority that a service has made itself, which clients have to trust.
#[derive(Debug, Clone)]
pub struct OwnAuthority {
    /// The file of its certificate.
    pub file: PathBuf,
    pub room: RoomAuthority,
}

impl OwnAuthority {
    pub fn read(file: PathBuf) -> Result<Self, CertificateError> {
        let pem = fs::read(&file).map_err(|source| CertificateError::Read { path: file.clone(), source })?;
        let Some((_, key)) = AuthorityKey::of_pem(&pem) else { return Err(CertificateError::Damaged(file)) };
        Ok(OwnAuthority { file, room: RoomAuthority { pem: pem.into(), key } })
    }
}

/// Name of the file with the authority's certificate, in the folder of the service's TLS files.
pub const CA_FILE: &str = "ca.pem";
const CERTIFICATE_FILE: &str = "server.pem";

/// Serves with the certificate in `folder`, which is valid for `names` (of machines, or addresses).
///
/// A new certificate is made if there is none, if one of the names is missing in it, and shortly before it expires. The authority keeps its
/// key and its name, so links stay valid, and copies of `ca.pem` until they expire.
pub fn load_or_create(folder: &Path, names: &[String]) -> Result<SelfSigned, CertificateError> {
    let names = names.iter().map(|name| name.trim_end_matches('.').to_owned()).collect::<Vec<_>>();
    if let Some(name) = names.iter().find(|name| ServerName::try_from(name.as_str()).is_err()) {
        return Err(CertificateError::Name(name.clone()));
    }
    let failed = |source| CertificateError::Write { path: folder.into(), source };
    let folder = std::path::absolute(folder).map_err(failed)?;
    fs::create_dir_all(&folder).map_err(failed)?;
    // Keeps two services that start at the same time from mixing their files. Not every file system has locks; without
    // one, the service starts all the same.
    let _lock = File::create(folder.join(".lock")).and_then(|file| file.lock().map(|()| file));
    let [ca, ca_key, certificate, key] =
        [CA_FILE, "ca-key.pem", CERTIFICATE_FILE, "server-key.pem"].map(|name| folder.join(name));
    let config = match load(&ca, &certificate, &key, &names) {
        Some(config) => config,
        None => {
            let created = create(names, load_or_create_key(&ca_key)?)?;
            write_file(&key, &created.key, &mut tempfile::Builder::new())?;
            write_file(&certificate, &created.certificate, &mut world_readable())?;
            write_file(&ca, &created.ca, &mut world_readable())?;
            from_files(&certificate, &key)?
        }
    };
    Ok(SelfSigned { config, authority: OwnAuthority::read(ca)? })
}

/// The private key of the authority.
fn load_or_create_key(path: &Path) -> Result<KeyPair, CertificateError> {
    match fs::read_to_string(path) {
        Ok(pem) => KeyPair::from_pem(&pem).map_err(|_| CertificateError::AuthorityKey(path.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = KeyPair::generate()?;
            write_file(path, &key.serialize_pem(), &mut tempfile::Builder::new())?;
            Ok(key)
        }
        Err(source) => Err(CertificateError::Read { path: path.into(), source }),
    }
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

/// True if the certificate that a service keeps in `folder` is for this name or address; `None` if it has none there.
pub fn is_certificate_for(folder: &Path, name: &str) -> Option<bool> {
    let server = CertificateDer::from_pem_file(folder.join(CERTIFICATE_FILE)).ok()?;
    let (server, name) = (ParsedCertificate::try_from(&server).ok()?, ServerName::try_from(name).ok()?);
    Some(verify_server_name(&server, &name).is_ok())
}

/// Certificates and a key as PEM.
struct Created {
    ca: String,
    certificate: String,
    key: String,
}

/// A certificate for the names, and one for the authority, whose key signs both.
fn create(names: Vec<String>, ca_key: KeyPair) -> Result<Created, rcgen::Error> {
    let key = KeyPair::generate()?;
    let valid_for = |mut params: CertificateParams, name: &str, days: u32| {
        params.not_before = date_time_ymd(1970, 1, 1) + Duration::from_secs(UnixTime::now().as_secs()) - DAY;
        params.not_after = params.not_before + DAY * days;
        params.distinguished_name.push(DnType::CommonName, name);
        params
    };
    let mut ca = valid_for(CertificateParams::default(), "Geodesign service CA", CA_DAYS);
    ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    // Otherwise it would come from the key, and so equal the earlier certificate's, which browsers that have imported that one reject. The
    // first bit is the sign.
    let mut serial = sha256(&[key.public_key_raw()]);
    serial[0] &= 0x7f;
    ca.serial_number = Some(SerialNumber::from_slice(&serial[..20]));
    let ca = CertifiedIssuer::self_signed(ca, ca_key)?;

    let mut server = valid_for(CertificateParams::new(names)?, "Geodesign service", SERVER_DAYS);
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Python 3.13 and later reject certificates without it.
    server.use_authority_key_identifier_extension = true;
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
