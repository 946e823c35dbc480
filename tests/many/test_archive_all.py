"""An archive of many projects in a folder: content, requests of a refresh, and the state after an interruption."""

import asyncio
import errno
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import geopandas
import numpy as np
import pyarrow.parquet
import pytest

import pygeodesign
from builders import line
from many_projects import SYSTEMS, archivist, running_service
from pygeodesign import ArchiveError, Client, InputError, NotFoundError, Project, Sandbox
from pygeodesign._many.store import Folder
from pygeodesign._many.tables import tables_of
from recording_proxy import RecordingProxy
from stress import duration

pytestmark = [pytest.mark.early, pytest.mark.stress]

TABLES = ("diagrams", "systems", "designs", "costs")


@pytest.fixture(scope="module")
def several() -> Iterator[Sandbox]:
    """A service with three projects that no test writes to."""
    with running_service(3) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def folder(several: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of the three projects."""
    folder = tmp_path_factory.mktemp("many") / "archive"
    archivist(several).archive_all(folder, progress=False)
    return folder


def costs_of(project: Project) -> dict[int, float]:
    return {row["sysid"]: row["cost"] for row in project.costs().systems}


def archived_costs(folder: Path, projectid: str) -> dict[int, float]:
    frame = pygeodesign.read_archive(folder).costs()
    return dict(frame.loc[frame["project"] == projectid, ["sysid", "cost"]].itertuples(index=False))


def test_each_project_has_a_partition_with_its_tables_and_its_own_archive(several: Sandbox, folder: Path) -> None:
    for projectid in several.project_ids:
        for table in TABLES:
            assert pyarrow.parquet.read_table(folder / f"project={projectid}" / f"{table}.parquet").num_rows >= 0
        opened = pygeodesign.open(folder / f"project={projectid}" / "project.zip")
        assert opened.costs().systems == archivist(several).project(projectid).costs().systems


def test_diagrams_are_geoparquet_with_a_bounding_box_of_each_row(several: Sandbox, folder: Path) -> None:
    projectid = several.project_ids[0]
    path = folder / f"project={projectid}" / "diagrams.parquet"
    described = json.loads(pyarrow.parquet.read_schema(path).metadata[b"geo"])
    assert described["version"] == "1.1.0"
    assert described["columns"]["geometry"]["covering"]["bbox"]["xmin"] == ["bbox", "xmin"]
    frame = geopandas.read_parquet(path)
    costs = {row["diagramid"]: row["cost"] for row in archivist(several).project(projectid).costs().diagrams}
    assert dict(zip(frame["diagramid"], frame["cost"], strict=True)) == pytest.approx(costs, rel=1e-9)
    assert set(frame["system"]) == {"Water", "Green", "Housing"}
    assert {"cteamid", "team", "sysid"} <= set(frame.columns)
    assert frame.crs.to_epsg() == 4326


def test_any_program_reads_the_partitions_by_their_names(several: Sandbox, folder: Path) -> None:
    partitions = f"read_parquet('{folder}/project=*/diagrams.parquet', hive_partitioning=true)"
    with duckdb.connect() as database:
        rows = database.execute(f"SELECT project, count(*) FROM {partitions} GROUP BY project").fetchall()
    client = archivist(several)
    assert dict(rows) == {
        projectid: len(client.project(projectid).diagrams(fields="summary")) for projectid in several.project_ids
    }


def test_the_team_of_a_diagram_is_that_of_its_author(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    sandbox.client().archive_all(tmp_path, progress=False)
    frame = geopandas.read_parquet(tmp_path / f"project={project.id}" / "diagrams.parquet")
    for team in project.teams():
        authors = set(project.team(team["id"]).members())
        assert set(frame.loc[frame["cteamid"] == team["id"], "author"]) <= authors
        assert set(frame.loc[frame["cteamid"] == team["id"], "team"]) <= {team["title"]}
    assert frame["team"].notna().any()


def test_designs_have_their_diagrams_and_their_cost(sandbox: Sandbox, project: Project, tmp_path: Path) -> None:
    sandbox.client().archive_all(tmp_path, progress=False)
    designs = pyarrow.parquet.read_table(tmp_path / f"project={project.id}" / "designs.parquet").to_pylist()
    saved = [design["id"] for team in project.teams() for design in project.designs(team["id"])]
    assert [design["designid"] for design in designs] == saved
    first = designs[0]
    assert sorted(first["diagramids"]) == sorted(project.design(first["designid"], first["cteamid"]).diagram_ids())
    of_design = project.costs(team=first["cteamid"], design=first["designid"])
    assert first["cost"] == pytest.approx(of_design.total, rel=1e-9)
    assert sum(design["latest"] for design in designs) == len({design["cteamid"] for design in designs})


def test_the_manifest_has_the_change_id_and_the_tags_of_each_project(several: Sandbox, folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert (manifest["format"], manifest["version"]) == ("pygeodesign-projects", 1)
    client = archivist(several)
    for projectid in several.project_ids:
        assert manifest["projects"][projectid]["changeid"] == client.project(projectid).change_id()
        assert manifest["projects"][projectid]["etags"]["project.json"]


def test_the_token_is_in_no_file(several: Sandbox, folder: Path) -> None:
    token = several.token("archivist").encode()
    assert not any(token in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_an_unchanged_refresh_sends_one_request_per_project_and_writes_nothing(
    several: Sandbox, tmp_path: Path
) -> None:
    with RecordingProxy(several.url) as proxy, Client(several.token("archivist"), proxy.url) as client:
        client.archive_all(tmp_path, progress=False)
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
        proxy.requests.clear()
        report = client.archive_all(tmp_path, progress=False)
    assert sorted(report["unchanged"]) == sorted(several.project_ids)
    assert (report["archived"], report["kept"], report["failures"]) == ([], [], {})
    paths = Counter(request.path.partition("/projects/")[2] for request in proxy.requests)
    assert paths == Counter({"": 1, **{f"{projectid}/changeid/": 1 for projectid in several.project_ids}})
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_refresh_rewrites_only_what_changed(tmp_path: Path) -> None:
    with running_service(2) as sandbox:
        client = archivist(sandbox)
        client.archive_all(tmp_path, progress=False)
        first, second = sandbox.project_ids
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
        diagram = client.project(first).diagrams(fields="summary")[0]["id"]
        client.project(first).diagram(diagram).update(additional_metadata={}, title="Tidal marsh")
        report = client.archive_all(tmp_path, progress=False)
        assert (report["archived"], report["unchanged"]) == ([first], [second])
        after = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
        changed = {path.relative_to(tmp_path).as_posix() for path in after if before.get(path) != after[path]}
        published = {path for path in changed if path.startswith("project=")}
        assert published == {f"project={first}/diagrams.parquet"}
        frame = pygeodesign.read_archive(tmp_path).to_geopandas(where=f"diagramid = {diagram}")
        assert frame["title"].tolist() == ["Tidal marsh"]
        assert pygeodesign.read_archive(tmp_path).open(first).costs().diagrams == client.project(first).costs().diagrams


def test_old_files_stay_for_readers_and_are_removed_after_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pygeodesign._many import archive_all

    with running_service(1) as sandbox:
        client = archivist(sandbox)
        client.archive_all(tmp_path, progress=False)
        reader = pygeodesign.read_archive(tmp_path)
        costs = reader.costs()
        client.project(sandbox.project_ids[0]).add_diagram("Water", line([0, 50], [0.1, 50]), title="New")
        client.archive_all(tmp_path, progress=False)
        assert reader.costs().equals(costs)
        assert len(reader.to_geopandas()) + 1 == len(pygeodesign.read_archive(tmp_path).to_geopandas())
        monkeypatch.setattr(archive_all, "GRACE", timedelta(0))
        client.archive_all(tmp_path, progress=False)
        assert len(list(tmp_path.glob("versions/*/*"))) == 5
        for question in (reader.costs, reader.to_geopandas):
            with pytest.raises(ArchiveError, match="read the archive again"):
                question()


def test_a_project_that_fails_is_named_at_the_end_and_stays_as_it_was(tmp_path: Path) -> None:
    with running_service(2) as sandbox:
        client = archivist(sandbox)
        missing = "0000000000000000"
        with pytest.warns(UserWarning, match=missing):
            report = client.archive_all(tmp_path, [*sandbox.project_ids, missing], progress=False)
        assert sorted(report["archived"]) == sorted(sandbox.project_ids)
        assert isinstance(report["failures"][missing], NotFoundError)
        assert set(pygeodesign.read_archive(tmp_path).projects) == set(sandbox.project_ids)


def test_projects_that_are_not_asked_for_stay(several: Sandbox, tmp_path: Path) -> None:
    client = archivist(several)
    client.archive_all(tmp_path, progress=False)
    first, *others = several.project_ids
    report = client.archive_all(tmp_path, [client.project(first)], progress=False)
    assert (report["unchanged"], report["kept"]) == ([first], sorted(others))
    assert len(pygeodesign.read_archive(tmp_path)) == 3


def test_an_async_client_writes_the_same_archive(several: Sandbox, folder: Path, tmp_path: Path) -> None:
    async def archive() -> Any:
        async with several.async_client("archivist") as client:
            return await client.archive_all(tmp_path, progress=False)

    assert sorted(asyncio.run(archive())["archived"]) == sorted(several.project_ids)
    assert pygeodesign.read_archive(tmp_path).costs().equals(pygeodesign.read_archive(folder).costs())


def test_a_cancelled_task_ends_the_archive(several: Sandbox, tmp_path: Path) -> None:
    async def archive() -> None:
        async with several.async_client("archivist") as client:
            task = asyncio.ensure_future(client.archive_all(tmp_path, progress=False))
            await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(archive())
    assert len(pygeodesign.read_archive(tmp_path)) < 3


@pytest.mark.parametrize(
    ("store", "projects", "message"),
    [
        (3, None, "an int; give a folder"),
        ("archive", 3, "give a list of ids"),
        ("archive", [3], "3 is not a project id"),
        ("archive", {"StatenIsland2050": {"region": [1]}}, "names to texts"),
        ("archive", {"StatenIsland2050": {"region": math.nan}}, "names to texts"),
        ("archive", {"StatenIsland2050": {"project": "A"}}, "project is a column already"),
        ("archive", {"StatenIsland2050": {"name": "A"}}, "name is a column already"),
        ("", None, "give a folder"),
    ],
)
def test_wrong_arguments_are_explained(
    several: Sandbox, store: Any, projects: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        archivist(several).archive_all(store, projects, progress=False)


def test_a_folder_with_something_else_is_left_alone(several: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a web application"}')
    with pytest.raises(ArchiveError, match="is not the manifest"):
        archivist(several).archive_all(tmp_path, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


ARCHIVE = """
import sys
from pygeodesign import Client
# Takes as long as the rest.
import pygeodesign._many.archive_all
token, url, folder = sys.argv[1:]
with Client(token, url) as client:
    print("started", flush=True)
    client.archive_all(folder, progress=False)
"""


def start_archiving(sandbox: Sandbox, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", ARCHIVE, sandbox.token("archivist"), sandbox.url, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    return process


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of Unix")
def test_a_killed_run_leaves_each_project_as_it_was_or_as_it_is(tmp_path: Path) -> None:
    with running_service(3) as sandbox:
        client = archivist(sandbox)
        client.archive_all(tmp_path, progress=False)
        states = {projectid: [costs_of(client.project(projectid))] for projectid in sandbox.project_ids}
        for turn in range(duration(short=5, long=60)):
            for projectid in sandbox.project_ids:
                shape = line([0, 50], [0.01 * (turn + 1), 50])
                client.project(projectid).add_diagram(SYSTEMS[turn % 3], shape, title=f"Turn {turn}", outside="allow")
                states[projectid].append(costs_of(client.project(projectid)))
            process = start_archiving(sandbox, tmp_path)
            time.sleep(turn % 6 * 0.06)
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            archive = pygeodesign.read_archive(tmp_path)
            for projectid in sandbox.project_ids:
                costs = archived_costs(tmp_path, projectid)
                assert costs in states[projectid]
                # All files of a project are of one state.
                diagrams = archive.to_geopandas(where=f"project = '{projectid}'")
                assert diagrams.groupby("sysid")["cost"].sum().to_dict() == pytest.approx(costs, rel=1e-9)
                assert costs_of(archive.open(projectid)) == pytest.approx(costs, rel=1e-9)
        client.archive_all(tmp_path, progress=False)
        for projectid in sandbox.project_ids:
            assert archived_costs(tmp_path, projectid) == pytest.approx(states[projectid][-1], rel=1e-9)
            published = pyarrow.parquet.read_table(tmp_path / f"project={projectid}" / "costs.parquet").to_pylist()
            assert {row["sysid"]: row["cost"] for row in published} == pytest.approx(states[projectid][-1], rel=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of Unix")
def test_a_killed_first_run_leaves_whole_projects_or_nothing(several: Sandbox, tmp_path: Path) -> None:
    states = {projectid: costs_of(archivist(several).project(projectid)) for projectid in several.project_ids}
    for turn in range(duration(short=6, long=60)):
        folder = tmp_path / str(turn)
        process = start_archiving(several, folder)
        time.sleep(0.02 + turn % 6 * 0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        if (folder / "manifest.json").exists():
            archive = pygeodesign.read_archive(folder)
            for projectid in archive.projects:
                assert archived_costs(folder, projectid) == pytest.approx(states[projectid], rel=1e-9)
                assert costs_of(archive.open(projectid)) == pytest.approx(states[projectid], rel=1e-9)
        archivist(several).archive_all(folder, progress=False)
        assert set(pygeodesign.read_archive(folder).projects) == set(several.project_ids)


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of Unix")
def test_ctrl_c_ends_a_run_and_leaves_an_archive(
    several: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pygeodesign._many import archive_all

    client, (first, second, _) = archivist(several), several.project_ids
    client.archive_all(tmp_path, [first], progress=False)

    def interrupted(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(4)

    monkeypatch.setattr(archive_all, "tables_of", interrupted)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        client.archive_all(tmp_path, [first, second], progress=False)
    assert time.monotonic() - start < 2
    assert list(pygeodesign.read_archive(tmp_path).projects) == [first]
    assert archived_costs(tmp_path, first) == costs_of(client.project(first))


def test_several_calls_at_the_same_time_write_one_archive(several: Sandbox, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as executor:
        calls = [
            executor.submit(archivist(several).archive_all, tmp_path, {projectid: {"part": part}}, progress=False)
            for part, projectid in enumerate(several.project_ids)
        ]
    reports = [call.result() for call in calls]
    assert [report["archived"] for report in reports] == [[projectid] for projectid in several.project_ids]
    # If two write the manifest at the same moment, the changes of one may be lost until its next call.
    for projectid in several.project_ids:
        archivist(several).archive_all(tmp_path, [projectid], progress=False)
    projects = pygeodesign.read_archive(tmp_path)
    assert set(projects.projects) == set(several.project_ids)
    assert len(projects.to_geopandas()) == sum(told["diagrams"] for told in projects.projects.values())


def test_what_another_process_archived_meanwhile_stays(
    several: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pygeodesign._many import archive_all

    first, second, _ = several.project_ids

    def beside(*arguments: Any) -> Any:
        monkeypatch.undo()
        archivist(several).archive_all(tmp_path, [second], progress=False)
        return tables_of(*arguments)

    monkeypatch.setattr(archive_all, "tables_of", beside)
    archivist(several).archive_all(tmp_path, [first], progress=False)
    assert set(pygeodesign.read_archive(tmp_path).projects) == {first, second}
    before = (tmp_path / "manifest.json").stat().st_mtime_ns
    archivist(several).archive_all(tmp_path, [first, second], progress=False)
    assert (tmp_path / "manifest.json").stat().st_mtime_ns == before


class FullFolder(Folder):
    """A folder on a disk with space for `left` more files."""

    left = 0

    def write(self, name: str, content: bytes) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(name, content)


@pytest.mark.parametrize("left", [0, 3, 5, 7, 11])
def test_a_full_disk_ends_the_call_and_leaves_an_archive(
    left: int, several: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pygeodesign._many import archive_all

    archivist(several).archive_all(tmp_path, [several.project_ids[0]], progress=False)
    disk = FullFolder(tmp_path)
    disk.left = left
    monkeypatch.setattr(archive_all, "open_store", lambda *_: disk)
    with pytest.raises(ArchiveError, match=r"cannot be written: .*No space left"):
        archivist(several).archive_all(tmp_path, progress=False)
    projects = pygeodesign.read_archive(tmp_path)
    assert several.project_ids[0] in projects.projects
    for projectid in projects.projects:
        expected = costs_of(archivist(several).project(projectid))
        assert archived_costs(tmp_path, projectid) == expected == costs_of(projects.open(projectid))
    monkeypatch.undo()
    archivist(several).archive_all(tmp_path, progress=False)
    assert set(pygeodesign.read_archive(tmp_path).projects) == set(several.project_ids)


def test_numbers_of_tables_are_columns(several: Sandbox, tmp_path: Path) -> None:
    projectid = several.project_ids[0]
    columns = {"phase": np.int64(3), "share": np.float64(0.5), "open": np.bool_(True)}
    archivist(several).archive_all(tmp_path, {projectid: columns}, progress=False)
    told = pygeodesign.read_archive(tmp_path).projects[projectid]
    assert (told["phase"], told["share"], told["open"]) == (3, 0.5, True)
    with pytest.raises(InputError, match="finite numbers"):
        archivist(several).archive_all(tmp_path, {projectid: {"share": np.float64("nan")}}, progress=False)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_folder_that_is_a_link_is_neither_written_to_nor_emptied(several: Sandbox, tmp_path: Path) -> None:
    """An archive of others could lead to any folder, whose files would look unused."""
    archive, elsewhere = tmp_path / "archive", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "thesis.txt").write_text("written for years")
    archivist(several).archive_all(archive, progress=False)
    manifest = json.loads((archive / "manifest.json").read_bytes())
    manifest["unused"] = {"versions/thesis.txt": "2000-01-01T00:00:00+00:00"}
    (archive / "manifest.json").write_text(json.dumps(manifest))
    (archive / "versions").rename(tmp_path / "versions")
    (archive / "versions").symlink_to(elsewhere)
    with pytest.raises(ArchiveError, match="is a link to another folder"):
        archivist(several).archive_all(archive, progress=False)
    assert [file.name for file in elsewhere.iterdir()] == ["thesis.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_file_that_is_a_link_is_not_published(several: Sandbox, tmp_path: Path) -> None:
    archive, secret = tmp_path / "archive", tmp_path / "secret.txt"
    secret.write_text("of another folder")
    archivist(several).archive_all(archive, progress=False)
    manifest = json.loads((archive / "manifest.json").read_bytes())
    entry = next(iter(manifest["projects"].values()))
    entry["published"] = False
    (archive / "manifest.json").write_text(json.dumps(manifest))
    (archive / entry["files"]["costs"]["path"]).unlink()
    (archive / entry["files"]["costs"]["path"]).symlink_to(secret)
    with pytest.raises(ArchiveError, match="is a link to another file"):
        archivist(several).archive_all(archive, progress=False)
    assert all(file.is_symlink() or b"of another" not in file.read_bytes() for file in archive.rglob("*.parquet"))


def test_a_project_whose_own_archive_is_none_is_archived_anew(tmp_path: Path) -> None:
    with running_service(1) as sandbox:
        client, projectid = archivist(sandbox), sandbox.project_ids[0]
        client.archive_all(tmp_path, progress=False)
        manifest = json.loads((tmp_path / "manifest.json").read_bytes())
        entry = manifest["projects"][projectid]
        digest = hashlib.sha256(b"no zip").hexdigest()
        path = f"versions/project={projectid}/project-{digest[:16]}.zip"
        (tmp_path / path).write_bytes(b"no zip")
        entry["files"]["project"] = {"path": path, "size": 1 << 62, "sha256": digest}
        entry["changeid"] = "another"
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        assert client.archive_all(tmp_path, progress=False)["archived"] == [projectid]
        assert pygeodesign.read_archive(tmp_path).open(projectid).info()["id"] == projectid


def test_projects_with_more_columns_than_are_read_are_not_written(several: Sandbox, tmp_path: Path) -> None:
    first = several.project_ids[0]
    columns = {first: {f"column {number}": number for number in range(257)}}
    with pytest.warns(UserWarning, match="at most 256 columns"):
        report = archivist(several).archive_all(tmp_path, columns, progress=False)
    assert list(report["failures"]) == [first]
    assert len(archivist(several).archive_all(tmp_path, progress=False)["archived"]) == len(several.project_ids)
