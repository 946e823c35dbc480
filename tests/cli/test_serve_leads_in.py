"""`pygeodesign serve` leads in: a link for each administrator, the first one opened in a browser of this machine."""

import html
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from commands import environment
from pygeodesign import Client
from serving import PROJECT, command, running_service
from terminal import terminal

ELSEWHERE = ("SSH_CONNECTION", "JPY_PARENT_PID", "CI")

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


class Screen(NamedTuple):
    """A service at a terminal of a machine with a screen, and the notes of its browser."""

    printed: str
    notes: Path

    def opened(self) -> str | None:
        """The address that the browser was given, within a second."""
        for _ in range(20):
            if self.notes.exists():
                return self.notes.read_text(encoding="utf-8")
            time.sleep(0.05)
        return None


@contextmanager
def at_a_screen(folder: Path, *options: object, **variables: str) -> Iterator[Screen]:
    browser, notes = folder / "browser", folder / "notes"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{notes}.new" && mv "{notes}.new" "{notes}"\n', encoding="utf-8")
    browser.chmod(0o700)
    screen = dict.fromkeys(ELSEWHERE, "") | {"DISPLAY": ":0", "WAYLAND_DISPLAY": "", "BROWSER": str(browser)}
    with terminal() as (person, program):
        process = subprocess.Popen(
            command("--port", 0, *options),
            env=environment(folder, **screen | variables),
            stdin=program,
            stdout=program,
            stderr=program,
            start_new_session=True,
        )
        printed = b""
        while b"Ctrl-C stops it" not in printed:
            printed += os.read(person, 4096)
        try:
            yield Screen(printed.decode(), notes)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


def test_each_administrator_has_a_link_that_signs_in() -> None:
    with running_service("--administrator", "zoe", "--member", "ben") as service:
        address = service.urls[0].removesuffix("/api/v1/")
        assert service.links == {name: f"{address}/join/#{name}:{service.tokens[name]}" for name in ("admin", "zoe")}
        assert Client.join(service.links["zoe"]).project(PROJECT).info()


@needs_terminal
def test_the_first_administrator_is_signed_in_by_a_page_that_others_cannot_read(tmp_path: Path) -> None:
    with at_a_screen(tmp_path) as screen:
        assert "one for each administrator, to open in a browser" in screen.printed
        address = screen.opened()
        assert address is not None
        page = Path(address.removeprefix("file://"))
        assert page.stat().st_mode & 0o777 == 0o600
        assert page.parent.stat().st_mode & 0o777 == 0o700
        (link,) = [word for word in screen.printed.split() if "/join/#admin:" in word]
        # Other users of the machine see the address, but not the page.
        assert link.rpartition(":")[2] not in address
        assert html.escape(link) in page.read_text(encoding="utf-8")
    assert not page.parent.exists()


@needs_terminal
@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (["--no-browser"], {}),
        (["--no-pages"], {}),
        ([], {"DISPLAY": ""}),
        *[([], {name: "1"}) for name in ELSEWHERE],
    ],
)
def test_nothing_is_opened_without_a_person_at_a_screen(
    tmp_path: Path, options: list[str], variables: dict[str, str]
) -> None:
    with at_a_screen(tmp_path, *options, **variables) as screen:
        assert "/join/#admin:" in screen.printed
        assert screen.opened() is None


@needs_terminal
def test_a_browser_that_does_not_open_says_nothing(tmp_path: Path) -> None:
    with at_a_screen(tmp_path, BROWSER=str(tmp_path / "missing")) as screen:
        assert screen.printed.rstrip().endswith("Ctrl-C stops it.")
        assert screen.opened() is None
