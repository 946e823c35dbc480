"""`map_projects` on a cluster of Dask."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from pygeodesign import Project
from pygeodesign._core import _missing_extra
from pygeodesign._many.work import Failure, Pace, Source, call_on_worker
from pygeodesign.errors import InputError

try:
    import dask
    import distributed
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

# An opened archive travels with its task; Dask warns of large ones.
LARGE_TASK = {"distributed.admin.large-graph-warning-threshold": "16 GiB"}
# Seconds in which the first worker of a cluster has to come.
WORKER_TIMEOUT = 60


class DaskCluster:
    """The workers of a cluster, as they come and go."""

    def __init__(self, client: Any) -> None:
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
        self,
        function: Callable[[Project], Any],
        sources: Mapping[str, tuple[Source, Pace | None]],
        at_once: int,
    ) -> Iterator[tuple[str, Any]]:
        """The result or the failure of each project, as they come. Dask gives the tasks of a dead worker to others."""
        waiting = iter(sources.items())
        # More than there are threads, so that no worker waits for its next task; but each has its share of the rate.
        is_paced = any(pace is not None for _, pace in sources.values())
        under_way = at_once if is_paced else 2 * at_once
        completed = distributed.as_completed()
        self._start(completed, function, islice(waiting, under_way))
        for future in completed:
            yield self._running.pop(future), _outcome(future)
            future.release()
            self._start(completed, function, islice(waiting, 1))

    def _start(self, completed: Any, function: Callable[[Project], Any], sources: Any) -> None:
        for projectid, (source, pace) in sources:
            with dask.config.set(LARGE_TASK):
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
        """After Ctrl-C, what has not begun does not begin."""
        if self._running:
            self._client.cancel(list(self._running), force=True)


def _outcome(future: Any) -> Any:
    try:
        return future.result()
    # Also that the task was lost.
    except Exception as error:
        return Failure(error)
