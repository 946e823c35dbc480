"""An archive of many projects in a bucket: as in a folder, also where requests fail or the writer is killed."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import fsspec
import obstore.store
import pytest
import s3fs
from fsspec.implementations.dirfs import DirFileSystem
from moto.server import ThreadedMotoServer

import pygeodesign
from builders import line
from many_projects import archivist, running_service
from pygeodesign import ArchiveError, InputError, Project, Sandbox
from stress import duration

pytestmark = [pytest.mark.early, pytest.mark.stress, pytest.mark.slow]

KEYS = {"key": "test", "secret": "hidden-secret"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """An S3 in this process."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def options(endpoint: str) -> dict[str, Any]:
    return {**KEYS, "client_kwargs": {"endpoint_url": endpoint}}


@pytest.fixture
def bucket(options: dict[str, Any], tmp_path: Path) -> str:
    """A new bucket."""
    name = tmp_path.name.replace("_", "-").lower()[:40].strip("-")
    s3fs.S3FileSystem(**options).mkdir(name)
    return name


@pytest.fixture(scope="module")
def several() -> Iterator[Sandbox]:
    with running_service(3) as sandbox:
        yield sandbox


def costs_of(project: Project) -> dict[int, float]:
    return {row["sysid"]: row["cost"] for row in project.costs().systems}


def check(archive: Any, sandbox: Sandbox) -> None:
    """Checks that an archive has the service's figures, in every way of reading it."""
    frame, client = archive.costs(), archivist(sandbox)
    assert set(archive.projects) == set(sandbox.project_ids)
    with archive.duckdb() as database:
        rows = database.sql("SELECT project, sum(cost) FROM diagrams GROUP BY project").fetchall()
    for projectid in sandbox.project_ids:
        costs = costs_of(client.project(projectid))
        assert frame[frame["project"] == projectid].set_index("sysid")["cost"].to_dict() == pytest.approx(
            costs, rel=1e-9
        )
        assert math.isclose(dict(rows)[projectid], sum(costs.values()), rel_tol=1e-9)
        assert costs_of(archive.open(projectid)) == costs
    assert len(archive.to_geopandas()) == 5 + 6 + 7


def test_a_bucket_is_named_by_its_url(several: Sandbox, bucket: str, options: dict[str, Any]) -> None:
    url = f"s3://{bucket}/national/archive"
    report = archivist(several).archive_all(url, storage_options=options, progress=False)
    assert sorted(report["archived"]) == sorted(several.project_ids)
    check(pygeodesign.read_archive(url, storage_options=options), several)
    again = archivist(several).archive_all(url, storage_options=options, progress=False)
    assert sorted(again["unchanged"]) == sorted(several.project_ids)
    shown = repr(pygeodesign.read_archive(url, storage_options=options))
    assert url in shown and "hidden-secret" not in shown


def test_a_filesystem_of_fsspec_is_taken_as_it_is(several: Sandbox, bucket: str, options: dict[str, Any]) -> None:
    filesystem = DirFileSystem(f"{bucket}/archive", s3fs.S3FileSystem(**options))
    archivist(several).archive_all(filesystem, progress=False)
    check(pygeodesign.read_archive(filesystem), several)
    mapping = fsspec.get_mapper(f"s3://{bucket}/archive", **options)
    check(pygeodesign.read_archive(mapping), several)


def test_a_store_of_obstore_is_taken_as_it_is(several: Sandbox, bucket: str, endpoint: str) -> None:
    store = obstore.store.S3Store(
        bucket,
        prefix="archive",
        endpoint=endpoint,
        access_key_id=KEYS["key"],
        secret_access_key=KEYS["secret"],
        region="us-east-1",
        virtual_hosted_style_request=False,
        client_options={"allow_http": True},
    )
    archivist(several).archive_all(store, progress=False)
    check(pygeodesign.read_archive(store), several)
    assert archivist(several).archive_all(store, progress=False)["archived"] == []


def test_any_program_finds_the_partitions(several: Sandbox, bucket: str, options: dict[str, Any]) -> None:
    archivist(several).archive_all(f"s3://{bucket}", storage_options=options, progress=False)
    names = s3fs.S3FileSystem(**options).find(f"{bucket}/project={several.project_ids[0]}")
    assert [name.rpartition("/")[2] for name in names] == [
        *("costs.parquet", "designs.parquet", "diagrams.parquet", "project.zip", "systems.parquet")
    ]


class Breaking(s3fs.S3FileSystem):  # type: ignore[misc]
    """An S3 on which only `left` changing requests succeed."""

    cachable = False
    left = 0

    def _spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError("the network is away")

    async def _pipe_file(self, *arguments: Any, **named: Any) -> None:
        self._spend()
        await super()._pipe_file(*arguments, **named)

    async def _cp_file(self, *arguments: Any, **named: Any) -> None:
        self._spend()
        await super()._cp_file(*arguments, **named)

    async def _rm_file(self, *arguments: Any, **named: Any) -> None:
        self._spend()
        await super()._rm_file(*arguments, **named)


def test_an_interruption_at_any_request_leaves_each_project_as_it_was_or_as_it_is(
    bucket: str, options: dict[str, Any]
) -> None:
    breaking = Breaking(**options)
    store = DirFileSystem(f"{bucket}/archive", breaking)
    with running_service(2) as sandbox:
        client = archivist(sandbox)
        breaking.left = 1000
        client.archive_all(store, progress=False)
        states = {projectid: [costs_of(client.project(projectid))] for projectid in sandbox.project_ids}
        for turn in range(0, 18, duration(short=3, long=1)):
            for projectid in sandbox.project_ids:
                shape = line([0, 50], [0.01 * (turn + 1), 50])
                client.project(projectid).add_diagram("Water", shape, title=f"Turn {turn}", outside="allow")
                states[projectid].append(costs_of(client.project(projectid)))
            breaking.left = turn
            with warnings.catch_warnings(), suppress(ArchiveError):
                warnings.simplefilter("ignore")
                client.archive_all(store, progress=False)
            assert breaking.left < 0
            check_states(pygeodesign.read_archive(store), states)
        breaking.left = 1000
        client.archive_all(store, progress=False)
        for projectid in sandbox.project_ids:
            assert costs_of(pygeodesign.read_archive(store).open(projectid)) == states[projectid][-1]


ARCHIVE = """
import json, sys
from pygeodesign import Client
# Takes as long as the rest.
import pygeodesign._many.archive_all, s3fs
token, url, store, options = sys.argv[1:]
with Client(token, url) as client:
    print("started", flush=True)
    client.archive_all(store, storage_options=json.loads(options), progress=False)
"""


def kill_while_archiving(sandbox: Sandbox, store: str, options: dict[str, Any], after: float) -> None:
    """Starts to archive in another process, which is killed after some seconds."""
    arguments = [sandbox.token("archivist"), sandbox.url, store, json.dumps(options)]
    command = [sys.executable, "-W", "ignore", "-c", ARCHIVE, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "started\n"
        time.sleep(after)
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of Unix")
def test_a_writer_that_is_killed_leaves_each_project_as_it_was_or_as_it_is(
    bucket: str, options: dict[str, Any]
) -> None:
    url, choose = f"s3://{bucket}/archive", random.Random(24)
    with running_service(3) as sandbox:
        client = archivist(sandbox)
        states = {projectid: [costs_of(client.project(projectid))] for projectid in sandbox.project_ids}
        # The first turns make the archive, until one of them reaches its manifest.
        for turn in range(duration(short=4, long=60)):
            kill_while_archiving(sandbox, url, options, choose.uniform(0.1, 0.8))
            if s3fs.S3FileSystem(**options, use_listings_cache=False).exists(f"{bucket}/archive/manifest.json"):
                check_states(pygeodesign.read_archive(url, storage_options=options), states)
            for projectid in sandbox.project_ids:
                shape = line([0, 50], [0.01 * (turn + 1), 50])
                client.project(projectid).add_diagram("Water", shape, title=f"Turn {turn}", outside="allow")
                states[projectid].append(costs_of(client.project(projectid)))
        client.archive_all(url, storage_options=options, progress=False)
        archive = pygeodesign.read_archive(url, storage_options=options)
        check_states(archive, {projectid: each[-1:] for projectid, each in states.items()})
        assert set(archive.projects) == set(sandbox.project_ids)


def check_states(archive: Any, states: dict[str, list[dict[int, float]]]) -> None:
    """Checks that each project is complete, and in one of its states."""
    frame = archive.costs()
    for projectid in archive.projects:
        costs = frame[frame["project"] == projectid].set_index("sysid")["cost"].to_dict()
        assert costs in states[projectid]
        diagrams = archive.to_geopandas(where=f"project = '{projectid}'")
        assert diagrams.groupby("sysid")["cost"].sum().to_dict() == pytest.approx(costs, rel=1e-9)
        assert costs_of(archive.open(projectid)) == costs


def test_a_url_without_an_archive_is_named(bucket: str, options: dict[str, Any]) -> None:
    with pytest.raises(ArchiveError, match=f"there is no archive of projects in s3://{bucket}/nothing"):
        pygeodesign.read_archive(f"s3://{bucket}/nothing", storage_options=options)


def test_options_are_for_urls_only(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not for a folder"):
        pygeodesign.read_archive(tmp_path, storage_options=options)
    with pytest.raises(InputError, match="unheard"):
        pygeodesign.read_archive("unheard://place", storage_options=options)


@pytest.mark.parametrize("prefix", ["my archive/of 2030", "year=2030/project=Other", "a+b &c%20d#e", "ü[x]*?", "~"])
def test_a_prefix_may_have_any_characters(several: Sandbox, bucket: str, options: dict[str, Any], prefix: str) -> None:
    url = f"s3://{bucket}/{prefix}"
    client = archivist(several)
    client.archive_all(url, storage_options=options, progress=False)
    assert len(client.archive_all(url, storage_options=options, progress=False)["unchanged"]) == 3
    projects = pygeodesign.read_archive(url, storage_options=options)
    assert sorted(set(projects.to_geopandas()["project"])) == sorted(several.project_ids)
    with projects.duckdb() as database:
        counts = database.sql("SELECT project, count(*) FROM costs GROUP BY project").fetchall()
    assert dict(counts) == dict.fromkeys(several.project_ids, 3)
    assert projects.costs()["cost"].sum() > 0
    assert projects.open(several.project_ids[0]).costs().total > 0
