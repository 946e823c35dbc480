"""A task, its solutions by pygeodesign and its peers, and the comparison of their results and times."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from harness import Row, timed_row, timings
from peers.needs import installed


class Contender(NamedTuple):
    """Another way to the same result."""

    name: str
    run: Callable[[], Any]
    # The smallest wanted ratio of the contender's time to ours. None: the comparison is for information.
    goal: float | None = None


class Task(NamedTuple):
    """The timed functions: ours and those of the contenders."""

    what: str
    ours: Callable[[], Any]
    contenders: list[Contender]
    # True if our result and a contender's are equal.
    same: Callable[[Any, Any], bool]


def compare(task: Task) -> list[Row]:
    result = task.ours()
    contenders = [contender for contender in task.contenders if installed(contender.name, contender.run)]
    for contender in contenders:
        theirs = contender.run()
        if theirs is not None and not task.same(result, theirs):
            sys.exit(f"{task.what}: {contender.name} gives another result, so the times are not comparable")
    del result, theirs
    times = timings({"": task.ours, **{contender.name: contender.run for contender in contenders}})
    return [
        timed_row(task.what, contender.name, times[""], times[contender.name], contender.goal)
        for contender in contenders
    ]
