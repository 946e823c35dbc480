//! What the service shows to prove who it is: certificates from files, or of its own making.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{InconsistentKeys, RootCertStore, ServerConfig};

const DAY: Duration = Duration::from_hours(24);
/// From a day ago on. Some clients take no server certificate that is valid for more than 398 days.
const SERVER_DAYS: u32 = 397;
const CA_DAYS: u32 = 2 * 365;
/// Certificates that expire sooner are made anew.
const RENEWAL: Duration = Duration::from_hours(7 * 24);

#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("{path} cannot be read: {cause}; name a PEM file that the service may read")]
    Read { path: PathBuf, cause: io::Error },
    #[error("{0} is no whole PEM file; copy it again")]
    Damaged(PathBuf),
    #[error("{0} holds no certificate; name a PEM file with the certificate of the service, then those of its issuers")]
    NoCertificate(PathBuf),
    #[error("{0} holds no private key; name a PEM file with the key of the certificate, without a passphrase")]
    NoKey(PathBuf),
    #[error("the key in {key} is not that of the first certificate in {cert}; name two files that belong together")]
    Mismatch { cert: PathBuf, key: PathBuf },
    #[error("the certificate in {path} cannot be used: {cause}; have it issued again")]
    Certificate { path: PathBuf, cause: rustls::Error },
    #[error(
        "the key in {path} cannot be used: {cause}; use an ECDSA (P-256, P-384), Ed25519 or RSA key (2048 bits or more)"
    )]
    Key { path: PathBuf, cause: rustls::Error },
    #[error("{0:?} is neither the name of a machine nor an address; a certificate cannot be made for it")]
    Name(String),
    #[error("no certificate could be made: {0}; name the files of a certificate that you have")]
    Make(#[from] rcgen::Error),
    #[error("{path} cannot be written: {cause}; certificates are kept in a folder that the service may write to")]
    Write { path: PathBuf, cause: io::Error },
}

/// Certificates that the service made itself.
#[derive(Debug, Clone)]
pub struct SelfSigned {
    pub config: Arc<ServerConfig>,
    /// What clients are to trust.
    pub ca_file: PathBuf,
}

/// Serves with a certificate, followed by those of its issuers, and its private key (PKCS#8, PKCS#1 or SEC1).
pub fn from_files(cert: &Path, key: &Path) -> Result<Arc<ServerConfig>, CertificateError> {
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|cause| unread(cert, cause, CertificateError::NoCertificate))?;
    if chain.is_empty() {
        return Err(CertificateError::NoCertificate(cert.into()));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|cause| unread(key, cause, CertificateError::NoKey))?;
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|cause| match cause {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                CertificateError::Mismatch { cert: cert.into(), key: key.into() }
            }
            rustls::Error::InvalidCertificate(_) => CertificateError::Certificate { path: cert.into(), cause },
            _ => CertificateError::Key { path: key.into(), cause },
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Serves with certificates for `names` (of machines, or addresses) that are kept in `folder`.
///
/// They are made anew when there are none, when one of the names is not in them, and shortly before they expire.
/// Clients then have to trust the new `ca.pem`.
pub fn self_signed(folder: &Path, names: &[String]) -> Result<SelfSigned, CertificateError> {
    let names = names.iter().map(|name| name.trim_end_matches('.').to_owned()).collect::<Vec<_>>();
    if let Some(name) = names.iter().find(|name| ServerName::try_from(name.as_str()).is_err()) {
        return Err(CertificateError::Name(name.clone()));
    }
    fs::create_dir_all(folder).map_err(|cause| CertificateError::Write { path: folder.into(), cause })?;
    // Services that start at the same time do not mix their files. Where there are no locks, they may.
    let _lock = File::create(folder.join(".lock")).and_then(|file| file.lock().map(|()| file));
    let [ca, cert, key] = ["ca.pem", "server.pem", "server-key.pem"].map(|name| folder.join(name));
    let config = match kept(&ca, &cert, &key, &names) {
        Some(config) => config,
        None => {
            let made = make(names)?;
            write(&key, &made.key, &mut tempfile::Builder::new())?;
            write(&cert, &made.cert, &mut for_all())?;
            write(&ca, &made.ca, &mut for_all())?;
            from_files(&cert, &key)?
        }
    };
    Ok(SelfSigned { config, ca_file: ca })
}

/// The names and addresses by which clients may reach a service that listens on `host`.
pub fn names_of_this_machine(host: &str) -> Vec<String> {
    let mut names = ["localhost", "127.0.0.1", "::1"].map(String::from).to_vec();
    // An address may name its network interface, such as fe80::1%eth0. That means nothing elsewhere.
    let host = host.split('%').next().unwrap_or(host);
    let everywhere = host.parse::<IpAddr>().ok().filter(IpAddr::is_unspecified);
    match everywhere {
        Some(ip) => {
            names.extend(host_name());
            names.extend(outward_address(Ipv4Addr::UNSPECIFIED.into(), (Ipv4Addr::new(192, 0, 2, 1), 9).into()));
            if ip.is_ipv6() {
                let documentation = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
                names.extend(outward_address(ip, (documentation, 9).into()));
            }
        }
        None => names.push(host.to_owned()),
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The files as they are, if every client that trusts the authority takes the certificate, for each of the names.
fn kept(ca: &Path, cert: &Path, key: &Path, names: &[String]) -> Option<Arc<ServerConfig>> {
    let config = from_files(cert, key).ok()?;
    let server = CertificateDer::from_pem_file(cert).ok()?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca).ok()?).ok()?;
    let client = WebPkiServerVerifier::builder_with_provider(roots.into(), provider()).build().ok()?;
    let taken = |name: &str, time: Duration| {
        let time = UnixTime::since_unix_epoch(time);
        ServerName::try_from(name).is_ok_and(|name| client.verify_server_cert(&server, &[], &name, &[], time).is_ok())
    };
    let now = Duration::from_secs(UnixTime::now().as_secs());
    names.iter().all(|name| taken(name, now) && taken(name, now + RENEWAL)).then_some(config)
}

struct Made {
    ca: String,
    cert: String,
    key: String,
}

/// A certificate for the names, by an authority that signs nothing else: its key is not kept.
fn make(names: Vec<String>) -> Result<Made, rcgen::Error> {
    let valid = |mut params: CertificateParams, name: &str, days: u32| {
        params.not_before = date_time_ymd(1970, 1, 1) + Duration::from_secs(UnixTime::now().as_secs()) - DAY;
        params.not_after = params.not_before + DAY * days;
        params.distinguished_name.push(DnType::CommonName, name);
        params
    };
    let mut ca = valid(CertificateParams::default(), "Geodesign service CA", CA_DAYS);
    ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let ca = CertifiedIssuer::self_signed(ca, KeyPair::generate()?)?;

    let mut server = valid(CertificateParams::new(names)?, "Geodesign service", SERVER_DAYS);
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Python 3.13 and later insist on it.
    server.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate()?;
    Ok(Made { ca: ca.pem(), cert: server.signed_by(&key, &ca)?.pem(), key: key.serialize_pem() })
}

/// Puts a whole file in its place. Unless `draft` says otherwise, only its owner may read it, from the start.
fn write(path: &Path, text: &str, draft: &mut tempfile::Builder) -> Result<(), CertificateError> {
    let written = || {
        let mut file = draft.tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|cause| CertificateError::Write { path: path.into(), cause })
}

/// Files that everybody may read.
fn for_all() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut draft = tempfile::Builder::new();
    #[cfg(unix)]
    draft.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    draft
}

fn unread(path: &Path, cause: pem::Error, none: fn(PathBuf) -> CertificateError) -> CertificateError {
    match cause {
        pem::Error::Io(cause) => CertificateError::Read { path: path.into(), cause },
        pem::Error::NoItemsFound => none(path.into()),
        // The cause is not shown: it quotes the file.
        _ => CertificateError::Damaged(path.into()),
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn host_name() -> Option<String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let variables = ["COMPUTERNAME", "HOSTNAME"];
    let files = files.into_iter().filter_map(|path| fs::read_to_string(path).ok());
    let variables = variables.into_iter().filter_map(|name| std::env::var(name).ok());
    files.chain(variables).map(|name| name.trim().to_owned()).find(|name| ServerName::try_from(name.as_str()).is_ok())
}

/// The address that packets to `destination` would come from. None is sent.
fn outward_address(any: IpAddr, destination: SocketAddr) -> Option<String> {
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(destination).ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}
