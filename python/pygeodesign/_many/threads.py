"""`map_projects` on threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any

from pygeodesign import Project
from pygeodesign._many.work import Pace, Source, call


class Threads:
    """A number of threads."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="map_projects")

    def threads(self) -> int:
        return self._count

    def outcomes(
        self,
        function: Callable[[Project], Any],
        sources: Mapping[str, tuple[Source, Pace | None]],
        at_once: int,
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
        """After Ctrl-C nobody waits for what threads still do."""
        self._executor.shutdown(wait=False, cancel_futures=True)
