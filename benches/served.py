"""A service of this package, run by its command in a process of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

# What the command prints last when it has started.
LAST_LINE = "Ctrl-C"


class Served(NamedTuple):
    """A running service, with the token of its administrator."""

    # Host and port.
    address: str
    url: str
    token: str
    # The certificate authority of `--tls-self-signed`.
    ca_file: str | None


@contextmanager
def served(*options: str) -> Iterator[Served]:
    """Runs `pygeodesign serve` with these options at a free port."""
    command = [sys.executable, "-m", "pygeodesign", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            welcome = ""
            for line in process.stdout:
                welcome += line
                if line.startswith(LAST_LINE):
                    break
            url = re.search(r"https?://(127\.0\.0\.1:\d+)/api/v1/", welcome)
            token = re.search(r"^\s+admin\s+(\w{40})", welcome, re.MULTILINE)
            ca_file = re.search(r"^\s+(/\S+\.pem)", welcome, re.MULTILINE)
            assert url and token, welcome
            yield Served(url[1], url[0], token[1], ca_file and ca_file[1])
        finally:
            process.terminate()
