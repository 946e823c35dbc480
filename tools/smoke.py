"""Checks that an installed pygeodesign works: service, clients, costs, command line, licence files.

    python -W error -I tools/smoke.py

It needs only the package, so that it runs in an empty environment (`tools/try_wheel.py`) on any platform.
"""

import asyncio
import subprocess
import sys
from importlib import metadata
from urllib.parse import urljoin
from urllib.request import urlopen

import pygeodesign

# The total cost of the demo project, as in the README. It is the same on every platform.
TOTAL = 13_123_277_700
LICENCES = {"LICENSE-APACHE", "LICENSE-MIT", "SOURCES.md", "THIRD_PARTY_LICENSES.txt"}
# The room, its style, and a library that it loads.
PAGES = ("", "web/page.css", "web/vendor/leaflet.js")


def main() -> None:
    with pygeodesign.Sandbox() as sandbox:
        project = sandbox.project()
        report = project.costs()
        assert len(report.systems) == 9, report.systems
        assert round(report.total) == TOTAL, report.total
        assert len(project.diagrams().to_dict()["features"]) == 214
        assert project.diagram(1001).thumbnail().startswith(b"\x89PNG")
        assert asyncio.run(total_from_async_client(sandbox)) == report.total
        for page in PAGES:
            with urlopen(urljoin(sandbox.url, f"/{page}")) as response:
                assert len(response.read()) > 1_000, page
    command = [sys.executable, "-I", "-m", "pygeodesign", "serve", "--help"]
    assert "--tls-self-signed" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    files = {file.name for file in metadata.files("pygeodesign") or []}
    assert files >= LICENCES, LICENCES - files
    print(f"pygeodesign {pygeodesign.__version__} works with Python {sys.version.split()[0]} on {sys.platform}")


async def total_from_async_client(sandbox: pygeodesign.Sandbox) -> float:
    report = await sandbox.async_client().project(sandbox.project_ids[0]).costs()
    return report.total


if __name__ == "__main__":
    main()
