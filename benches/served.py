"""Services in processes of their own: starting them, putting them under load, and reading the kernel's figures."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

from harness import program

PROJECT = "StatenIsland2050"
# The command's last line when it has started.
LAST_LINE = "Ctrl-C"


class Service(NamedTuple):
    """A running service, with a token for requests to it."""

    # Host and port.
    address: str
    token: str
    pid: int
    # The certificate authority of `--tls-self-signed`.
    ca_file: str | None = None

    @property
    def url(self) -> str:
        return f"http{'s' if self.ca_file else ''}://{self.address}/api/v1/"

    def path(self, below: str) -> str:
        """The path of something below the project."""
        return f"/api/v1/projects/{PROJECT}/{below}"

    def get(self, below: str) -> Any:
        request = Request(f"http://{self.address}{self.path(below)}", headers={"Authorization": f"Token {self.token}"})
        with urlopen(request, timeout=60) as response:
            return json.load(response)

    def status(self, field: str) -> int:
        """Bytes that the kernel reports for the process."""
        text = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.findall(rf"^{field}:\s+(\d+)", text, re.MULTILINE)[0]) * 1024

    def load(self, paths: Sequence[str], connections: int, seconds: float) -> float:
        """Requests per second on several connections that each request all paths in turn."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write("\n".join(paths))
            file.flush()
            return self.load_from(f"@{file.name}", connections, seconds)[0]

    def load_from(self, paths: str, connections: int, seconds: float, *options: str) -> list[float]:
        """Requests per second, and the median and the 99th percentile of latencies in milliseconds."""
        command = [program("load"), self.address, paths, self.token, str(connections), str(seconds), *options]
        return [*map(float, subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split())]


@contextmanager
def served(*options: object) -> Iterator[Service]:
    """Runs `pygeodesign serve` with these options at a free port."""
    command = [sys.executable, "-m", "pygeodesign", "serve", "--port", "0", *map(str, options)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            welcome = ""
            for line in process.stdout:
                welcome += line
                if line.startswith(LAST_LINE):
                    break
            address = re.search(r"https?://(127\.0\.0\.1:\d+)/", welcome)
            token = re.search(r"^\s+admin\s+(\w{40})", welcome, re.MULTILINE)
            ca_file = re.search(r"^\s+(/\S+\.pem)", welcome, re.MULTILINE)
            assert address, welcome
            yield Service(address[1], token[1] if token else "", process.pid, ca_file and ca_file[1])
        finally:
            process.terminate()
