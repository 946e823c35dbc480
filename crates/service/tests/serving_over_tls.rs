//! A service that encrypts with TLS, and its certificate authority.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use geodesign::model::join_link;
use geodesign_client::{Advice, Client, Config, Error};
use geodesign_service::{ListenError, Server, ServiceConfig, StartError, Tls};
use tokio::runtime::Builder;

fn self_signed(folder: &Path) -> ServiceConfig {
    let tls = Tls::SelfSigned { folder: folder.join("tls"), names: vec!["localhost".into(), "127.0.0.1".into()] };
    ServiceConfig { path: Some(folder.join("workshop.sqlite")), tls, ..ServiceConfig::default() }
}

fn client(service: &Server) -> Client {
    let token = service.store().issue_token(&"admin".parse().unwrap()).unwrap();
    let ca_bundle = service.ca_file().map(Path::to_owned);
    Client::new(Config { ca_bundle, retries: 0, ..Config::new(token, service.url()) }).unwrap()
}

#[tokio::test]
async fn a_client_that_trusts_the_authority_can_read_and_any_other_gets_a_transport_error() {
    let folder = tempfile::tempdir().unwrap();
    let service = Server::start(self_signed(folder.path())).unwrap();
    assert!(service.url().starts_with("https://"));
    assert_eq!(client(&service).projects().await.unwrap().len(), 1);
    let without_authority = Client::new(Config { retries: 0, ..Config::new("token", service.url()) }).unwrap();
    let refused = without_authority.projects().await.unwrap_err();
    assert!(matches!(refused, Error::Transport { advice: Advice::TrustTheCertificate, .. }), "{refused}");
}

#[tokio::test]
async fn the_certificate_of_an_authority_does_not_identify_a_service_even_if_it_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key] = ["self.pem", "self-key.pem"].map(|name| folder.path().join(name));
    let mut parameters = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key_pair = rcgen::KeyPair::generate().unwrap();
    std::fs::write(&certificate, parameters.self_signed(&key_pair).unwrap().pem()).unwrap();
    std::fs::write(&key, key_pair.serialize_pem()).unwrap();
    let tls = Tls::Files { certificate: certificate.clone(), key };
    let service = Server::start(ServiceConfig { tls, ..ServiceConfig::default() }).unwrap();
    let trusting = Config { ca_bundle: Some(certificate), ..Config::new("token", service.url()) };
    let refused = Client::new(trusting).unwrap().projects().await.unwrap_err();
    assert!(matches!(refused, Error::Transport { advice: Advice::MakeACertificateForTheService, .. }), "{refused}");
}

#[test]
fn one_client_works_on_runtimes_with_and_without_worker_threads_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let service = Server::start(self_signed(folder.path())).unwrap();
    let client = client(&service);
    let runtimes = [Builder::new_current_thread(), Builder::new_multi_thread()]
        .map(|mut builder| builder.enable_all().build().unwrap());
    for runtime in runtimes.iter().cycle().take(4) {
        assert_eq!(runtime.block_on(client.projects()).unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_restarted_service_keeps_its_certificate_authority() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start(self_signed(folder.path())).unwrap();
    let authority = std::fs::read(first.ca_file().unwrap()).unwrap();
    first.stop();
    let second = Server::start(self_signed(folder.path())).unwrap();
    assert_eq!(std::fs::read(second.ca_file().unwrap()).unwrap(), authority);
    assert_eq!(client(&second).projects().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_link_with_the_key_of_the_authority_joins_at_any_address_of_the_room() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start(self_signed(folder.path())).unwrap();
    let key = *first.authority_key().unwrap();
    assert_eq!(client(&first).authority().await.unwrap().unwrap().key(), &key);
    first.stop();
    let mut moved = self_signed(folder.path());
    let Tls::SelfSigned { names, .. } = &mut moved.tls else { panic!("it signs itself") };
    names.push("another.local".into());
    let second = Server::start(moved).unwrap();
    assert_eq!(second.authority_key(), Some(&key));
    let token = second.store().issue_token(&"admin".parse().unwrap()).unwrap();
    let url = second.url();
    let link = |key| join_link(url.strip_suffix("/api/v1/").unwrap(), "admin", &token, key);
    let joined = Client::join(&link(Some(&key))).await.unwrap();
    assert_eq!(joined.projects().await.unwrap().len(), 1);
    let other = "9MAtykWfp6QDJRBGMvifk56yrVUIzlJV7zTQJeMPK_4".parse().unwrap();
    let refused = Client::join(&link(Some(&other))).await.unwrap_err();
    assert!(matches!(refused, Error::OtherRoom { .. }) && !refused.to_string().contains(&token), "{refused}");
}

#[test]
fn plain_http_is_redirected_to_https_on_the_same_port() {
    let folder = tempfile::tempdir().unwrap();
    let service = Server::start(self_signed(folder.path())).unwrap();
    let address = service.url().trim_start_matches("https://").split('/').next().unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).unwrap();
    write!(connection, "GET /api/v1/projects/ HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token secret\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 301 "), "{response}");
    assert!(response.contains(&format!("Location: https://{address}/api/v1/projects/\r\n")), "{response}");
}

#[tokio::test]
async fn connections_that_send_nothing_do_not_delay_others() {
    let folder = tempfile::tempdir().unwrap();
    let service = Server::start(self_signed(folder.path())).unwrap();
    let address = service.url().trim_start_matches("https://").split('/').next().unwrap().to_owned();
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(&address).unwrap()).collect();
    assert_eq!(client(&service).projects().await.unwrap().len(), 1);
    drop(silent);
}

#[test]
fn a_service_without_tls_only_listens_on_loopback_addresses() {
    let refused = Server::start(ServiceConfig { host: "0.0.0.0".into(), ..ServiceConfig::default() }).unwrap_err();
    assert!(matches!(refused, StartError::Listen(ListenError::NotLoopback(_))), "{refused}");
}

#[test]
fn a_certificate_file_that_cannot_be_used_is_named_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing.pem");
    let tls = Tls::Files { certificate: missing.clone(), key: missing };
    let refused = Server::start(ServiceConfig { tls, ..ServiceConfig::default() }).unwrap_err();
    assert!(refused.to_string().contains("nothing.pem"), "{refused}");
}
