"""JupyterLab and other programs of notebooks, in an installed browser."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def served(*command: str, port: int, folder: Path) -> Iterator[str]:
    """A server of notebooks, until it answers and while it is used."""
    url = f"http://127.0.0.1:{port}/"
    with (folder / "server.txt").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", *command], cwd=folder, stdout=log, stderr=log)
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(url, timeout=2)
                    break
                except OSError:
                    assert process.poll() is None, (folder / "server.txt").read_text()
                    time.sleep(0.1)
            yield url
        finally:
            process.terminate()
            process.wait(20)


class Notebook:
    """A notebook that is open in JupyterLab."""

    def __init__(self, browser: Browser, url: str, path: Path, cells: Sequence[str]) -> None:
        empty: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {
            "cells": [empty | {"id": f"cell-{number}", "source": cell} for number, cell in enumerate(cells)],
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path.write_text(json.dumps(notebook))
        self.path, self.requests, self.errors = path, list[str](), list[str]()
        self.page = browser.new_page(viewport={"width": 1400, "height": 1100})
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{url}lab/workspaces/{path.stem}/tree/{path.name}?reset")
        expect(self.page.locator(".jp-Notebook .jp-CodeCell").first).to_be_attached(timeout=60_000)
        self.wait()

    def wait(self) -> None:
        """Waits until the kernel is idle."""
        indicator = self.page.locator(".jp-Notebook-ExecutionIndicator")
        expect(indicator).to_have_attribute("data-status", "idle", timeout=60_000)
        expect(self.page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=60_000)

    def run(self, number: int) -> str:
        """Runs a cell, and returns its output as text."""
        cell = self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)
        prompt = cell.locator(".jp-InputPrompt")
        before = prompt.inner_text()
        for _ in range(20):
            prompt.click()
            self.page.get_by_role("button", name="Run this cell and advance").click()
            self.page.wait_for_timeout(500)
            # JupyterLab may not be ready.
            if prompt.inner_text() != before:
                break
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=60_000)
        self.page.wait_for_timeout(200)
        output = cell.locator(".jp-OutputArea-output")
        return output.last.inner_text() if output.count() else ""


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """A JupyterLab over a folder."""
    port = free_port()
    options = [
        "--no-browser",
        f"--port={port}",
        "--allow-root",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
    ]
    with served("jupyterlab", *options, "--ServerApp.disable_check_xsrf=True", port=port, folder=folder) as url:
        yield url


SETUP = "from pygeodesign import Sandbox\nsandbox = Sandbox()\nproject = sandbox.project()"
