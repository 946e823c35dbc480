"""The commands in the README and in docs/command-line.md work, one after the other."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import geopandas
import pytest
from shapely.geometry import box

from commands import environment
from documents import DOCUMENTS, WORKSHOP, shell_commands
from osm_town import write_town
from serving import running_service

pytestmark = [pytest.mark.unix, pytest.mark.early, pytest.mark.slow]

# These are run by test_documents.py.
OTHERS = ("pygeodesign serve", "pygeodesign backup copy.sqlite --db")
COMMANDS = {
    document: [
        command
        for command in shell_commands(document)
        if command.startswith("pygeodesign ") and not command.startswith(OTHERS)
    ]
    for document in DOCUMENTS
    if document != WORKSHOP
}
# The service's address in the documents.
ADDRESS = "https://workshop.local:8443"


@pytest.mark.parametrize("document", [document for document, commands in COMMANDS.items() if commands])
def test_the_commands_of_a_document_run_in_order(document: str, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "pygeodesign"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m pygeodesign \"$@\"\n")
    program.chmod(0o755)
    write_files(tmp_path)
    with running_service("--db", tmp_path / "workshop.sqlite") as service:
        variables = environment(tmp_path)
        link = f"{urljoin(service.urls[0], '/join/')}#admin:{service.tokens['admin']}"
        variables["PATH"] = f"{program.parent}:{variables['PATH']}"
        for command in COMMANDS[document]:
            ended = subprocess.run(
                ["sh", "-c", command.replace(ADDRESS, service.urls[0])],
                cwd=tmp_path,
                env=variables,
                # Where no address is given, `login` asks for a link.
                input=link if command == "pygeodesign login" else service.tokens["admin"],
                capture_output=True,
                encoding="utf-8",
                timeout=240,
                check=False,
            )
            assert ended.returncode == 0, f"{command}: {ended.stderr}"
    written = {word for command in COMMANDS[document] for word in command.split() if word.endswith((".csv", ".html"))}
    assert all((tmp_path / name).stat().st_size > 0 for name in written)


def write_files(folder: Path) -> None:
    """The files that the documents name."""
    park = box(-74.15, 40.57, -74.14, 40.58)
    parks = geopandas.GeoDataFrame({"name": ["North park", "South park"]}, geometry=[park, park], crs=4326)
    parks.to_file(folder / "parks.gpkg")
    parks.to_file(folder / "parks.geojson")
    parks.to_file(folder / "area.gpkg")
    # GDAL recognises it by its contents.
    write_town(folder / "city.osm.pbf")
    (folder / "members.csv").write_text("name,team\nana,Residents\nben,Residents\n")
    systems = [{"name": "Roofs", "color": "#112233"}]
    project = {"title": "Old town", "bounds": "-74.2,40.5,-74.1,40.6", "systems": systems}
    (folder / "workshop.json").write_text(json.dumps({"new_projects": [project]}))
