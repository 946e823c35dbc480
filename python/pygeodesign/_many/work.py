"""What a thread or a worker does with one project."""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pygeodesign
from pygeodesign import Client, Project, _core
from pygeodesign._many.read_archive import ProjectFile


class Source(Protocol):
    """Where a worker gets a project from."""

    def project(self, requests_per_second: float | None) -> Project:
        """The project, of which so many requests are sent per second at most."""


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
    """A project that this process has already, or one that travels as the bytes of its archive."""

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
    """That a project failed, beside results of any type."""

    error: Exception
    # The traceback on a worker, which pickling loses.
    traceback: str | None = None


@dataclass(frozen=True)
class Pace:
    """How the requests about one project are spread, while others are done at the same time."""

    requests_per_second: float
    # Seconds to wait at first, so that the first requests of all projects are not sent together.
    delay: float


def call(function: Callable[[Project], Any], source: Source, pace: Pace | None) -> Any:
    """The result for one project, or its failure."""
    try:
        if pace is None:
            return function(source.project(None))
        project = source.project(pace.requests_per_second)
        # Of opened projects, no requests are sent.
        if project._client_arguments() is None:
            return function(project)
        time.sleep(pace.delay)
        try:
            return function(project)
        finally:
            # The next project has a pace of its own, whose first request is sent at once.
            time.sleep(1 / pace.requests_per_second)
    except SystemExit as leaving:
        return Failure(RuntimeError(f"the function called sys.exit({leaving.code!r})"))
    except Exception as error:
        return Failure(error)


def call_on_worker(function: Callable[[Project], Any], source: Source, pace: Pace | None, caller: int) -> Any:
    """The same for a worker, whose traceback does not travel with an exception."""
    # A task is one of as many as the cluster has threads for. The process of the caller, which may be a worker, is left
    # as it is.
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


_connections: dict[Any, Client] = {}
_connecting = threading.Lock()


def _connection(arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Client:
    """The client of this process with these settings, so that it has one set of connections for all projects."""
    positional, named = arguments
    key = (positional, tuple(sorted(named.items())))
    with _connecting:
        if key not in _connections:
            _connections[key] = pygeodesign.Client(*positional, **named)
        return _connections[key]
