"""`pygeodesign new` writes a setup file for `pygeodesign serve`, from options or from answers at a terminal."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pytest
from shapely.geometry import box

from commands import Ended, environment, output_of, run
from pygeodesign import Client
from serving import running_service

pytestmark = pytest.mark.early

MEMBERS = """\ufeffName;Team;Administrator;E-mail
facilitator;;yes;f@example.org
alma;Residents;;a@example.org
bento;Residents;no;
"carla;dias";Planners;;
"""
SYSTEMS = """name,tag,color,cost,budget,target_ha
Water,WAT,#2B7BBA,125000,50e6,40
Green,GRN,#3B8F4E,,,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A facilitator's files: maps in a national CRS, and lists written by a spreadsheet program."""
    parishes = [box(-9.16, 38.70, -9.14, 38.72), box(-9.14, 38.70, -9.12, 38.72)]
    frame = geopandas.GeoDataFrame({"name": ["Mouraria", "Alfama"], "class": [2, 5]}, geometry=parishes, crs=4326)
    frame.to_crs(3763).to_file(tmp_path / "study area.gpkg")
    frame.to_crs(3763).to_file(tmp_path / "water.gpkg")
    (tmp_path / "members.csv").write_text(MEMBERS, encoding="utf-8")
    (tmp_path / "systems.csv").write_text(SYSTEMS, encoding="utf-8")
    return tmp_path


GIVEN = ["--title", "Lisbon 2040", "--area", "study area.gpkg"]
EVALUATED = ["--evaluation", "wat=water.gpkg:class"]
ANSWERED = ["--systems", "systems.csv", "--members", "members.csv"]


def project_of(path: Path) -> dict[str, Any]:
    (project,) = json.loads(path.read_text(encoding="utf-8"))["new_projects"]
    assert isinstance(project, dict)
    return project


def test_the_printed_command_serves_what_the_options_say(folder: Path) -> None:
    others = ["--team", "Guests=dora", "--description", "Hills"]
    ended = run(folder, "new", "my workshop.json", *GIVEN, *ANSWERED, *EVALUATED, *others)
    assert ended.code == 0, ended.messages
    assert "Unused columns in members.csv: e-mail" in ended.messages
    assert "2 systems, 5 people, 3 teams" in ended.messages
    program, serve, *arguments = shlex.split(ended.output)
    assert (program, serve) == ("pygeodesign", "serve") and "my workshop.json" in arguments
    paths = {name: str(folder / name) for name in ("my workshop.json", "my workshop.sqlite")}
    with running_service(*(paths.get(argument, argument) for argument in arguments)) as service:
        assert service.tokens.keys() == {"facilitator", "alma", "bento", "carla;dias", "dora"}
        authority = folder / "my workshop.sqlite.tls" / "ca.pem"
        client = Client(service.tokens["facilitator"], service.urls[-1], ca_bundle=authority)
        (only,) = service.projects
        project = client.project(only)
        assert project.info()["projecttitle"] == "Lisbon 2040"
        assert project.study_area.boundaries().bounds == pytest.approx((-9.16, 38.70, -9.12, 38.72), abs=1e-6)
        teams = {team["title"]: project.team(team["id"]).members() for team in project.teams()}
        assert teams == {"Residents": ["alma", "bento"], "Planners": ["carla;dias"], "Guests": ["dora"]}
        water, _ = project.systems()
        assert project.system(water["id"])["budget"] == 50e6
        areas = project.system(water["id"]).evaluation()["features"]
        assert [area["properties"]["areatype"] for area in areas] == ["yellow", "green3"]


def test_the_systems_of_the_international_geodesign_collaboration_are_ten(folder: Path) -> None:
    output_of(folder, "new", "igc.json", *GIVEN, "--systems", "igc", "--administrator", "ana")
    systems = project_of(folder / "igc.json")["systems"]
    assert len({system["tag"] for system in systems}) == len({system["color"] for system in systems}) == 10
    with running_service("--project", "none", "--setup", folder / "igc.json") as service:
        (only,) = service.projects
        served = Client(service.tokens["ana"], service.urls[0]).project(only).systems()
    assert [system["name"] for system in served] == [system["name"] for system in systems]


def test_files_beside_the_setup_file_move_with_it(folder: Path) -> None:
    (folder / "evening").mkdir()
    (folder / "study area.gpkg").rename(folder / "evening" / "area.gpkg")
    given = ["--title", "Lisbon", "--area", "evening/area.gpkg", "--systems", "systems.csv", "--administrator", "ana"]
    output_of(folder, "new", "evening/workshop.json", *given, *EVALUATED)
    project = project_of(folder / "evening" / "workshop.json")
    assert project["boundaries"]["file"] == "area.gpkg"
    assert project["systems"][0]["evaluation"] == {"file": str(folder / "water.gpkg"), "column": "class"}


def refused(folder: Path, *command: object) -> Ended:
    ended = run(folder, "new", "workshop.json", *command)
    assert ended.code != 0 and ended.output == ""
    assert not (folder / "workshop.json").exists()
    return ended


def test_what_no_option_says_is_named_where_nobody_can_be_asked(folder: Path) -> None:
    ended = refused(folder, "--title", "Lisbon")
    assert ended.code == 2
    assert "give --area FILE, --systems igc|FILE, --administrator NAME or --members FILE" in ended.messages


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("members.csv", "name\nana\nana\n", 'line 3: column "name": ana is in line 2 already'),
        ("members.csv", "name,administrator\nana,maybe\n", 'line 2: column "administrator": "maybe" is neither'),
        ("members.csv", f"name\n{'x' * 151}\n", 'line 2: column "name":'),
        (
            "members.csv",
            "name\n" + "\n".join(f"u{n}" for n in range(5001)),
            'line 5002: column "name": a list has at most 5000 people',
        ),
        ("members.csv", "name" + "," * 400_000, "line 1: it has 400001 columns, more than the 100 allowed"),
        ("members.csv", "team\nResidents\n", 'line 1: there is no column "name"'),
        ("members.csv", b"name\n\xe9lo\xefse\n", "is not in UTF-8"),
        ("systems.csv", "name,color\nWater,blue\n", 'line 2: column "color": "blue" is not of the form #RRGGBB'),
        ("systems.csv", "name,color,cost\nWater,#2B7BBA,free\n", 'line 2: column "cost": "free" is not a number'),
        ("systems.csv", "name,colour\nWater,#2B7BBA\n", 'line 1: there is no column "color"'),
        ("systems.csv", "name,color,costs\nWater,#2B7BBA,1\n", 'the column "costs" is unknown'),
        ("systems.csv", "name,color\n" + "".join(f"S{n},#2B7BBA\n" for n in range(13)), "at most 12 systems"),
    ],
)
def test_a_bad_cell_is_named_by_line_and_column(file: str, content: str | bytes, told: str, folder: Path) -> None:
    (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    ended = refused(folder, *GIVEN, *ANSWERED, "--administrator", "facilitator")
    assert ended.code == 2 and file in ended.messages and told in ended.messages


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([*ANSWERED, "--evaluation", "WAT=water.gpkg:name"], '"Mouraria" in the column "name", which is not a class'),
        ([*ANSWERED, "--evaluation", "WAT=water.gpkg:klass"], 'no column "klass"; its columns are: name, class'),
        ([*ANSWERED, "--evaluation", "Wine=water.gpkg:class"], "the systems are Water, Green"),
        ([*ANSWERED, "--evaluation", "WAT=water.gpkg"], "write SYSTEM=FILE:COLUMN"),
        ([*ANSWERED, "--area", "missing.gpkg"], "missing.gpkg"),
        ([*ANSWERED, "--title", " "], "the title is empty"),
        (["--systems", "igc", "--member", "ana", "--members", "nobody.csv"], "nobody.csv cannot be read"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_written(options: list[str], told: str, folder: Path) -> None:
    given = [word for word in GIVEN if word not in ("--title", "Lisbon 2040")] if "--title" in options else GIVEN
    given = given[: given.index("--area")] if "--area" in options else given
    assert told in refused(folder, *given, *options).messages


def test_somebody_has_to_run_the_workshop(folder: Path) -> None:
    (folder / "members.csv").write_text("name\nana\n")
    ended = refused(folder, *GIVEN, *ANSWERED)
    assert ended.code == 2 and "give --administrator NAME" in ended.messages


def test_a_file_that_exists_is_kept(folder: Path) -> None:
    (folder / "workshop.json").write_text("mine")
    ended = run(folder, "new", "workshop.json", *GIVEN, *ANSWERED)
    assert ended.code == 2 and "workshop.json exists" in ended.messages
    assert (folder / "workshop.json").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_what_no_option_says_is_asked_for_at_a_terminal(folder: Path) -> None:
    answers = {
        "Title": ["", "Lisbon 2040"],
        "Study area": ["missing.gpkg", "study area.gpkg"],
        "Systems": ["systems.csv"],
        "Evaluation": ["WAT=water.gpkg:klass", "WAT=water.gpkg:class", ""],
        "Members": ["alma, bento"],
        "Who runs": [""],
        "Team": ["Residents=alma,bento", ""],
    }
    shown = "".join(at_a_terminal(folder, answers, "new", "workshop.json"))
    for told in ("the title is empty", "missing.gpkg", 'no column "klass"', "pygeodesign serve --db workshop.sqlite"):
        assert told in shown
    project = project_of(folder / "workshop.json")
    assert (project["title"], project["administrators"]) == ("Lisbon 2040", ["facilitator"])
    assert project["members"] == ["alma", "bento"]
    assert project["teams"] == [{"title": "Residents", "members": ["alma", "bento"]}]
    assert project["systems"][0]["evaluation"] == {"file": "water.gpkg", "column": "class"}


def at_a_terminal(folder: Path, answers: dict[str, list[str]], *command: str) -> Iterator[str]:
    """Runs a command at its own terminal, and types the answers to its questions, which end with a colon."""
    import pty

    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "pygeodesign", *command], environment(folder, TERM="dumb"))
    shown = ""
    while True:
        try:
            piece = os.read(terminal, 4096).decode()
        except OSError:
            break
        if not piece:
            break
        yield piece
        shown += piece
        line = (shown.splitlines() or [""])[-1]
        asked = [question for question in answers if line.startswith(question)]
        if asked and line.endswith(": "):
            os.write(terminal, (answers[asked[0]].pop(0) + "\n").encode())
            shown = ""
    _, status = os.waitpid(process, 0)
    assert status == 0
    assert not any(answers.values())
