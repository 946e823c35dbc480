"""A certificate is valid for a time: an error mentions that this computer's clock may be wrong, and blames nobody."""

import base64
import datetime
import hashlib
import ssl
from email.utils import format_datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from local_server import LocalServer, QuietHandler
from pygeodesign import Client, TransportError

DAY = datetime.timedelta(days=1)
NOW = datetime.datetime.now(datetime.UTC)
TOKEN = "0123456789abcdef0123456789abcdef01234567"


Signed = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def certificate(folder: Path, name: str, begins: datetime.datetime, issuer: Signed | None) -> Signed:
    """Makes a certificate for ten days, signed by its issuer or, for an authority, by itself; writes it and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    names = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(names)
        .issuer_name(issuer[0].subject if issuer else names)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + 10 * DAY)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(issuer[1] if issuer else key, hashes.SHA256())
    )
    (folder / f"{name}.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / f"{name}-key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return made, key


class Service(LocalServer):
    """A service with its own authority, whose certificate begins at one time while its clock shows another."""

    def __init__(self, folder: Path, begins: datetime.datetime, clock: datetime.datetime = NOW) -> None:
        authority = certificate(folder, "authority", NOW - DAY, None)
        certificate(folder, "service", begins, authority)
        pem = (folder / "authority.pem").read_bytes()
        self.ca_bundle = folder / "authority.pem"
        key = authority[0].public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.key = base64.urlsafe_b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                self.send_response_only(200)
                self.send_header("Date", format_datetime(clock, usegmt=True))
                self.send_header("Content-Length", str(len(pem)))
                self.end_headers()
                self.wfile.write(pem)

        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(folder / "service.pem", folder / "service-key.pem")
        super().__init__(Handler, tls)

    @property
    def address(self) -> str:
        return self.origin.replace("127.0.0.1", "localhost")


@pytest.mark.parametrize(
    ("begins", "said"),
    [(NOW + 3 * DAY, "becomes valid at "), (NOW - 15 * DAY, "was valid until ")],
    ids=["later", "before"],
)
def test_a_certificate_of_another_time_has_people_look_at_the_clock(
    tmp_path: Path, begins: datetime.datetime, said: str
) -> None:
    with Service(tmp_path, begins) as service:
        with pytest.raises(TransportError) as raised:
            Client(TOKEN, service.address, ca_bundle=service.ca_bundle, retries=0).projects()
        message = str(raised.value)
        assert said in message and "this computer's clock says 20" in message
        assert "Is this computer's clock right?" in message


@pytest.mark.parametrize("differs", [True, False])
def test_a_card_is_not_called_one_of_another_room_where_a_clock_may_be_wrong(tmp_path: Path, differs: bool) -> None:
    clock = NOW + 3 * DAY if differs else NOW
    with Service(tmp_path, NOW + 2 * DAY, clock) as service:
        with pytest.raises(TransportError) as raised:
            Client.join(f"{service.address}/join/#ana:{TOKEN}:{service.key}")
        message = str(raised.value)
        assert "Is this computer's clock right?" in message
        assert "new card" not in message and "somebody else" not in message
        assert (f"the service's clock says {clock:%Y-%m-%d}" in message) is differs
