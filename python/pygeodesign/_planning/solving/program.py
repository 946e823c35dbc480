"""A choice of diagrams with the least objective under linear conditions: by HiGHS, with a bound as proof.

HiGHS is the solver of `scipy.optimize.milp` (Huangfu and Hall 2018, doi 10.1007/s12532-017-0130-5). It keeps conditions
to within a millionth. For an exact one, check the choice, and add a condition that forbids it.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from pygeodesign._core import _missing_extra
from pygeodesign._planning.land.lands import Numbers

# The least time for HiGHS, so that it finds a first choice.
LEAST_SECONDS = 0.05
RELAXED_SECONDS = 1.0
# The status of an infeasible programme.
INFEASIBLE = 2
# The status after a failure of HiGHS. For programmes with next to no solutions, its presolve may fail, or say wrongly
# that there is none; so both are tried once more without a presolve.
UNSOLVED = 4


class Solved(NamedTuple):
    """The solution: the value of each variable, or None; and a lower bound of the objective."""

    values: Numbers | None
    bound: float


class Program:
    """Variables, integers from 0 to 1 unless they are parts, and conditions on sums of them."""

    def __init__(self, count: int) -> None:
        self.lowest, self.highest, self.is_whole = np.zeros(count), np.ones(count), np.ones(count)
        self._places: list[Numbers] = []
        self._factors: list[Numbers] = []
        self._limits: list[float] = []

    def at_most(self, places: Sequence[int] | Numbers, factors: float | Numbers, limit: float) -> None:
        """Requires that the sum of these variables, each times its factor, is at most the limit."""
        self._places.append(np.asarray(places, dtype=np.int64))
        self._factors.append(np.full(len(self._places[-1]), factors, dtype=float))
        self._limits.append(limit)

    def add_parts(self, count: int) -> int:
        """Adds variables that need not be integers, from 0 to 1; returns the place of the first one."""
        first = len(self.highest)
        self.lowest, self.is_whole = (np.append(array, np.zeros(count)) for array in (self.lowest, self.is_whole))
        self.highest = np.append(self.highest, np.ones(count))
        return first

    def drop_conditions(self, count: int) -> None:
        """Removes all conditions except the first ones."""
        del self._places[count:], self._factors[count:], self._limits[count:]

    @property
    def conditions(self) -> int:
        """The number of conditions."""
        return len(self._limits)

    def least(self, objective: Numbers, deadline: float) -> Solved:
        """The variables with the least sum of `objective`, as good as found until the deadline."""
        milp, bounds_of, condition, matrix = _solver()
        nothing = float(np.minimum(objective * self.lowest, objective * self.highest).sum())
        if not len(self.highest):
            return Solved(np.zeros(0), 0.0) if min(self._limits, default=0.0) >= 0 else Solved(None, np.inf)
        conditions: Any = []
        if self._limits:
            rows = np.repeat(np.arange(len(self._limits)), [len(places) for places in self._places])
            values = (np.concatenate(self._factors), (rows, np.concatenate(self._places)))
            conditions = condition(matrix(values, shape=(len(self._limits), len(self.highest))), -np.inf, self._limits)
        bounds = bounds_of(self.lowest, self.highest)

        def solved(is_whole: Any, seconds: float, presolve: bool = True) -> Any:
            options = {"time_limit": seconds, "mip_rel_gap": 0.0, "presolve": presolve}
            try:
                with silent():
                    return milp(objective, integrality=is_whole, bounds=bounds, constraints=conditions, options=options)
            except (ValueError, RuntimeError, MemoryError):
                # Errors of HiGHS itself, such as "vector::reserve".
                return SimpleNamespace(status=UNSOLVED, x=None)

        given = max(LEAST_SECONDS, deadline - time.monotonic())
        found = solved(self.is_whole, given)
        if found.status in (INFEASIBLE, UNSOLVED):
            found = solved(self.is_whole, max(LEAST_SECONDS, deadline - time.monotonic()), False)
        if found.x is not None:
            bound = float(found.fun if found.mip_dual_bound is None else found.mip_dual_bound)
            return Solved(np.where(self.is_whole > 0, np.round(found.x), found.x), max(nothing, bound))
        if found.status == INFEASIBLE:
            return Solved(None, np.inf)
        if given <= LEAST_SECONDS:
            # Parts of diagrams, with which HiGHS starts, take as long.
            return Solved(None, nothing)
        # Without enough time for a choice, parts of diagrams give a bound.
        relaxed = solved(np.zeros(len(self.highest)), min(given, RELAXED_SECONDS))
        return Solved(None, max(nothing, float(relaxed.fun)) if relaxed.status == 0 else nothing)


class _Silence:
    """Redirects C's standard output to nowhere while any thread is in here; Python's stays unchanged.

    HiGHS prints lines there that none of its options stops. The C libraries of Linux and macOS let programs set the
    variable; others keep theirs.
    """

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0
        self._before: int | None = None
        library = ctypes.CDLL(None) if sys.platform == "darwin" or platform.libc_ver()[0] == "glibc" else None
        if library is not None:
            library.fopen.restype = ctypes.c_void_p
            self._nowhere = library.fopen(os.devnull.encode(), b"w")
            self._stdout = ctypes.c_void_p.in_dll(library, "__stdoutp" if sys.platform == "darwin" else "stdout")
        self._is_able = library is not None and bool(self._nowhere)

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._is_able and self._inside == 1:
                self._before, self._stdout.value = self._stdout.value, self._nowhere

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._is_able and not self._inside:
                self._stdout.value = self._before


silent = cache(_Silence)


def _solver() -> tuple[Any, Any, Any, Any]:
    """The parts of SciPy in use, which comes with another extra than GeoPandas."""
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return milp, Bounds, LinearConstraint, csr_array


def cliques(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Groups of places in which every two are a pair; together they have every pair.

    At most one of a group may be chosen, which is a stronger condition than the same for each pair.
    """
    others: dict[int, set[int]] = {}
    for one, other in pairs:
        others.setdefault(one, set()).add(other)
        others.setdefault(other, set()).add(one)
    covered: set[tuple[int, int]] = set()
    groups = []
    for one in sorted(others):
        for other in sorted(others[one]):
            if other < one or (one, other) in covered:
                continue
            group, common = [one, other], others[one] & others[other]
            while common:
                group.append(max(common, key=lambda place: (len(others[place] & common), -place)))
                common &= others[group[-1]]
            group.sort()
            covered.update((first, second) for at, first in enumerate(group) for second in group[at + 1 :])
            groups.append(group)
    return groups
