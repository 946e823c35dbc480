"""`map_projects`: distributes projects, retries and collects results; by default on threads of this process."""

from __future__ import annotations

import math
import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from numbers import Real
from typing import Any, Protocol

from pygeodesign import _core, _progress
from pygeodesign._core import Client, Project, _missing_extra
from pygeodesign._many.read_archive import ProjectFile, ProjectsArchive
from pygeodesign._project_results import ProjectResults
from pygeodesign._wrong_arguments import with_article
from pygeodesign.errors import InputError

# A function that sends requests waits most of the time.
MAX_THREADS = 16
# An opened archive travels with its task; Dask warns of large ones.
LARGE_TASK = {"distributed.admin.large-graph-warning-threshold": "16 GiB"}
# Seconds within which the first worker of a cluster must connect.
WORKER_TIMEOUT = 60


def run(
    function: Callable[[Project], Any],
    projects: Iterable[Project] | ProjectsArchive,
    cluster: Any,
    requests_per_second: float | None,
    retries: int,
    results: ProjectResults[Any] | None,
    progress: bool | None,
) -> ProjectResults[Any]:
    if not callable(function):
        raise InputError(f"function is {function!r}; give a function of one project")
    if requests_per_second is not None and not (
        isinstance(requests_per_second, Real) and 0 < requests_per_second < math.inf
    ):
        raise InputError(f"requests_per_second is {requests_per_second!r}; give a number greater than 0")
    if not isinstance(retries, int) or retries < 0:
        raise InputError(f"retries is {retries!r}; give a whole number, 0 or more")
    if results is not None and not isinstance(results, ProjectResults):
        raise InputError(f"results is {with_article(type(results).__name__)}; give what map_projects returned earlier")
    sources = _sources(projects, travelling=cluster is not None)
    results = ProjectResults() if results is None else results
    results.failures.clear()
    waiting = {projectid: source for projectid, source in sources.items() if projectid not in results}
    try:
        with _progress.counting("map_projects", len(waiting), progress) as advance, _pool(cluster) as pool:
            for _ in range(retries + 1):
                if waiting:
                    _once(pool, function, waiting, requests_per_second, results, advance)
                    waiting = {projectid: waiting[projectid] for projectid in waiting if projectid in results.failures}
    except KeyboardInterrupt as interrupt:
        interrupt.results = results  # type: ignore[attr-defined]
        raise
    return results


def _once(
    pool: Any,
    function: Callable[[Project], Any],
    waiting: dict[str, Source],
    requests_per_second: float | None,
    results: ProjectResults[Any],
    advance: Callable[[int], object],
) -> None:
    """Tries each project once. Each thread has one in progress, and all share the rate of requests."""
    at_once = min(pool.threads(), len(waiting))
    paced = {
        projectid: (source, _pace(requests_per_second, place, at_once))
        for place, (projectid, source) in enumerate(waiting.items())
    }
    for projectid, outcome in pool.outcomes(function, paced, at_once):
        if isinstance(outcome, Failure):
            if outcome.traceback is not None:
                outcome.error.add_note(f"On the worker:\n{outcome.traceback}")
            results.failures[projectid] = outcome.error
        else:
            results[projectid] = outcome
            results.failures.pop(projectid, None)
            advance(1)


def _pace(requests_per_second: float | None, place: int, at_once: int) -> Pace | None:
    if requests_per_second is None:
        return None
    delay = place / requests_per_second if place < at_once else 0
    return Pace(requests_per_second / at_once, delay)


def _sources(projects: Any, *, travelling: bool) -> dict[str, Source]:
    if isinstance(projects, ProjectsArchive):
        return {projectid: Archived(projects._file_of(projectid)) for projectid in projects.projects}
    if isinstance(projects, (Project, str)) or not isinstance(projects, Iterable):
        raise InputError(
            f"projects cannot be {with_article(type(projects).__name__)}; give a list of projects, or a ProjectsArchive"
        )
    sources: dict[str, Source] = {}
    for project in projects:
        if not isinstance(project, Project):
            raise InputError(f"{project!r} is not a Project; use client.project(id) or pygeodesign.open(path)")
        if project.id in sources:
            raise InputError(f"two of the projects have the id {project.id}; give each project once")
        arguments = project._client_arguments() if travelling else None
        sources[project.id] = Here(project) if arguments is None else Served(project.id, arguments)
    return sources


@contextmanager
def _pool(cluster: Any) -> Iterator[Any]:
    if cluster is None:
        pool: Any = Threads(min(MAX_THREADS, 4 * (os.cpu_count() or 1)))
    else:
        pool = DaskCluster(cluster)
    try:
        yield pool
    finally:
        pool.stop()


class Threads:
    """A number of threads."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="map_projects")

    def threads(self) -> int:
        return self._count

    def outcomes(
        self, function: Callable[[Project], Any], sources: Mapping[str, tuple[Source, Pace | None]], at_once: int
    ) -> Iterator[tuple[str, Any]]:
        """The result or the failure of each project, as they come."""
        waiting = iter(sources.items())
        running: dict[Future[Any], str] = {}
        while True:
            for projectid, (source, pace) in islice(waiting, at_once - len(running)):
                running[self._executor.submit(call, function, source, pace)] = projectid
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(done), done.result()

    def stop(self) -> None:
        """Does not wait for running threads after Ctrl-C."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class DaskCluster:
    """The workers of a cluster, as they come and go."""

    def __init__(self, client: Any) -> None:
        try:
            import dask
            import distributed
        except ImportError as missing:
            raise _missing_extra(missing) from missing
        self._dask, self._distributed = dask, distributed
        if not isinstance(client, distributed.Client):
            raise InputError(f"client is {client!r}, not a distributed.Client")
        if client.asynchronous:
            raise InputError("client is asynchronous; make it with distributed.Client(…) outside of a coroutine")
        if client.status != "running":
            raise InputError(f"client is {client.status}; make another distributed.Client")
        self._client = client
        self._running: dict[Any, str] = {}

    def threads(self) -> int:
        self._client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def outcomes(
        self, function: Callable[[Project], Any], sources: Mapping[str, tuple[Source, Pace | None]], at_once: int
    ) -> Iterator[tuple[str, Any]]:
        """The result or the failure of each project, as they come. Dask gives a dead worker's tasks to others."""
        waiting = iter(sources.items())
        # More tasks than threads, so that no worker waits for its next task; but each has its share of the rate.
        is_paced = any(pace is not None for _, pace in sources.values())
        under_way = at_once if is_paced else 2 * at_once
        completed = self._distributed.as_completed()
        self._start(completed, function, islice(waiting, under_way))
        for future in completed:
            yield self._running.pop(future), _outcome(future)
            future.release()
            self._start(completed, function, islice(waiting, 1))

    def _start(self, completed: Any, function: Callable[[Project], Any], sources: Any) -> None:
        for projectid, (source, pace) in sources:
            with self._dask.config.set(LARGE_TASK):
                # pure=False: the same function of the same project may have another result later.
                try:
                    future = self._client.submit(call_on_worker, function, source, pace, os.getpid(), pure=False)
                except TypeError as problem:
                    raise InputError(
                        f"function, or what it uses, cannot be pickled for the workers: {problem.__cause__ or problem}"
                    ) from problem
            self._running[future] = projectid
            completed.add(future)

    def stop(self) -> None:
        """Cancels tasks that have not begun, after Ctrl-C."""
        if self._running:
            self._client.cancel(list(self._running), force=True)


def _outcome(future: Any) -> Any:
    try:
        return future.result()
    # Also if the task was lost.
    except Exception as error:
        return Failure(error)


class Source(Protocol):
    """The place from which a worker gets a project."""

    def project(self, requests_per_second: float | None) -> Project:
        """The project, with at most `requests_per_second` requests about it."""


@dataclass(frozen=True)
class Served:
    """A project of a service. It travels without its connections, and with its token, which is not shown."""

    id: str
    # Positional and named arguments of a `Client`.
    arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __repr__(self) -> str:
        """The project."""
        return f"<project {self.id}>"

    def project(self, requests_per_second: float | None) -> Project:
        project = _connection(self.arguments).project(self.id)
        return project if requests_per_second is None else project._paced(requests_per_second)


@dataclass(frozen=True)
class Here:
    """A project that this process already has, or one that travels as the bytes of its archive."""

    opened: Project

    def project(self, requests_per_second: float | None) -> Project:
        return self.opened if requests_per_second is None else self.opened._paced(requests_per_second)


@dataclass(frozen=True)
class Archived:
    """A project in an archive of many."""

    file: ProjectFile

    def project(self, requests_per_second: float | None) -> Project:
        return self.file.open()


@dataclass(frozen=True)
class Failure:
    """A project's failure, distinct from results of any type."""

    error: Exception
    # The traceback on a worker, which pickling loses.
    traceback: str | None = None


@dataclass(frozen=True)
class Pace:
    """The pace of the requests about one project while others are in progress."""

    requests_per_second: float
    # Seconds to wait at first, so that projects do not send their first requests together.
    delay: float


def call(function: Callable[[Project], Any], source: Source, pace: Pace | None) -> Any:
    """The result for one project, or its failure."""
    try:
        if pace is None:
            return function(source.project(None))
        project = source.project(pace.requests_per_second)
        # Opened projects send no requests.
        if project._client_arguments() is None:
            return function(project)
        time.sleep(pace.delay)
        try:
            return function(project)
        finally:
            # The next project has its own pace; its first request is sent at once.
            time.sleep(1 / pace.requests_per_second)
    except SystemExit as leaving:
        return Failure(RuntimeError(f"the function called sys.exit({leaving.code!r})"))
    except Exception as error:
        return Failure(error)


def call_on_worker(function: Callable[[Project], Any], source: Source, pace: Pace | None, caller: int) -> Any:
    """The same on a worker, whose traceback does not travel with an exception."""
    # The cluster has a thread per processor. The caller's process, which may be a worker, is left unchanged.
    if os.getpid() != caller:
        _core._limit_processors(1)
    outcome = call(function, source, pace)
    if not isinstance(outcome, Failure):
        return outcome
    error, text = outcome.error, "".join(traceback.format_exception(outcome.error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    return Failure(error, text)


_connections: dict[bytes, Client] = {}
_connecting = threading.Lock()


def _connection(arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Client:
    """The process's client with these settings, so that all projects share one set of connections."""
    positional, named = arguments
    key = pickle.dumps((positional, sorted(named.items())))
    with _connecting:
        if key not in _connections:
            _connections[key] = Client(*positional, **named)
        return _connections[key]
