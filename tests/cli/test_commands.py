"""The commands of planners: reading a project from a service or an archive, and adding diagrams."""

import csv
import html
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pytest

import pygeodesign
from builders import diagram, feature, square
from commands import arguments_of, environment, listed_commands, output_of, run, run_as_process, signed_in
from demo import demo_sandbox
from fake_service import PROJECT, FakeService
from park_files import TITLE, write_parks
from pygeodesign import Project, Sandbox
from small_project import ADMINISTRATOR, BOUNDS, Workshop

pytestmark = pytest.mark.early

# Names of the extras' packages.
GIS_LIBRARIES = ("geopandas", "pandas", "numpy", "shapely", "pyarrow", "pyogrio")


@pytest.fixture(scope="module")
def archive(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("archive") / "staten.zip"
    project.archive(path, thumbnails=True)
    yield path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_costs_as_json_are_those_of_the_report(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    printed = json.loads(output_of(tmp_path, "costs", TITLE, "--json", **signed_in(sandbox)))
    report = project.costs()
    assert printed.keys() == {"systems", "diagrams", "total"}
    assert (printed["systems"], printed["diagrams"]) == (report.systems, report.diagrams)
    assert printed["total"] == report.total


def test_costs_are_a_table_with_a_total_or_csv(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    heading, *lines, total = output_of(tmp_path, "costs", **signed_in(sandbox)).splitlines()
    report = project.costs()
    assert heading.split()[:2] == ["System", "Diagrams"]
    assert [line.split("  ")[0] for line in lines] == [row["name"] for row in report.systems]
    assert total.split() == ["Total", "180", f"{report.total:,.0f}"]
    printed = rows(output_of(tmp_path, "costs", "--csv", **signed_in(sandbox)))
    assert [float(row["cost"]) for row in printed] == [row["cost"] for row in report.systems]


def test_a_sum_of_which_nothing_is_known_is_empty(tmp_path: Path) -> None:
    system = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": 100}
    external = diagram(8, flat_geobuf_url="https://127.0.0.1:1/parks.fgb")
    answers = {"systems/": [system], "systems/1/": system, "diagrams/all/": [external]}
    with FakeService(answers, {"projects/": [{"id": PROJECT, "projecttitle": "A plan"}]}) as service:
        variables = {"GEODESIGN_URL": service.url, "GEODESIGN_TOKEN": "token"}
        _, line, total = output_of(tmp_path, "costs", **variables).splitlines()
        (row,) = rows(output_of(tmp_path, "costs", "--csv", **variables))
    assert (line.split(), total.split()) == (["Water", "1", "0.0", "0.0"], ["Total", "1"])
    assert (row["cost"], row["unpriced"]) == ("", "1")


def test_a_budget_that_a_design_plans_nothing_for_is_neither_kept_nor_left(
    sandbox: Sandbox, project: Project, tmp_path: Path
) -> None:
    (design, *_) = project.designs(2)
    lines = output_of(tmp_path, "costs", "--team", "2", "--design", design["id"], **signed_in(sandbox)).splitlines()[1:]
    report = project.costs(team=2, design=design["id"])
    said = [line.endswith("nothing planned") for line in lines[:-1]]
    assert (
        said
        == [row["diagrams"] == 0 for row in report.systems]
        == [row["budget_met"] is None for row in report.systems]
    )
    assert any(said) and not all(said)


def test_costs_are_those_of_a_design_or_of_a_member(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    team = project.teams()[0]
    designs = project.designs(team["id"])

    def total(*options: object) -> float:
        printed: float = json.loads(output_of(tmp_path, "costs", *options, "--json", **signed_in(sandbox)))["total"]
        return printed

    latest = max(designs, key=lambda design: str(design["creationdate"]))["id"]
    assert total("--team", team["title"]) == project.costs(team=team["id"], design=latest).total
    assert total("--team", team["id"], "--design", designs[0]["description"]) == total("--design", designs[0]["id"])
    assert total("--design", designs[0]["id"]) == project.costs(team=team["id"], design=designs[0]["id"]).total
    assert total("--member", "amara.okafor") == project.costs(member="amara.okafor").total


def test_costs_are_written_as_the_page_of_the_report(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    design = project.designs(1)[0]["id"]
    command = ["costs", "--design", design, "--html", "my costs.html", "--currency", "USD", "--units", "us"]
    assert output_of(tmp_path, *command, **signed_in(sandbox)) == ""
    page = project.costs(team=1, design=design).to_html(currency="USD", units="us")
    assert (tmp_path / "my costs.html").read_text(encoding="utf-8") == page
    wrong = run(tmp_path, *command[:-1], "imperial", **signed_in(sandbox))
    assert wrong.code == 2 and "metric or us" in wrong.messages


def test_costs_tell_of_geometries_and_files_that_may_make_them_wrong(tmp_path: Path) -> None:
    bow_tie = {"type": "Polygon", "coordinates": [[[10, 45], [10.1, 45.1], [10.1, 45], [10, 45.1], [10, 45]]]}
    system = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": 100}
    external = diagram(8, flat_geobuf_url="https://127.0.0.1:1/parks.fgb")
    answers = {"systems/": [system], "systems/1/": system, "diagrams/all/": [diagram(7, feature(bow_tie)), external]}
    with FakeService(answers, {"projects/": [{"id": PROJECT, "projecttitle": "A plan"}]}) as service:
        variables = {"GEODESIGN_URL": service.url, "GEODESIGN_TOKEN": "token"}
        plain, told = (run(tmp_path, "costs", *options, **variables) for options in ([], ["--check", "--external"]))
    assert "invalid geometry" not in plain.messages and "opened" not in plain.messages
    assert "an invalid geometry, whose cost may be wrong: 1" in told.messages
    assert "file could not be opened: 1" in told.messages


def test_lists_hold_what_the_project_holds(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    def listed(*command: object) -> list[dict[str, object]]:
        printed: list[dict[str, object]] = json.loads(output_of(tmp_path, *command, "--json", **signed_in(sandbox)))
        return printed

    assert [row["projecttitle"] for row in listed("projects")] == [TITLE]
    assert listed("systems") == [dict(project.system(system["id"])) for system in project.systems()]
    assert [row["members"] for row in listed("teams")] == [project.team(t["id"]).members() for t in project.teams()]
    assert [row["id"] for row in listed("designs")] == [
        d["id"] for t in project.teams() for d in project.designs(t["id"])
    ]
    assert {row["team"] for row in listed("designs", "--team", "Residents")} == {"Residents"}
    assert len(listed("diagrams")) == 180
    selected = {feature["properties"]["diagramid"] for feature in project.member("amara.okafor").selection()}
    assert {row["id"] for row in listed("diagrams", "--member", "amara.okafor")} == selected


@pytest.mark.parametrize("given", ["StatenIsland2050", TITLE, "STATEN island 2050", "stat"])
def test_a_project_is_named_by_its_id_or_its_title(given: str, sandbox: Sandbox, tmp_path: Path) -> None:
    assert "Water" in output_of(tmp_path, "systems", given, **signed_in(sandbox))


def test_where_there_are_several_projects_one_has_to_be_named(workshop: Workshop, tmp_path: Path) -> None:
    client = workshop.client()
    for title in ("Old town, 2nd plan", "Lisbon"):
        client.create_project("FADO", title=title, bounds=BOUNDS, systems=[{"name": "Roofs", "color": "#112233"}])
    variables = signed_in(workshop.sandbox, "ana.sousa")
    unclear = run(tmp_path, "systems", **variables)
    assert unclear.code == 2 and all(f'{known} "' in unclear.messages for known in workshop.sandbox.project_ids)
    assert "Roofs" in output_of(tmp_path, "systems", "old town, 2nd plan", **variables)
    twice = run(tmp_path, "systems", "lisbon", **variables)
    assert twice.code == 2 and "Old town" not in twice.messages and workshop.id in twice.messages
    unknown = run(tmp_path, "systems", "Porto", **variables)
    assert unknown.code == 4 and "Old town, 2nd plan" in unknown.messages


def test_things_are_named_by_the_start_of_their_titles_as_in_python(
    sandbox: Sandbox, project: Project, archive: Path, tmp_path: Path
) -> None:
    def printed(*command: object) -> Any:
        return json.loads(output_of(tmp_path, *command, "--archive", archive, "--json"))

    team = project.team("resid")
    design = team.designs()[0]
    start = str(design["description"])[:-3].upper()
    assert {row["team"] for row in printed("designs", "--team", "resid")} == {"Residents"}
    assert printed("costs", "--design", start)["total"] == project.costs(design=start).total
    assert len(printed("diagrams", "--team", "RESID")) == len(project.design(team="resid").diagram_ids())
    assert [row["design"] for row in printed("compare", "--design", start)] == list(project.compare([start]).designs)
    oakwood = ["--diagram", "oakwood beach tidal", "-o", "pictures"]
    output_of(tmp_path, "thumbnails", "--archive", archive, *oakwood)
    assert [picture.name for picture in (tmp_path / "pictures").iterdir()] == ["1001.png"]


def test_a_thing_that_is_not_there_is_named(sandbox: Sandbox, tmp_path: Path) -> None:
    commands: dict[str, list[object]] = {
        'there is no team "Youth"; the teams are': ["costs", "--team", "Youth"],
        'there is no design "Round 9"; the designs are': ["costs", "--design", "Round 9"],
        'there is no diagram "Lake"; the diagrams are': ["thumbnails", "-o", "pictures", "--diagram", "Lake"],
        'there is no team "Old"; the teams are': ["teams", "--remove", "Old"],
        "No such diagram: 99.": ["thumbnails", "-o", "pictures", "--diagram", 99],
        "No such change team: 99.": ["call", "design", "cteamid=99", "synthesisid=0123456789abcdef"],
        "No such system: 99.": ["call", "system", "sysid=99"],
    }
    for message, command in commands.items():
        ended = run(tmp_path, *command, **signed_in(sandbox))
        assert (ended.code, message in ended.messages) == (4, True), ended


def test_diagrams_are_written_as_geojson_or_in_another_format(
    sandbox: Sandbox, project: Project, tmp_path: Path
) -> None:
    for name, options in {"all.geojson": {}, "all.gpkg": {"layer": "all"}}.items():
        ended = run(tmp_path, "diagrams", TITLE, "-o", name, **signed_in(sandbox))
        assert (ended.code, ended.output, ended.messages) == (0, "", f"Wrote {name}\n")
        assert len(geopandas.read_file(tmp_path / name, **options)) == len(project.diagrams())
    output_of(tmp_path, "diagrams", "--team", "Residents", "-o", "team.geojson", **signed_in(sandbox))
    written = set(geopandas.read_file(tmp_path / "team.geojson")["diagramid"])
    assert written in [set(project.design(design["id"], 4).diagram_ids()) for design in project.designs(4)]
    wrong = run(tmp_path, "diagrams", "-o", "all.doc", **signed_in(sandbox))
    assert wrong.code == 2 and ".geojson" in wrong.messages


PAGES = [["costs", "--html"], ["report", "-o"], ["map", "-o"]]


@pytest.mark.parametrize("command", PAGES, ids=lambda command: str(command[0]))
def test_pages_show_the_currency_of_the_project_unless_another_is_given(command: list[str], tmp_path: Path) -> None:
    with demo_sandbox() as sandbox:
        sandbox.project().edit(currency="CHF")
        for options, shown in ([], "CHF"), (["--currency", "EUR"], "EUR"):
            output_of(tmp_path, *command, "page.html", *options, **signed_in(sandbox))
            page = (tmp_path / "page.html").read_text(encoding="utf-8")
            assert shown in page and not {"CHF", "EUR"} - {shown} & set(page.split())


def test_a_report_compares_the_named_designs_or_the_latest(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    ended = run(tmp_path, "report", TITLE, "-o", "report.html", **signed_in(sandbox))
    assert (ended.code, ended.output, ended.messages) == (0, "", "Wrote report.html\n")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(html.escape(label) in page for label in project.compare().designs)
    project.archive(tmp_path / "project.zip")
    design = project.designs(4)[0]
    options = ["--design", design["id"], "--title", "Round <3>", "--currency", "EUR", "--units", "us"]
    output_of(tmp_path, "report", "--archive", "project.zip", "-o", "one.html", *options)
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert "<h1>Round &lt;3&gt;</h1>" in page and "Cost (EUR)" in page and "Area (acres)" in page
    assert page.count("The designs by their number") == 1 and "2: " not in page
    unknown = run(tmp_path, "report", TITLE, "-o", "report.html", "--design", "nothing", **signed_in(sandbox))
    assert unknown.code == 4 and "nothing" in unknown.messages
    assert run(tmp_path, "report", TITLE, **signed_in(sandbox)).code == 2


def test_designs_are_compared_in_a_table(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    comparison = project.compare()
    heading, *lines = output_of(tmp_path, "compare", **signed_in(sandbox)).splitlines()
    assert heading.split("  ")[0] == "Design" and heading.endswith("Budgets met")
    assert [line.split("  ")[0] for line in lines] == list(comparison.designs)
    printed = json.loads(output_of(tmp_path, "compare", "--json", **signed_in(sandbox)))
    for row, (label, ids) in zip(printed, comparison.designs.items(), strict=True):
        diagrams, answers = comparison.diagrams.loc[ids], comparison.targets(label)
        assert (row["design"], row["diagrams"]) == (label, len(ids))
        assert row["area_ha"] == pytest.approx(diagrams["area_ha"].sum())
        assert row["cost"] == pytest.approx(diagrams["cost"].sum())
        assert (row["unpriced"], row["unmeasured"]) == tuple(diagrams[["cost", "area_ha"]].isna().sum())
        assert row["targets_met"] == (answers["area_status"] == "met").sum() <= row["targets"]
        assert row["budgets_met"] == (answers["budget_status"] == "met").sum() <= row["budgets"]
    assert f"{printed[0]['targets_met']} of {printed[0]['targets']}" in lines[0]
    project.archive(tmp_path / "project.zip", progress=False)
    design = project.designs(4)[0]
    (row,) = rows(output_of(tmp_path, "compare", "--archive", "project.zip", "--design", design["id"], "--csv"))
    assert design["description"] in row["design"]
    assert run(tmp_path, "compare", "--design", "nothing", **signed_in(sandbox)).code == 4


def test_any_question_is_asked_by_its_name(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    def asked(*command: object) -> str:
        return output_of(tmp_path, "ask", *command, "--archive", "project.zip")

    project.archive(tmp_path / "project.zip", progress=False)
    comparison = project.compare()
    printed = rows(asked("conflicts", "by=systems", "scope=project", "--csv"))
    pairs = comparison.conflicts(by="systems", scope="project")
    assert [(row["system_a"], row["system_b"], float(row["area_ha"])) for row in printed] == [
        *pairs[["system_a", "system_b", "area_ha"]].itertuples(index=False, name=None)
    ]
    earned = {"Mixed use": 1.5e6}
    (flow, *_) = json.loads(
        asked("cash_flow", f"revenue={json.dumps(earned)}", "undated=2030", "years=40", "by=design", "--json")
    )
    expected = comparison.cash_flow(earned, undated=2030, years=40, by="design").iloc[0]
    assert flow["npv"] == expected["npv"] and flow["payback_year"] is None
    places = json.loads(asked("consensus", "--json"))
    assert sum(row["area_ha"] for row in places) == pytest.approx(comparison.consensus()["area_ha"].sum())
    assert {row["geometry"]["type"] for row in places} == {"MultiPolygon"}
    (alike, *_) = json.loads(asked("similarity", "--json"))
    assert alike["design"] == next(iter(comparison.designs)) and alike[alike["design"]] == 1
    best = run(tmp_path, "ask", "optimum", "budget=5e9", "--archive", "project.zip")
    assert best.messages.startswith("Optimum: 87 diagrams") and "Green infrastructure" in best.output
    label = next(iter(comparison.designs))
    table = asked("targets", f"scope={label}", "--design", project.designs(1)[-1].id)
    assert table.splitlines()[0].split()[:2] == ["design", "team"] and label in table


def test_questions_are_listed_and_wrong_ones_are_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    questions = json.loads(output_of(tmp_path, "ask", "--json"))
    assert {"targets", "cash_flow", "weighing"} <= {question["question"] for question in questions}
    assert all(question["what"].endswith((".", "?")) for question in questions)
    for command, wanted in [
        (["tragets"], "pygeodesign ask"),
        (["targets", "policy=true"], "scope, policies"),
        (["targets", "policies=true", "policies=false"], "policies is given twice"),
        (["quantities"], "per_hectare"),
        (["explain", "design=designs", "--picture", "e.png"], "explain has no picture"),
        (["targets", "--picture", "t.docx"], ".png"),
    ]:
        ended = run(tmp_path, "ask", *command, **signed_in(sandbox))
        assert ended.code == 2 and wanted in ended.messages, ended
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["map.html", "all.geojson", "all.gpkg"])
def test_a_folder_that_is_missing_is_named(file: str, sandbox: Sandbox, tmp_path: Path) -> None:
    command = "map" if file.endswith(".html") else "diagrams"
    ended = run(tmp_path, command, "-o", f"maps/{file}", **signed_in(sandbox))
    assert ended.code == 1 and f"maps/{file}: there is no folder maps" in ended.messages


def test_commands_are_listed_in_groups(tmp_path: Path) -> None:
    text = output_of(tmp_path, "--help")
    groups = [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert groups[:6] == ["Look", "Compare", "Draw", "Keep", "Run an evening", "Operate"]
    assert {"ask", "compare"} <= set(listed_commands(text.partition("Compare:")[2].partition("Draw:")[0]))


def test_an_answer_is_drawn_into_a_file(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = run(tmp_path, "ask", "similarity", "by=cost", "--picture", "alike.svg", **signed_in(sandbox))
    assert ended.output == "" and "Wrote alike.svg" in ended.messages
    assert "<svg" in (tmp_path / "alike.svg").read_text(encoding="utf-8")
    missing = run(tmp_path, "ask", "similarity", "--picture", "no/alike.png", **signed_in(sandbox))
    assert missing.code == 1 and "no/alike.png: there is no folder no" in missing.messages


@pytest.mark.slow
def test_a_map_and_a_gallery_are_the_pages_of_the_project(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    texts = ["--title", "Round <3>", "--currency", "EUR", "--units", "us", "--theme", "dark"]
    named: dict[str, Any] = {"title": "Round <3>", "currency": "EUR", "units": "us", "theme": "dark"}
    for command, expected in (
        (["map"], project.map()),
        (["map", "--team", "Residents", "--basemap", "light", *texts], project.map(team=4, basemap="light", **named)),
        (["map", "--member", "amara.okafor"], project.map(member="amara.okafor")),
        (["gallery"], project.gallery(limit=None)),
        (["gallery", "--system", "WAT", "--limit", 5, *texts], project.gallery(system="WAT", limit=5, **named)),
        (["gallery", "--team", "Residents"], project.gallery(team=4, limit=None)),
    ):
        ended = run(tmp_path, *command, "-o", "my page.html", **signed_in(sandbox))
        assert (ended.code, ended.output, ended.messages) == (0, "", "Wrote my page.html\n")
        assert (tmp_path / "my page.html").read_text(encoding="utf-8") == expected.to_html()
    project.archive(tmp_path / "project.zip", progress=False)
    for name in ("map", "gallery"):
        output_of(tmp_path, name, "--archive", "project.zip", "-o", f"{name}.html")
        assert "Staten Island 2050" in (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert run(tmp_path, name, **signed_in(sandbox)).code == 2
    assert run(tmp_path, "gallery", "-o", "g.html", "--limit", 0, **signed_in(sandbox)).code == 2


@pytest.mark.parametrize(
    "command",
    [
        ["diagrams", "-o", "all.gpkg"],
        ["report", "-o", "report.html"],
        ["map", "-o", "map.html"],
        ["gallery", "-o", "gallery.html"],
        ["compare"],
        ["ask"],
        ["upload", "parks.gpkg", "--system", "Water"],
    ],
)
def test_a_missing_library_is_named_with_the_extra_that_brings_it(
    command: list[str], sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "parks.gpkg").touch()
    for library in ("geopandas", "pyogrio"):
        (tmp_path / "without" / library).mkdir(parents=True)
        (tmp_path / "without" / library / "__init__.py").write_text(f"raise ImportError(name={library!r})")
    path = f"{tmp_path / 'without'}{os.pathsep}{Path(pygeodesign.__file__).parent.parent}"
    ended = run_as_process(tmp_path, *command, PYTHONPATH=path, **signed_in(sandbox))
    assert ended.code == 1 and "pip install 'pygeodesign[geo]'" in ended.messages
    assert not (tmp_path / "all.gpkg").exists()


def test_what_needs_no_gis_library_imports_none(workshop: Workshop, tmp_path: Path) -> None:
    write_parks(tmp_path / "parks.geojson")
    for command in (["costs"], ["diagrams", "-o", "all.geojson"], ["upload", "parks.geojson", "--system", "Green"]):
        ended = subprocess.run(
            [sys.executable, "-X", "importtime", *arguments_of(tuple(command))[1:]],
            cwd=tmp_path,
            env=environment(tmp_path, **signed_in(workshop.sandbox, "ana.sousa")),
            capture_output=True,
            text=True,
            timeout=240,
            check=True,
        )
        imported = {line.split("|")[-1].strip().split(".")[0] for line in ended.stderr.splitlines()}
        assert "pygeodesign" in imported and imported.isdisjoint(GIS_LIBRARIES)


def test_a_diagram_is_added_for_each_feature_of_a_file(workshop: Workshop, tmp_path: Path) -> None:
    write_parks(tmp_path / "my parks.geojson")
    frame = geopandas.read_file(tmp_path / "my parks.geojson")
    frame.to_file(tmp_path / "parks.gpkg")
    frame.to_crs(3763).to_file(tmp_path / "in metres.geojson")
    variables = signed_in(workshop.sandbox, "ana.sousa")
    checked = run(tmp_path, "upload", "my parks.geojson", "--system", "green", "--dry-run", **variables)
    assert checked.code == 0 and "nothing was sent" in checked.messages
    output_of(tmp_path, "upload", "in metres.geojson", "--system", "green", "--dry-run", **variables)
    assert workshop.project.diagrams(fields="summary") == []
    output_of(tmp_path, "upload", "my parks.geojson", "--system", "green", **variables)
    command = ["upload", "lisbon", "parks.gpkg", "--system", "WAT", "--title", "Name", "--kind", "policy", "--json"]
    report = json.loads(output_of(tmp_path, *command, **variables))
    added = {
        row["id"]: (row["sysid"], row["description"], row["type"])
        for row in workshop.project.diagrams(fields="details")
    }
    assert sorted(added.values())[:2] == [(1, "North park", "policy"), (1, "South park", "policy")]
    assert sorted(added.values())[2:] == [(2, "North park", "project"), (2, "South park", "project")]
    assert [added[row["diagram_id"]][1] for row in report] == ["North park", "South park"]


def test_nothing_is_added_of_a_file_that_cannot_be_used(workshop: Workshop, tmp_path: Path) -> None:
    write_parks(tmp_path / "parks.geojson")
    (tmp_path / "notes.geojson").write_text("notes")
    variables = signed_in(workshop.sandbox, "ana.sousa")
    for arguments, reason in [
        (["parks.geojson", "--system", "Roofs"], "Water"),
        (["parks.geojson", "--system", "Water", "--title", "names"], "Name"),
        (["notes.geojson", "--system", "Water"], "not GeoJSON"),
        (["missing.geojson", "--system", "Water"], "missing.geojson"),
        (["parks.geojson", "--system", "Water", "--kind", "plan"], "policy"),
    ]:
        ended = run(tmp_path, "upload", *arguments, **variables)
        assert ended.code == 2 and reason in ended.messages and ended.messages.count("\n") == 1
    assert workshop.project.diagrams(fields="summary") == []


def test_an_archive_answers_every_reading_command_without_a_service(
    sandbox: Sandbox, archive: Path, tmp_path: Path
) -> None:
    for command in ("projects", "systems", "costs", "teams", "designs", "diagrams"):
        from_archive = output_of(tmp_path, command, "--archive", archive, "--json")
        assert from_archive == output_of(tmp_path, command, "--json", **signed_in(sandbox))
    assert output_of(tmp_path, "costs", TITLE, "--team", "Residents", "--archive", archive)
    output_of(tmp_path, "diagrams", "--archive", archive, "-o", "all.geojson")
    output_of(tmp_path, "thumbnails", "--archive", archive, "-o", "pictures")
    assert len(list((tmp_path / "pictures").iterdir())) == 180
    assert run(tmp_path, "systems", "Lisbon", "--archive", archive).code == 4


def test_archive_writes_what_open_summarises(sandbox: Sandbox, tmp_path: Path) -> None:
    output_of(tmp_path, "archive", TITLE, "staten island.zip", **signed_in(sandbox))
    assert pygeodesign.open(tmp_path / "staten island.zip").info()["projecttitle"] == TITLE
    assert TITLE in output_of(tmp_path, "open", "staten island.zip")
    summary = json.loads(output_of(tmp_path, "open", "staten island.zip", "--json"))
    assert summary["source"] == sandbox.url and summary["counts"]["diagrams"] == 180
    (tmp_path / "other.zip").write_bytes(b"PK")
    refused = run(tmp_path, "open", "other.zip")
    assert refused.code == 1 and "not an archive" in refused.messages


def test_archive_all_says_what_became_of_the_projects(workshop: Workshop, tmp_path: Path) -> None:
    user = signed_in(workshop.sandbox, ADMINISTRATOR)
    first = json.loads(output_of(tmp_path, "archive-all", "many", "--json", **user))
    assert first == {"archived": [workshop.id], "unchanged": [], "kept": [], "failures": {}}
    again = output_of(tmp_path, "archive-all", "many", "--project", "Lisbon", **user)
    assert again.split() == ["archived", "0", "unchanged", "1", "kept", "0"]
    assert list(pygeodesign.read_archive(tmp_path / "many").projects) == [workshop.id]
    unknown = run(tmp_path, "archive-all", "many", "--project", "Porto", **user)
    assert unknown.code == 4 and "Lisbon" in unknown.messages
    foreign = run(tmp_path, "archive-all", "unheard://place", **user)
    assert foreign.code == 2 and "unheard://place cannot be used" in foreign.messages


def test_sync_brings_an_archive_up_to_date_and_says_what_changed(workshop: Workshop, tmp_path: Path) -> None:
    write_parks(tmp_path / "parks.geojson")
    variables = signed_in(workshop.sandbox, "ana.sousa")
    output_of(tmp_path, "sync", "Lisbon", "old town.zip", **variables)
    output_of(tmp_path, "upload", "parks.geojson", "--system", "Green", **variables)
    added = [row["id"] for row in workshop.project.diagrams(fields="summary")]
    report = json.loads(output_of(tmp_path, "sync", "old town.zip", "--json", **variables))
    assert (report["added"], report["changed"], report["removed"]) == (added, [], [])
    assert output_of(tmp_path, "sync", "old town.zip", **variables).split() == [
        "added",
        "0",
        "changed",
        "0",
        "removed",
        "0",
    ]
    assert len(pygeodesign.open(tmp_path / "old town.zip").diagrams(fields="summary")) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a process there cannot be sent SIGINT alone")
def test_watch_prints_a_line_for_each_change_until_ctrl_c(workshop: Workshop, tmp_path: Path) -> None:
    process = subprocess.Popen(
        arguments_of(("watch", "lisbon", "--json")),
        env=environment(tmp_path, **signed_in(workshop.sandbox, "ana.sousa")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stderr.readline() == "Watching. Ctrl-C ends it.\n"
    write_parks(tmp_path / "parks.geojson")
    output_of(tmp_path, "upload", "parks.geojson", "--system", "Green", **signed_in(workshop.sandbox, "ana.sousa"))
    lines = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert sorted(line["title"] for line in lines) == ["North park", "South park"]
    assert {(line["kind"], line["action"]) for line in lines} == {("diagram", "added")}
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=20)
    assert (process.returncode, messages) == (130, "")


def test_pictures_are_named_by_their_diagrams(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    output_of(tmp_path, "thumbnails", "--diagram", 1001, "--diagram", 1002, "-o", "my pictures", **signed_in(sandbox))
    pictures = {path.name: path.read_bytes() for path in (tmp_path / "my pictures").iterdir()}
    assert pictures == {f"{diagram}.png": project.diagram(diagram).thumbnail() for diagram in (1001, 1002)}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_shells_get_completions_for_all_commands(shell: str, tmp_path: Path) -> None:
    script = output_of(tmp_path, "completions", shell)
    assert all(word in script for word in ("import-project", "ca-bundle", "thumbnails"))


def test_the_help_of_every_command_has_an_example(tmp_path: Path) -> None:
    for name in listed_commands(output_of(tmp_path, "--help")):
        assert f"  pygeodesign {name}" in output_of(tmp_path, name, "--help").partition("Examples:\n")[2]


def test_the_history_is_chosen_by_time_user_and_diagram(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.add_diagram(1, square(-9.2, 38.7, 0.01), title="Pond").set_notes("Deep")
    variables = signed_in(workshop.sandbox, ADMINISTRATOR)

    def listed(*options: object) -> list[dict[str, object]]:
        printed: list[dict[str, object]] = json.loads(output_of(tmp_path, "history", *options, "--json", **variables))
        return printed

    everything = workshop.project.history()
    assert listed() == everything
    for options in (["--diagram", 1], ["--diagram", "pond"], ["--since", everything[1]["time"]]):
        assert listed(*options) == everything[:2]
    assert listed("--user", ADMINISTRATOR, "--since", "2020-01-01") == workshop.project.history(user=ADMINISTRATOR)
    assert listed("--since", "2999-01-01T00:00:00+02:00") == []
    heading, newest, *_ = output_of(tmp_path, "history", **variables).splitlines()
    assert heading.startswith("Time (UTC)") and newest.endswith("notes: Deep")
    assert rows(output_of(tmp_path, "history", "--csv", **variables))[0]["operation"] == "set_notes"
    wrong = run(tmp_path, "history", "--since", "monday", **variables)
    assert wrong.code == 2 and "write a date" in wrong.messages
    unknown = run(tmp_path, "history", "--diagram", "Lake", **variables)
    assert unknown.code == 4 and "Pond" in unknown.messages


def test_the_table_of_the_history_fits_100_columns_and_csv_has_whole_titles(workshop: Workshop, tmp_path: Path) -> None:
    title = "A pond between the old town and the river, " * 4
    drawn = workshop.project.add_diagram(1, square(-9.2, 38.7, 0.01), title=title)
    drawn.edit(title=f"{title} deeper")
    variables = signed_in(workshop.sandbox, ADMINISTRATOR)
    lines = output_of(tmp_path, "history", **variables).splitlines()
    assert max(map(len, lines)) == 100 and any("A pond betw" in line and "…" in line for line in lines)
    assert title in output_of(tmp_path, "history", "--csv", **variables)
