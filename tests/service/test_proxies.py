"""Caddy and nginx in front of a service, with the configurations of the page on serving."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from documents import blocks
from serving import PROJECT, RunningService, running_service
from workshops_folder import eventually

HOST = "geodesign.example.org"
PROGRAMS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}{os.pathsep}/usr/sbin"

Command = Callable[[Path, RunningService, int], list[str]]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def configuration(language: str, service: RunningService) -> str:
    """The configuration on the page on serving, for a service's port."""
    (block,) = [block for block in blocks("docs/serving.md") if block.language == language]
    return block.text.replace("127.0.0.1:8443", urlsplit(service.urls[0]).netloc)


def caddy(folder: Path, service: RunningService, port: int) -> list[str]:
    """Caddy with a self-signed certificate, because the name is not registered."""
    options = f"admin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\nhttps_port {port}\n"
    file = folder / "Caddyfile"
    file.write_text(f"{{\n{options}}}\n{configuration('caddyfile', service)}", encoding="utf-8")
    return ["run", "--config", str(file)]


def nginx(folder: Path, service: RunningService, port: int) -> list[str]:
    """nginx with another service's certificate, and with all its files in the folder."""
    with running_service("--db", folder / "other.sqlite", "--tls-self-signed", "--tls-name", HOST):
        certificates = folder / "other.sqlite.tls"
    text = configuration("nginx", service).replace("listen 443", f"listen 127.0.0.1:{port}")
    for name, own in (("fullchain.pem", "server.pem"), ("privkey.pem", "server-key.pem")):
        text = text.replace(f"/etc/letsencrypt/live/{HOST}/{name}", str(certificates / own))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
    file = folder / "nginx.conf"
    options = f"daemon off; pid {folder / 'pid'}; error_log stderr; events {{}}\n"
    file.write_text(f"{options}http {{\naccess_log off;\n{paths}{text}}}\n", encoding="utf-8")
    return ["-c", str(file), "-e", "stderr"]


@contextmanager
def proxy(name: str, command: Command, folder: Path, service: RunningService) -> Iterator[int]:
    """The port of a proxy in front of a service."""
    program = shutil.which(name, path=PROGRAMS)
    if program is None:
        pytest.skip(f"{name} is not installed")
    port = free_port()
    arguments = [program, *command(folder, service, port)]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(arguments, stdout=log, stderr=log, env=environment)
    try:
        eventually(lambda: is_answering(port))
        yield port
    finally:
        process.terminate()
        process.wait(20)


def connect(port: int) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    # The test is not about the certificate.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=20), server_hostname=HOST)


def is_answering(port: int) -> bool:
    with suppress(OSError), connect(port):
        return True
    return False


def request(path: str, token: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Token {token}\r\n\r\n".encode()


def read_until(connection: ssl.SSLSocket, text: str) -> bytes:
    received = b""
    while text.encode() not in received:
        part = connection.recv(65_536)
        assert part, received
        received += part
    return received


@pytest.mark.parametrize(("name", "command"), [("caddy", caddy), ("nginx", nginx)])
def test_a_proxy_passes_on_requests_and_events(name: str, command: Command, tmp_path: Path) -> None:
    options = ("--db", tmp_path / "workshop.sqlite", "--public-host", HOST)
    with (
        running_service(*options) as service,
        proxy(name, command, tmp_path, service) as port,
        connect(port) as connection,
        connect(port) as watching,
    ):
        token = service.tokens["admin"]
        connection.sendall(request("/ogc/?f=json", token))
        assert b" 200 " in read_until(connection, f"https://{HOST}/ogc/").split(b"\r\n")[0]
        watching.sendall(request(f"/api/v1/projects/{PROJECT}/events/", token))
        read_until(watching, "event: hello")
        service.client().project(PROJECT).diagram(1002).set_notes("seen at once")
        written = time.monotonic()
        read_until(watching, "event: diagram")
        assert time.monotonic() - written < 1
