"""The example that `make demo` runs prints its tables and writes its files."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib.image
import pytest

from documents import ROOT
from pygeodesign import Project

EXAMPLE = ROOT / "examples" / "costs_per_system.py"

# Pixels: a tenth of an inch.
MARGIN = 15


class Run(NamedTuple):
    printed: list[str]
    folder: Path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("example")
    command = [sys.executable, "-W", "error", str(EXAMPLE)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return Run(run.stdout.splitlines(), folder / "build" / "demo")


@pytest.mark.slow
def test_each_system_has_a_row_with_its_cost(run: Run, project: Project) -> None:
    report = project.costs()
    for name, cost in [(system["name"], system["cost"]) for system in report.systems] + [("Total", report.total)]:
        (row,) = (line for line in run.printed if line.startswith(name + "  "))
        assert f"{cost:,.0f}" in row.split()


@pytest.mark.slow
def test_each_design_has_a_row_with_its_cost(run: Run, project: Project) -> None:
    for team in project.teams():
        for design in project.designs(team["id"]):
            cost = project.costs(team=team["id"], design=design["id"]).total
            assert [line for line in run.printed if line.startswith(str(team["title"])) and f"{cost:,.0f}" in line]


@pytest.mark.slow
def test_the_files_that_the_example_prints_exist(run: Run) -> None:
    named = [Path(line.split()[0]).name for line in run.printed if line.startswith("  build/demo/")]
    assert sorted(named) == sorted(file.name for file in run.folder.iterdir())
    assert all(file.stat().st_size > 5_000 for file in run.folder.iterdir())


@pytest.mark.parametrize("picture", ["costs.png", "map.png"])
def test_pictures_have_an_empty_margin(run: Run, picture: str) -> None:
    image = matplotlib.image.imread(run.folder / picture)
    for side in (image, image[::-1], image[:, ::-1].swapaxes(0, 1), image.swapaxes(0, 1)):
        assert (side[:MARGIN] == 1).all(), "something is at the edge"
    assert (image != 1).any(axis=2).mean() > 0.02
