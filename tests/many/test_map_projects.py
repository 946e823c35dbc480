"""A function of each of many projects, on threads and on a Dask cluster."""

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask.dataframe
import distributed
import pytest

import pygeodesign
from many_projects import archivist, running_service
from pygeodesign import Client, FeatureCollection, InputError, NotFoundError, Project, Sandbox
from pygeodesign.many import ProjectsArchive
from recording_proxy import RecordingProxy

pytestmark = pytest.mark.early


@pytest.fixture(scope="module")
def several() -> Iterator[Sandbox]:
    """A service with five projects that no test writes to."""
    with running_service(5) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def served(several: Sandbox) -> list[Project]:
    client = archivist(several)
    return [client.project(projectid) for projectid in several.project_ids]


@pytest.fixture(scope="module")
def archive(several: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> ProjectsArchive:
    folder = tmp_path_factory.mktemp("many")
    archivist(several).archive_all(folder, progress=False)
    return pygeodesign.read_archive(folder)


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.Client]:
    """Two processes."""
    # Another test may have a cluster at the usual port of the dashboard.
    options: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": "CRITICAL"}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as processes,
        distributed.Client(processes) as client,
    ):
        yield client


def total(project: Project) -> float:
    return project.costs().total


def process_of(project: Project) -> int:
    # Long enough for both to be asked.
    time.sleep(0.05)
    return os.getpid()


def test_the_results_are_a_dict_by_the_ids_of_the_projects(served: list[Project]) -> None:
    results = pygeodesign.map_projects(total, served)
    assert results == {project.id: project.costs().total for project in served}
    assert isinstance(results, dict) and results.failures == {}


@pytest.mark.parametrize("kind", ["served", "opened", "archive"])
def test_a_cluster_gives_the_same_results(
    kind: str, served: list[Project], archive: ProjectsArchive, cluster: distributed.Client
) -> None:
    projects: Any = {
        "served": served,
        "opened": [archive.open(project.id) for project in served],
        "archive": archive,
    }[kind]
    assert pygeodesign.map_projects(total, projects, client=cluster) == pygeodesign.map_projects(total, served)


def test_both_processes_of_a_cluster_work(archive: ProjectsArchive, cluster: distributed.Client) -> None:
    processes = set(pygeodesign.map_projects(process_of, archive, cluster).values())
    assert len(processes) == 2 and os.getpid() not in processes


def failing_on_odd_diagrams(project: Project) -> int:
    count = len(project.diagrams(fields="summary"))
    if count % 2:
        raise LookupError(f"{count} is odd")
    return count


@pytest.mark.parametrize("on_cluster", [False, True])
def test_a_failure_is_beside_the_results_with_its_error(
    on_cluster: bool, served: list[Project], cluster: distributed.Client
) -> None:
    results = pygeodesign.map_projects(failing_on_odd_diagrams, served, cluster if on_cluster else None)
    assert sorted(results.values()) == [6, 8]
    assert sorted(str(error) for error in results.failures.values()) == ["5 is odd", "7 is odd", "9 is odd"]
    assert results.keys() | results.failures.keys() == {project.id for project in served}
    assert all(type(error) is LookupError for error in results.failures.values())


def test_an_error_of_the_service_arrives_from_a_worker(served: list[Project], cluster: distributed.Client) -> None:
    missing = archivist_project(served[0], "0000000000000000")
    results = pygeodesign.map_projects(total, [missing, served[0]], cluster)
    error = results.failures[missing.id]
    assert isinstance(error, NotFoundError) and error.status_code == 404
    assert "in call" in error.__notes__[0]


def archivist_project(project: Project, projectid: str) -> Project:
    positional, named = project._client_arguments()  # type: ignore[misc]
    return Client(*positional, **named).project(projectid)


def test_failures_are_tried_again_after_all_others(served: list[Project]) -> None:
    calls: list[str] = []
    calling = threading.Lock()

    def fails_at_first(project: Project) -> int:
        with calling:
            calls.append(project.id)
            if calls.count(project.id) < 2:
                raise ConnectionError("the network is away")
        return len(calls)

    results = pygeodesign.map_projects(fails_at_first, served)
    assert (len(results), results.failures) == (5, {})
    assert set(calls[:5]) == set(calls[5:]) == {project.id for project in served}
    results = pygeodesign.map_projects(lambda project: int(project.id), served, retries=0)
    assert len(results.failures) == 5


@pytest.mark.parametrize("on_cluster", [False, True])
def test_the_rate_of_requests_is_that_of_all_workers_together(
    on_cluster: bool, several: Sandbox, cluster: distributed.Client
) -> None:
    with RecordingProxy(several.url) as proxy, Client(several.token("archivist"), proxy.url) as client:
        projects = [client.project(projectid) for projectid in several.project_ids]
        start = time.monotonic()
        results = pygeodesign.map_projects(total, projects, cluster if on_cluster else None, requests_per_second=40)
        elapsed = time.monotonic() - start
        assert results.failures == {}
        # Each worker sends its first request at once.
        assert len(proxy.requests) - 5 <= 40 * elapsed


@pytest.mark.parametrize("on_cluster", [False, True])
def test_the_rate_holds_for_projects_of_one_request_each(on_cluster: bool, cluster: distributed.Client) -> None:
    with (
        running_service(24, diagrams=0) as sandbox,
        RecordingProxy(sandbox.url) as proxy,
        Client(sandbox.token("archivist"), proxy.url) as client,
    ):
        projects = [client.project(projectid) for projectid in sandbox.project_ids]
        start = time.monotonic()
        results = pygeodesign.map_projects(
            lambda project: project.info()["id"], projects, cluster if on_cluster else None, requests_per_second=40
        )
        elapsed = time.monotonic() - start
    assert len(results) == len(proxy.requests) == 24
    assert len(proxy.requests) - 1 <= 40 * elapsed


@pytest.mark.parametrize("on_cluster", [False, True])
def test_a_function_that_leaves_python_fails_and_leaves_the_others(
    on_cluster: bool, served: list[Project], cluster: distributed.Client
) -> None:
    first = served[0].id
    results = pygeodesign.map_projects(
        lambda project: sys.exit(3) if project.id == first else 1, served, cluster if on_cluster else None
    )
    assert len(results) == 4
    assert "sys.exit(3)" in str(results.failures[first])


def test_a_closed_client_of_dask_is_explained(served: list[Project], cluster: distributed.Client) -> None:
    with distributed.Client(cluster.scheduler.address) as client:
        pass
    with pytest.raises(InputError, match="client is closed"):
        pygeodesign.map_projects(total, served, client)


def test_a_function_that_cannot_be_pickled_is_explained(served: list[Project], cluster: distributed.Client) -> None:
    lock = threading.Lock()
    with pytest.raises(InputError, match="cannot be pickled for the workers"):
        pygeodesign.map_projects(lambda project: lock.locked(), served, cluster)


def test_the_function_and_earlier_results_are_checked(served: list[Project]) -> None:
    with pytest.raises(InputError, match="give a function of one project"):
        pygeodesign.map_projects("costs", served)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="results is a dict"):
        pygeodesign.map_projects(total, served, results={})  # type: ignore[arg-type]


def test_one_project_may_be_interrupted_and_the_rest_done_later(served: list[Project]) -> None:
    first = pygeodesign.map_projects(total, served[:2])
    seen: list[str] = []

    def remembered(project: Project) -> float:
        seen.append(project.id)
        return total(project)

    results = pygeodesign.map_projects(remembered, served, results=first)
    assert results is first and len(results) == 5
    assert sorted(seen) == sorted(project.id for project in served[2:])


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of Unix")
def test_ctrl_c_keeps_the_results_so_far(served: list[Project]) -> None:
    fast = served[0].id

    def slow_but_for_the_first(project: Project) -> str:
        if project.id != fast:
            time.sleep(4)
        return project.id

    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as raised:
        pygeodesign.map_projects(slow_but_for_the_first, served)
    assert time.monotonic() - start < 2
    assert raised.value.results == {fast: fast}  # type: ignore[attr-defined]


def dies_once(project: Project, folder: str) -> str:
    """Kills its process at the first call of all."""
    try:
        Path(folder, "died").touch(exist_ok=False)
    except FileExistsError:
        time.sleep(0.1)
        return project.id
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills a process")
def test_a_worker_that_dies_loses_no_project_and_none_is_answered_twice(
    archive: ProjectsArchive, cluster: distributed.Client, tmp_path: Path
) -> None:
    folder = str(tmp_path)
    results = pygeodesign.map_projects(lambda project: dies_once(project, folder), archive, cluster)
    assert results == {projectid: projectid for projectid in archive.projects}
    assert results.failures == {} and (tmp_path / "died").exists()


def clients_of_worker() -> int:
    from pygeodesign._many import map_projects

    return len(map_projects._connections)


def forget_clients() -> None:
    from pygeodesign._many import map_projects

    map_projects._connections.clear()


def test_a_worker_has_one_client_for_all_projects(served: list[Project], cluster: distributed.Client) -> None:
    cluster.run(forget_clients)
    assert len(pygeodesign.map_projects(total, served, cluster)) == 5
    assert set(cluster.run(clients_of_worker).values()) <= {0, 1}


def test_the_token_travels_and_is_not_shown(several: Sandbox, served: list[Project]) -> None:
    from pygeodesign._many.map_projects import Served

    token = several.token("archivist")
    arguments = served[0]._client_arguments()
    source = Served(served[0].id, arguments)  # type: ignore[arg-type]
    assert token in str(arguments) and token not in repr(source) and token not in repr(served[0])
    assert pickle.loads(pickle.dumps(served[0])).info() == served[0].info()


def test_large_objects_travel_beside_their_pickle(archive: ProjectsArchive, served: list[Project]) -> None:
    opened = archive.open(served[0].id)
    cases: list[tuple[Any, Callable[[Any], Any]]] = [
        (opened, lambda project: project.costs().systems),
        (opened.diagrams(), lambda diagrams: diagrams.to_dict()),
        (opened.costs(), lambda report: report.diagrams),
    ]
    for thing, content in cases:
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
        assert len(pickled) < 500 and len(buffers) >= 1
        # As they arrive: without the objects that they were made of.
        arrived = [memoryview(bytearray(buffer.raw())) for buffer in buffers]
        assert content(pickle.loads(pickled, buffers=arrived)) == content(thing)
        assert content(pickle.loads(pickle.dumps(thing, protocol=4))) == content(thing)


def test_an_opened_archive_needs_no_file_any_more(
    archive: ProjectsArchive, served: list[Project], tmp_path: Path
) -> None:
    path = tmp_path / "project.zip"
    served[0].archive(path, progress=False)
    pickled = pickle.dumps(pygeodesign.open(path))
    path.unlink()
    assert pickle.loads(pickled).costs().systems == served[0].costs().systems


@pytest.mark.parametrize(
    ("projects", "named", "message"),
    [
        (3, {}, "cannot be an int"),
        (["StatenIsland2050"], {}, "is not a Project"),
        ([], {"requests_per_second": 0}, "greater than 0"),
        ([], {"requests_per_second": "10"}, "greater than 0"),
        ([], {"retries": -1}, "0 or more"),
        ([], {"retries": 1.5}, "a whole number"),
        ([], {"client": 3}, "not a distributed.Client"),
    ],
)
def test_wrong_arguments_are_explained(projects: Any, named: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pygeodesign.map_projects(total, projects, **named)


def test_two_projects_of_one_id_are_refused(served: list[Project]) -> None:
    with pytest.raises(InputError, match="two of the projects"):
        pygeodesign.map_projects(total, [served[0], served[0]])


def test_measure_works_partition_by_partition(archive: ProjectsArchive, cluster: distributed.Client) -> None:
    frames = [archive.to_geopandas(where=f"project = '{projectid}'") for projectid in archive.projects]
    measured = cluster.gather(cluster.map(pygeodesign.measure, frames))
    for frame, figures in zip(frames, measured, strict=True):
        assert figures["area_ha"].tolist() == pytest.approx(frame["area_ha"].tolist(), rel=1e-9)
        assert figures.index.equals(frame.index)


def test_measure_takes_a_frame_of_dask(archive: ProjectsArchive) -> None:
    frame = archive.to_geopandas()
    for geometries in (frame, frame.geometry):
        measured: Any = pygeodesign.measure(dask.dataframe.from_pandas(geometries, npartitions=3))
        assert measured.npartitions == 3
        assert measured.compute(scheduler="threads").equals(pygeodesign.measure(frame))


def test_collections_and_reports_come_back_from_workers(
    archive: ProjectsArchive, cluster: distributed.Client, served: list[Project]
) -> None:
    results = pygeodesign.map_projects(lambda project: (project.diagrams(), project.costs()), archive, cluster)
    diagrams, report = results[served[0].id]
    assert isinstance(diagrams, FeatureCollection) and len(diagrams) == len(served[0].diagrams())
    assert report.systems == served[0].costs().systems
