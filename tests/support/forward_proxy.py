"""A forward proxy, such as that of an office: it connects to hosts that only it knows, and may open TLS on the way."""

import base64
import http.client
import select
import socket
import socketserver
import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from local_server import LocalServer, QuietHandler

# No name server knows it.
HOST = "geodesign.example"


class Firewall(NamedTuple):
    """The authority of a firewall that opens TLS, and its settings for connections to `HOST`."""

    authority: Path
    tls: ssl.SSLContext


def firewall(folder: Path) -> Firewall:
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _certificate("Firewall", authority_key, "Firewall", authority_key, is_authority=True)
    certificate = _certificate(HOST, key, "Firewall", authority_key, is_authority=False)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "leaf.pem").write_bytes(private + certificate.public_bytes(Encoding.PEM))
    (folder / "firewall.pem").write_bytes(authority.public_bytes(Encoding.PEM))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "leaf.pem")
    return Firewall(folder / "firewall.pem", tls)


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    subject, signer = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in (name, issuer))
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(signer, subject, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=30))
    builder = builder.add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def tunnel(here: socket.socket, target: str) -> None:
    """Passes on bytes in both directions until one end closes."""
    host, _, port = target.rpartition(":")
    with socket.create_connection((host, int(port))) as there:
        ends = {here: there, there: here}
        while ready := select.select(list(ends), [], [], 20)[0]:
            for end in ready:
                data = end.recv(65536)
                if not data:
                    return
                ends[end].sendall(data)


class SocksProxy:
    """A SOCKS proxy (RFC 1928), such as that of `ssh -D`, which resolves names itself; see `ForwardProxy`."""

    def __init__(self, service: str) -> None:
        self.asked: list[str] = []
        proxy, target = self, urlsplit(service).netloc

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with self.request.makefile("rb") as sent:
                    _, methods = sent.read(2)
                    sent.read(methods)
                    self.request.sendall(b"\x05\x00")
                    # Version, command, reserved, and a name with its length.
                    *_, length = sent.read(5)
                    proxy.asked.append(sent.read(length).decode())
                    sent.read(2)
                self.request.sendall(b"\x05\x00\x00\x01" + bytes(6))
                tunnel(self.request, target)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class ForwardProxy(LocalServer):
    """Connects to `service`, at whatever host it is asked for, and records the hosts in `asked`.

    With a `password` (`USER:PASSWORD`) it wants that one. With a `firewall` it opens TLS, and answers from a service in
    plain http; `requests` has what it reads then.
    """

    def __init__(self, service: str, password: str | None = None, firewall: Firewall | None = None) -> None:
        self.asked: list[str] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        proxy, target = self, urlsplit(service).netloc
        wanted = f"Basic {base64.b64encode(password.encode()).decode()}" if password else None

        class Handler(QuietHandler):
            def do_CONNECT(self) -> None:  # noqa: N802
                proxy.asked.append(self.path)
                if wanted and self.headers["proxy-authorization"] != wanted:
                    self.send_response(407)
                    self.send_header("proxy-authenticate", "Basic")
                    self.send_body(b"")
                else:
                    self.connect()

            def connect(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.flush()
                if firewall:
                    self.open_tls(firewall.tls)
                else:
                    self.tunnel()

            def open_tls(self, tls: ssl.SSLContext) -> None:
                try:
                    self.connection = tls.wrap_socket(self.connection, server_side=True)
                except ssl.SSLError:
                    # The client does not trust the firewall.
                    self.close_connection = True
                else:
                    self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb")
                    self.close_connection = False

            def tunnel(self) -> None:
                self.close_connection = True
                tunnel(self.connection, target)

            def finish(self) -> None:
                super().finish()
                self.connection.close()

            def forward(self) -> None:
                sent = {name.lower(): value for name, value in self.headers.items()}
                proxy.requests.append((self.path, sent))
                connection = http.client.HTTPConnection(target, timeout=20)
                connection.request(self.command, self.path, self.request_body() or None, sent | {"host": target})
                response = connection.getresponse()
                body = response.read()
                connection.close()
                self.send_response(response.status)
                for name in ("content-type", "content-encoding", "etag"):
                    if name in response.headers:
                        self.send_header(name, response.headers[name])
                self.send_body(body)
                self.wfile.flush()

            do_GET = do_POST = forward  # noqa: N815

        super().__init__(Handler)

    @property
    def address(self) -> str:
        return urlsplit(self.origin).netloc
