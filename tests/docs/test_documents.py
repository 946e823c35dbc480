"""The code blocks of the README and of docs/ work: Python runs, commands exist, and shown output is real."""

import contextlib
import functools
import importlib
import io
import json
import pkgutil
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import geopandas
import pytest
from shapely.geometry import box

import pygeodesign
from commands import listed_commands
from commands import output_of as printed_by
from documents import BLOCKS, DOCUMENTS, ROOT, WORKSHOP, Block, blocks, prose
from mbtiles import png
from pmtiles_file import write_pmtiles
from pygeodesign import Client, Project, Sandbox

pytestmark = pytest.mark.early

# How a block of each language is tested.
LANGUAGES = {
    "python": "it runs, in the order of the document",
    "text": "the Python before it prints it",
    "sh": "its commands exist and run",
    "json": "it is a setup file, and is applied",
    "caddyfile": "test_proxies.py runs Caddy with it",
    "nginx": "test_proxies.py runs nginx with it",
    "yaml": "test_replication.py runs Litestream with it",
}
# What pages set in the environment.
SETTING = re.compile("GEODESIGN_|HTTPS_PROXY=|NO_PROXY=")
# Commands that are not run: the tests only check that they exist. The values are the reasons.
NOT_RUN = {
    "make demo": "it sets up a virtual environment first; test_example.py runs what it starts",
    "make test": "it runs these tests",
    "make build": "it compiles for minutes",
    "make bench": "it takes minutes, and installs the peers",
    "make units": "it compiles for minutes",
}


def blocks_in(language: str) -> list[Any]:
    """The blocks of a language, without those of the workshop, which are tested together."""
    return [
        pytest.param(block, id=str(block))
        for block in BLOCKS
        if block.language == language and block.document != WORKSHOP
    ]


def commands() -> list[str]:
    """The commands of shell blocks, without that of the workshop, which is tested with the rest of it."""
    shell = [block for block in BLOCKS if block.language == "sh" and block.document != WORKSHOP]
    return [command for block in shell for command in block.commands()]


def environment() -> dict[str, str]:
    """The environment variables that the documents export."""
    exports = [shlex.split(command)[1:] for command in commands() if command.startswith("export ")]
    return dict(setting.split("=", 1) for export in exports for setting in export)


@pytest.mark.parametrize("block", [pytest.param(block, id=str(block)) for block in BLOCKS])
def test_every_code_block_has_a_language_that_is_tested(block: Block) -> None:
    assert block.language in LANGUAGES


@pytest.mark.parametrize("document", DOCUMENTS)
def test_code_is_in_fenced_blocks(document: str) -> None:
    assert re.findall(r"(?<=\n\n)(?: {4}|\t)\S.*", prose(document)) == []
    assert "```" not in prose(document) and "~~~" not in prose(document)


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The namespace of the Python blocks, with the exported variables and a working directory that has `parks.gpkg`."""
    shapes = [box(-74.15, 40.58, -74.14, 40.59), box(-74.15, 40.57, -74.14, 40.58)]
    parks = geopandas.GeoDataFrame({"name": ["North park", "South park"]}, geometry=shapes, crs=4326)
    parks.to_crs(32618).to_file(tmp_path / "parks.gpkg")
    monkeypatch.chdir(tmp_path)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    return {}


def run_python(document: str, names: dict[str, Any]) -> None:
    """Runs the Python blocks in order."""
    document_blocks = blocks(document)
    for number, block in enumerate(document_blocks):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block.text, str(block), "exec"), names)
            shown = "".join(
                block.text for block in document_blocks[number + 1 : number + 2] if block.language == "text"
            )
            assert printed.getvalue() == shown, f"{block} prints something else"


PAGES = sorted({block.values[0].document for block in blocks_in("python")})


@pytest.mark.slow
@pytest.mark.parametrize("document", PAGES)
def test_a_reader_can_begin_on_any_page(document: str, notebook: dict[str, Any]) -> None:
    run_python(document, notebook)


@pytest.mark.slow
def test_the_readme_draws_the_parks_of_a_file_and_uses_a_deployed_service(notebook: dict[str, Any]) -> None:
    run_python("README.md", notebook)
    assert [row["error"] for row in notebook["report"]] == [None, None]
    drawn = {row["description"] for row in notebook["comparison"].project.diagrams(fields="details")}
    assert {"North park", "South park"} <= drawn
    assert isinstance(notebook["project"], Project) and notebook["project"].id == "your16characters"


@pytest.mark.parametrize("block", blocks_in("text"))
def test_a_text_block_follows_a_python_block(block: Block) -> None:
    document_blocks = blocks(block.document)
    assert document_blocks[document_blocks.index(block) - 1].language == "python"


@pytest.mark.parametrize("command", commands())
def test_the_commands_of_shell_blocks_exist(command: str) -> None:
    program, *arguments = shlex.split(command)
    if program == "make":
        assert command in NOT_RUN
        check_target(*arguments)
    elif program == "pygeodesign":
        # Those that do not serve or copy a database are run by test_command_documents.py.
        assert arguments
    else:
        assert program == "export" and all(SETTING.match(setting) for setting in arguments)


def test_every_command_that_is_not_run_is_in_a_document() -> None:
    assert set(NOT_RUN) <= set(commands())


def check_target(target: str) -> None:
    planned = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True, timeout=20
    )
    assert planned.returncode == 0, planned.stderr
    assert planned.stdout.strip()


@pytest.mark.parametrize("command", [command for command in commands() if command.startswith("pygeodesign serve")])
def test_pygeodesign_commands_start_a_service(command: str, tmp_path: Path, project: Project) -> None:
    if "staten.zip" in command:
        project.archive(tmp_path / "staten.zip", progress=False)
    if "city.pmtiles" in command:
        write_pmtiles(tmp_path / "city.pmtiles", {(0, 0, 0): png(1, 2, 3)})
    expected = "Serving the workshops of" if "--workshops" in command else "Staten Island 2050"
    assert expected in output_of(command, tmp_path)


@pytest.mark.parametrize("command", [command for command in commands() if " backup " in command and "--db" in command])
def test_the_commands_that_copy_a_database_copy_it(command: str, tmp_path: Path) -> None:
    output_of("pygeodesign serve --db workshop.sqlite", tmp_path)
    program, *arguments = shlex.split(command)
    subprocess.run([sys.executable, "-m", program, *arguments], cwd=tmp_path, check=True, timeout=240)
    with Sandbox(tmp_path / arguments[1], project=None) as copied:
        assert copied.project_ids == ["StatenIsland2050"]


@pytest.mark.parametrize("block", blocks_in("json"))
def test_the_setup_files_of_documents_are_applied(block: Block, tmp_path: Path) -> None:
    (tmp_path / "workshop.json").write_text(block.text, encoding="utf-8")
    printed = output_of("pygeodesign serve --db workshop.sqlite --setup workshop.json", tmp_path)
    setup = json.loads(block.text)
    assert all(word in printed for word in [*setup["users"], *setup["creation_codes"]])
    # The service has stopped; the content of the setup file is in its database.
    with Sandbox(tmp_path / "workshop.sqlite") as sandbox:
        for project_id, settings in setup["projects"].items():
            check_project(sandbox.client().project(project_id), settings)


def check_project(project: Project, settings: dict[str, Any]) -> None:
    members = {member["username"] for member in project.members()}
    assert {*settings["members"], *settings["administrators"]} <= members
    assert {team["title"] for team in settings["teams"]} <= {team["title"] for team in project.teams()}
    assert project.study_area.boundaries().metadata["description"] == settings["boundaries"]["description"]
    assert {row["properties"]["name"] for row in project.study_area.context()} == set(settings["places"])
    for sysid, figures in settings["systems"].items():
        system: Any = project.system(int(sysid))
        assert {name: system[name] for name in figures if name != "evaluation"} == {
            name: value for name, value in figures.items() if name != "evaluation"
        }
    for diagram, figures in settings["diagrams"].items():
        assert project.costs(diagrams=[int(diagram)]).total == figures["cost_override"]
    sessions = {session["session_id"] for session in project.workshop.negotiation_logs()}
    assert {session["session_id"] for session in settings["negotiations"]} <= sessions


def output_of(command: str, folder: Path) -> str:
    """The output of a command until its service runs, on a free port."""
    arguments = [sys.executable, "-m", *shlex.split(command), "--port", "0"]
    process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = ""
    try:
        for line in iter(process.stdout.readline, ""):
            printed += line
            if line.startswith("Ctrl-C"):
                return printed
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
    raise AssertionError(f"it ended: {errors}")


@functools.cache
def offered_options() -> str:
    """The help of all commands."""
    names = listed_commands(printed_by(ROOT, "--help"))
    return "".join(printed_by(ROOT, name, "--help") for name in names)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_options_in_the_text_exist(document: str) -> None:
    named = re.findall(r"`(make [\w-]+|(?:pygeodesign [a-z-]+ )?--[^`]+)`", prose(document))
    for words in named:
        if words.startswith("make "):
            check_target(words.removeprefix("make "))
        for option in re.findall(r"--[a-z-]+", words):
            assert re.search(rf"{option}\b", offered_options()), f"{document} has {option}, which no command has"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files_and_named_tests_exist(document: str) -> None:
    folder = DOCUMENTS[document].parent
    links = re.findall(r"\]\((?!https?:)([^)#]+)", prose(document))
    assert [link for link in links if not (folder / link).exists()] == []
    tests = re.findall(r"`(?:tests/)?(test_\w+\.py)`", prose(document))
    assert [name for name in tests if not any((ROOT / "tests").rglob(name))] == []


def test_a_client_takes_its_url_from_the_exports_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    assert Client().base_url == environment()["GEODESIGN_URL"] + "/api/v1/"


def test_the_fixtures_that_contributors_are_told_of_exist() -> None:
    (sentence,) = re.findall(r"the fixtures? (.+?) (?:are|is) in `tests/conftest\.py`", contributing(), re.DOTALL)
    named = re.findall(r"`(\w+)`", sentence)
    assert named
    definitions = vars(importlib.import_module("conftest"))
    assert [name for name in named if name not in definitions] == []


def test_the_files_that_contributors_are_told_of_exist() -> None:
    named = re.findall(
        r"`((?:docs|examples|python|src|crates|tests|tools|fuzz|benches|\.github)/[\w./*-]*)`", contributing()
    )
    assert named
    assert [name for name in named if not any(ROOT.glob(name.rstrip("/")))] == []


def contributing() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_public_modules_are_those_that_the_versions_are_about() -> None:
    (sentence,) = re.findall(r"- the names in (.+?):", prose("docs/versioning.md"), re.DOTALL)
    modules = [module.name for module in pkgutil.iter_modules(pygeodesign.__path__) if module.name[0] != "_"]
    assert sorted(re.findall(r"`([\w.]+)`", sentence)) == ["pygeodesign", *(f"pygeodesign.{name}" for name in modules)]


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"([\w/-]+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md"))
