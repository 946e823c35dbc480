"""Questions over an archive of many projects: the files read, and the results."""

import hashlib
import io
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pyarrow.parquet
import pytest
import shapely

import pygeodesign
from bad_rows import BAD_ROWS, without_geojson
from builders import diagram, feature, square
from fake_service import PROJECT, FakeService
from local_server import LocalServer, QuietHandler
from many_projects import SYSTEMS, archivist, running_service
from pygeodesign import ArchiveError, InputError, Project, Sandbox
from pygeodesign._many.tables import tables_of
from pygeodesign.many import ProjectsArchive


@pytest.fixture(scope="module")
def several() -> Iterator[Sandbox]:
    """A service with four projects at longitudes 0, 1, 2 and 3; and one without diagrams."""
    with running_service(4) as sandbox:
        systems: Any = [{"name": "Water", "color": "#2B7BBA"}]
        archivist(sandbox).create_project(sandbox.creation_code(), title="Empty", bounds=(0, 0, 1, 1), systems=systems)
        yield sandbox


@pytest.fixture(scope="module")
def archive(several: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> ProjectsArchive:
    folder = tmp_path_factory.mktemp("many")
    columns = {
        project["id"]: {"region": "East" if project["projecttitle"] == "Project 3" else "West", "phase": 2}
        for project in archivist(several).projects()
    }
    archivist(several).archive_all(folder, columns, progress=False)
    return pygeodesign.read_archive(folder)


@pytest.fixture(scope="module")
def served(several: Sandbox) -> dict[str, Project]:
    """The projects by their titles."""
    client = archivist(several)
    return {str(project["projecttitle"]): client.project(project["id"]) for project in client.projects()}


def test_costs_are_those_of_each_project(archive: ProjectsArchive, served: dict[str, Project]) -> None:
    frame = archive.costs()
    assert list(frame.columns[:3]) == ["project", "sysid", "name"]
    for project in served.values():
        expected = project.costs().to_pandas()
        found = frame[frame["project"] == project.id].drop(columns="project").reset_index(drop=True)
        assert list(found.columns) == list(expected.columns)
        for column in ("cost", "area_ha", "length_km", "diagrams", "budget_left"):
            figures = expected[column].astype(float).tolist()
            assert found[column].tolist() == pytest.approx(figures, rel=1e-9, nan_ok=True)


def test_costs_are_summed_by_any_column_of_the_manifest(archive: ProjectsArchive, served: dict[str, Project]) -> None:
    by_region = archive.costs(by="region").set_index(["region", "name"])["cost"]
    east = served["Project 3"].costs()
    for row in east.systems:
        assert math.isclose(by_region["East", row["name"]], row["cost"], rel_tol=1e-9)
    total = sum(project.costs().total for project in served.values())
    for by in ("region", "phase", "projecttype", "projecttitle", "name", "project"):
        assert math.isclose(archive.costs(by=by)["cost"].sum(), total, rel_tol=1e-9)
    assert set(archive.costs(by="name")["name"]) == set(SYSTEMS)
    with pytest.raises(InputError, match=r"has no column 'country'; by= must be one of .*region"):
        archive.costs(by="country")
    with pytest.raises(InputError, match="has no column 'bounds'"):
        archive.costs(by="bounds")


def test_a_sum_of_budgets_is_of_all_projects_of_which_the_cost_is(tmp_path: Path) -> None:
    with running_service(2) as sandbox:
        client = archivist(sandbox)
        ids = [project["id"] for project in client.projects()]
        for projectid, budgets in zip(ids, ((5, 7, None), (6, None, None)), strict=True):
            for system, budget in zip(client.project(projectid).systems(), budgets, strict=True):
                client.project(projectid).system(system["id"]).edit(budget=budget or 0)
        client.archive_all(tmp_path, progress=False)
        rows = pygeodesign.read_archive(tmp_path).costs(by="name").set_index("name")
    assert rows["budget"].to_dict() == pytest.approx({"Water": 11, "Green": math.nan, "Housing": math.nan}, nan_ok=True)
    # Two projects have each system, in which there are 11 diagrams.
    assert rows["projects"].tolist() == [2, 2, 2] and rows["diagrams"].sum() == 11


def test_the_cost_of_a_design_of_unknown_costs_is_not_0(tmp_path: Path) -> None:
    system = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": None}
    team = {"id": 1, "title": "Team"}
    below: Any = {"systems/": [system], "systems/1/": system, "diagrams/all/": [diagram(1, type="project")]}
    design = {"id": "abcdefghijklmnop", "cteamid": 1, "description": "A", "creationdate": None}
    below |= {
        "cteams/": [team],
        "cteams/1/": {"synthesis": [design]},
        f"cteams/1/{design['id']}/diagrams/": {"diagrams": [1]},
    }
    with FakeService(below) as service:
        project = service.project()
        table = tables_of(project, project.costs()).files["designs"]
    rows = pyarrow.parquet.read_table(io.BytesIO(table)).to_pylist()
    assert [(row["cost"], row["unpriced"]) for row in rows] == [(None, 1)]


def test_duckdb_has_a_view_for_each_table(archive: ProjectsArchive, served: dict[str, Project]) -> None:
    with archive.duckdb() as database:
        rows = database.sql("SELECT projecttitle, region FROM projects ORDER BY ALL").fetchall()
        assert rows == [("Empty", "West"), *((f"Project {n}", "East" if n == 3 else "West") for n in range(4))]
        counted = dict(database.sql("SELECT project, count(*) FROM diagrams GROUP BY project").fetchall())
        assert counted == {served[f"Project {n}"].id: 5 + n for n in range(4)}
        question = "SELECT count(*) FROM systems JOIN costs USING (project, sysid) WHERE systems.name = costs.name"
        assert database.sql(question).fetchall() == [(13,)]
        assert database.sql("SELECT * FROM designs").fetchall() == []
        assert [kind for name, kind, *_ in database.sql("DESCRIBE diagrams").fetchall() if name == "project"] == [
            "VARCHAR"
        ]


def test_conditions_and_bounds_select_diagrams(archive: ProjectsArchive, served: dict[str, Project]) -> None:
    everything = archive.to_geopandas()
    assert isinstance(everything, geopandas.GeoDataFrame) and everything.crs.to_epsg() == 4326
    assert list(everything.columns[:3]) == ["project", "diagramid", "sysid"]
    assert "bbox" not in everything.columns
    middle = everything["cost"].median()
    dear = archive.to_geopandas(where=f"cost > {middle} AND system <> 'Green'")
    expected = everything[(everything["cost"] > middle) & (everything["system"] != "Green")]
    assert sorted(dear["diagramid"]) == sorted(expected["diagramid"])
    box = (0.9, 49.6, 2.05, 50.4)
    near = archive.to_geopandas(bounds=box)
    inside = everything[everything.intersects(shapely.box(*box))]
    assert sorted(near["diagramid"]) == sorted(inside["diagramid"]) and len(near) > 0
    assert set(archive.to_geopandas(bounds=(2.5, 49, 3.5, 51))["project"]) == {served["Project 3"].id}
    assert len(archive.to_geopandas(where="sysid > 0 -- any", bounds=(50, 50, 51, 51))) == 0
    shapes = archive.to_geopandas(where=f"project = '{served['Project 1'].id}'")
    own = served["Project 1"].costs().to_geopandas()
    assert shapes.set_index("diagramid").geometry.geom_equals(own.set_index("diagramid").geometry).all()


def test_files_of_projects_elsewhere_are_not_opened(several: Sandbox, tmp_path: Path) -> None:
    archivist(several).archive_all(tmp_path, progress=False)
    archive = pygeodesign.read_archive(tmp_path)
    for projectid, told in archive.projects.items():
        if told["projecttitle"] != "Project 2":
            for path in tmp_path.glob(f"versions/project={projectid}/diagrams-*"):
                path.write_bytes(b"damaged")
    assert len(archive.to_geopandas(bounds=(1.6, 49, 2.4, 51))) == 7


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"where": "nothing = 1"}, "not a condition over the columns of diagrams"),
        ({"where": "cost >"}, "not a condition over the columns of diagrams"),
        ({"where": "unheard(cost)"}, "not a condition over the columns of diagrams"),
        ({"where": "regexp_matches(system, '(')"}, "not a condition over the columns of diagrams"),
        ({"bounds": (1, 2, 3)}, "west, south, east, north"),
        ({"bounds": (3, 2, 1, 4)}, "in the order west, south, east, north"),
        ({"bounds": "Lisbon"}, "west, south, east, north"),
    ],
)
def test_wrong_questions_are_explained(archive: ProjectsArchive, named: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        archive.to_geopandas(**named)


def test_bounds_may_be_without_end(archive: ProjectsArchive) -> None:
    everywhere = (-math.inf, -math.inf, math.inf, math.inf)
    assert len(archive.to_geopandas(bounds=everywhere)) == len(archive.to_geopandas())


def test_a_column_of_the_manifest_may_have_the_name_of_a_figure(archive: ProjectsArchive) -> None:
    by_diagrams = archive.costs(by="diagrams")
    assert set(by_diagrams["project_diagrams"]) == {told["diagrams"] for told in archive.projects.values()}
    assert by_diagrams["diagrams"].sum() == archive.costs()["diagrams"].sum()
    with pytest.raises(InputError, match="the manifest has no column"):
        archive.costs(by=["region"])  # type: ignore[arg-type]


def test_a_project_is_opened_by_its_id(archive: ProjectsArchive, served: dict[str, Project]) -> None:
    project = served["Project 2"]
    assert archive.open(project.id).diagrams(fields="details") == project.diagrams(fields="details")
    told = archive.projects[project.id]
    assert (told["projecttitle"], told["diagrams"], told["phase"]) == ("Project 2", 7, 2)
    assert told["changeid"] == project.change_id()
    assert len(archive) == 5 and repr(archive).startswith("<ProjectsArchive of 5 projects in ")
    with pytest.raises(InputError, match="has no project '0000000000000000'"):
        archive.open("0000000000000000")


def test_fields_that_only_some_projects_have_are_in_one_column_of_all(tmp_path: Path) -> None:
    ids = ("1234567890123456", "Another000000001")
    system = {"id": 1, "name": "Water", "cost": 10}
    answers: dict[str, Any] = {}
    others: list[dict[str, Any]] = [{"phase": "late", "nothing": None}, {"phase": 3, "bbox": [1]}]
    for projectid, fields in zip(ids, others, strict=True):
        of_project = {
            "": {"id": projectid, "projecttitle": "T"},
            "systems/": [system],
            "systems/1/": system,
            "members/": {"members": []},
            "cteams/": [],
            "diagrams/": [{"id": 7, "sysid": 1}],
            "diagrams/7/changeid/": {"changehash": "a"},
            "diagrams/all/": [diagram(7, feature(square(0, 0, 1), **fields))],
        }
        answers |= {f"projects/{projectid}/{path}": answer for path, answer in of_project.items()}
    with FakeService(root=answers) as service, service.client() as client:
        client.archive_all(tmp_path, ids, progress=False)
    frame = pygeodesign.read_archive(tmp_path).to_geopandas().set_index("project")
    assert json.loads(frame.loc[ids[0], "properties"]) == {"phase": "late"}
    assert json.loads(frame.loc[ids[1], "properties"])["phase"] == 3


def test_bad_rows_are_told_and_have_no_cost(tmp_path: Path) -> None:
    """Every method treats their cost as unknown and not 0, and a warning names the projects."""
    row, reason = BAD_ROWS["a null coordinate"]
    system = {"id": 1, "name": "Water", "cost": 10}
    rows = [diagram(1, feature(square(0, 0, 1))), row]
    answers: dict[str, Any] = {
        **{f"diagrams/{row['id']}/changeid/": {"changehash": "a"} for row in rows},
        "": {"id": PROJECT, "projecttitle": "Coast"},
        **{"members/": {"members": []}, "cteams/": [], "systems/": [system], "systems/1/": system},
        "diagrams/": [{"id": row["id"], "sysid": row["sysid"]} for row in rows],
        "diagrams/all/": rows,
        "diagrams/all/details/": without_geojson(rows),
    }
    with FakeService(answers) as service, service.client() as client, pytest.warns(UserWarning, match=reason):
        client.archive_all(tmp_path, [PROJECT], progress=False)
    archive = pygeodesign.read_archive(tmp_path)
    assert archive.projects[PROJECT]["bad_rows"] == 1
    told = rf"bad rows of projects have no cost: {PROJECT} \(1\); open\(id\)\.costs\(\) of each names them"
    with pytest.warns(UserWarning, match=told):
        frame = archive.costs()
    assert frame.unpriced.sum() == 1 and frame.diagrams.sum() == 2
    with pytest.warns(UserWarning, match=told):
        diagrams = archive.to_geopandas().set_index("diagramid")
    assert diagrams.cost.isna().to_dict() == {1: False, row["id"]: True}
    assert re.search(reason, json.loads(diagrams.loc[row["id"], "properties"])["cost_problem"])
    with pytest.warns(UserWarning, match=told), archive.duckdb() as database:
        assert database.sql("SELECT count(*) FROM diagrams WHERE cost IS NULL").fetchall() == [(1,)]
    with pytest.warns(UserWarning, match=f"diagram {row['id']}: .*{reason}"):
        archive.open(PROJECT).costs()


def test_an_archive_without_projects_answers_too(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        json.dumps({"format": "pygeodesign-projects", "version": 1, "projects": {}, "unused": {}})
    )
    archive = pygeodesign.read_archive(tmp_path)
    assert len(archive) == len(archive.costs()) == len(archive.to_geopandas(where="cost > 1")) == 0
    with archive.duckdb() as database:
        for table in ("diagrams", "systems", "designs", "costs"):
            assert database.sql(f"SELECT project FROM {table}").fetchall() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no archive of projects in"),
        ("no JSON", "is not JSON"),
        ("[]", "is not the manifest of an archive of many projects"),
        ('{"format": "pygeodesign-archive", "version": 1}', "is not the manifest of an archive of many projects"),
        ('{"format": "pygeodesign-projects", "version": 2}', "version 2, .* up to 1: install a newer pygeodesign"),
        ('{"format": "pygeodesign-projects", "version": "1"}', "is damaged: its version"),
        ('{"format": "pygeodesign-projects", "version": 1}', "is damaged"),
        ('{"format": "pygeodesign-projects", "version": 1, "projects": {"../etc": {}}, "unused": {}}', "is damaged"),
    ],
)
def test_what_is_no_archive_is_refused_with_the_reason(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ArchiveError, match=message):
        pygeodesign.read_archive(tmp_path)


def test_a_manifest_that_leads_out_of_the_archive_is_refused(archive: ProjectsArchive, tmp_path: Path) -> None:
    source = Path(str(archive._store))
    manifest = json.loads((source / "manifest.json").read_bytes())
    entry = next(iter(manifest["projects"].values()))
    entry["files"]["costs"]["path"] = "../../etc/passwd"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ArchiveError, match="not the name of a file of project"):
        pygeodesign.read_archive(tmp_path)


def replaced_table(folder: Path, kind: str, content: bytes) -> Path:
    """A copy of the table's file in an archive of others, whose manifest means it."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (project, entry), *_ = manifest["projects"].items()
    digest = hashlib.sha256(content).hexdigest()
    path = f"versions/project={project}/{kind}-{digest[:16]}.parquet"
    entry["files"][kind] = {"path": path, "size": len(content), "sha256": digest}
    manifest["projects"] = {project: entry}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / path).write_bytes(content)
    return folder / path


def test_a_table_of_very_many_columns_is_refused(several: Sandbox, tmp_path: Path) -> None:
    archivist(several).archive_all(tmp_path, progress=False)
    wide = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({f"c{number}": [1] for number in range(257)}), wide)
    replaced_table(tmp_path, "diagrams", wide.getvalue())
    with pytest.raises(ArchiveError, match="it has 257 columns; a table may have at most 256"):
        pygeodesign.read_archive(tmp_path).to_geopandas()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_what_is_no_table_is_not_waited_for_and_not_read_to_its_end(several: Sandbox, tmp_path: Path) -> None:
    archivist(several).archive_all(tmp_path, progress=False)
    path = replaced_table(tmp_path, "costs", b"PAR1")
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ArchiveError, match="is damaged: it has more than the 4 bytes"):
        pygeodesign.read_archive(tmp_path).costs()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ArchiveError, match="is not a regular file"):
        pygeodesign.read_archive(tmp_path).costs()
    (tmp_path / "manifest.json").write_bytes(b"")
    with (tmp_path / "manifest.json").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ArchiveError, match="more than 67108864 bytes"):
        pygeodesign.read_archive(tmp_path)


def test_a_damaged_file_is_noticed(several: Sandbox, tmp_path: Path) -> None:
    archivist(several).archive_all(tmp_path, progress=False)
    for path in tmp_path.glob("versions/*/costs-*"):
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ArchiveError, match="is damaged: its digest differs"):
        pygeodesign.read_archive(tmp_path).costs()


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not have")
@pytest.mark.parametrize("name", ["a*b", "a?b", "a[1]b", "it's", "year=2030", "project=Other", "50% {ü}", "~"])
def test_an_archive_is_read_from_a_folder_of_any_name(name: str, several: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / name / "archive"
    archivist(several).archive_all(folder, progress=False)
    # Matches of the name if it were a pattern.
    for other in ("a b", "a1b"):
        shutil.copytree(folder, tmp_path / other / "archive")
    projects = pygeodesign.read_archive(folder)
    frame = projects.to_geopandas()
    assert set(frame["project"]) <= set(several.project_ids)
    assert len(frame) == sum(told["diagrams"] for told in projects.projects.values())
    assert "year" not in frame.columns
    with projects.duckdb() as database:
        counts = database.sql("SELECT project, count(*) FROM costs GROUP BY project").fetchall()
    assert dict(counts) == {projectid: told["systems"] for projectid, told in projects.projects.items()}


def test_the_folder_of_the_user_is_a_tilde(several: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    archivist(several).archive_all("~/archive", progress=False)
    assert (tmp_path / "archive" / "manifest.json").is_file()
    assert len(pygeodesign.read_archive("~/archive")) == 5
    with pytest.raises(InputError, match="~nobody-has-this-name/archive cannot be found"):
        pygeodesign.read_archive("~nobody-has-this-name/archive")


def test_a_copy_on_a_web_server_is_read_over_http(several: Sandbox, tmp_path: Path) -> None:
    archivist(several).archive_all(tmp_path / "archive", progress=False)

    class Files(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802
            path = tmp_path / self.path.lstrip("/")
            content, status = (path.read_bytes(), 200) if path.is_file() else (b"", 404)
            first, _, last = self.headers.get("range", "").removeprefix("bytes=").partition("-")
            first = first if status == 200 else ""
            self.send_response(206 if first else status)
            if first:
                self.send_header("content-range", f"bytes {first}-{last}/{len(content)}")
                content = content[int(first) : int(last) + 1]
            self.send_header("accept-ranges", "bytes")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else content)

        do_HEAD = do_GET  # noqa: N815

    with LocalServer(Files) as server:
        projects = pygeodesign.read_archive(f"{server.origin}/archive")
        assert repr(projects) == f"<ProjectsArchive of 5 projects in {server.origin}/archive>"
        assert len(projects.costs()) == 4 * len(SYSTEMS) + 1
        assert projects.open(several.project_ids[0]).costs().systems
        assert len(projects.to_geopandas()) == sum(told["diagrams"] for told in projects.projects.values())
        with pytest.raises(ArchiveError, match=f"no archive of projects in {server.origin}/other"):
            pygeodesign.read_archive(f"{server.origin}/other")
