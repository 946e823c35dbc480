"""The minimum shortfall objective of prioritizr as a mixed-integer programme, solved by HiGHS."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pygeodesign._core import _missing_extra

if TYPE_CHECKING:
    from highspy import Highs

# The budget in the units of the programme, so that rounding is far below a millionth of it.
BUDGET = 1000.0
TOLERANCE = 1e-9
# The share of the time that the shortfall may take; the rest is for the cost.
SHORTFALL_SHARE = 0.6


@dataclass(frozen=True)
class Problem:
    """What may be chosen. Each array has a value per diagram, or per system with something missing."""

    cost: np.ndarray[Any, Any]
    area: np.ndarray[Any, Any]
    #: The place of the diagram's system in `need`, -1 for one that needs nothing.
    system: np.ndarray[Any, Any]
    kept: np.ndarray[Any, Any]
    #: Hectares that are missing without any diagram.
    need: np.ndarray[Any, Any]
    target: np.ndarray[Any, Any]
    budget: float


@dataclass(frozen=True)
class Best:
    """A mask of the chosen diagrams, and how much better another choice could be, as a share."""

    chosen: np.ndarray[Any, Any]
    gap: float
    cost_gap: float


def solve(problem: Problem, earlier: list[np.ndarray[Any, Any]], deadline: float) -> Best | None:
    """First the least shortfall, then the least cost with it. Each of the earlier choices lacks something."""
    diagrams, systems = len(problem.cost), len(problem.need)
    # Diagrams that cost nothing, or are kept, make no other choice.
    cuts = [np.flatnonzero(chosen & (problem.cost > 0) & ~problem.kept) for chosen in earlier]
    if any(len(cut) == 0 for cut in cuts):
        return None
    scale = BUDGET / max(problem.budget, np.abs(problem.cost).max(initial=1e-12))
    cost = scale * problem.cost
    highs = _programme(problem, cost, scale * problem.budget, cuts)
    kept_area = np.bincount(problem.system + 1, problem.area * problem.kept, minlength=systems + 1)[1:]
    only_kept = np.r_[problem.kept, np.maximum(problem.need - kept_area, 0) / problem.target]
    highs.setOptionValue("time_limit", SHORTFALL_SHARE * (deadline - time.monotonic()))
    values, gap = _solved(highs, only_kept)
    columns = np.arange(diagrams + systems)
    highs.changeColsCost(len(columns), columns, np.r_[cost, np.zeros(systems)])
    highs.addRow(-np.inf, values[diagrams:].sum() + TOLERANCE, systems, columns[diagrams:], np.ones(systems))
    highs.setOptionValue("time_limit", max(0.0, deadline - time.monotonic()))
    values, cost_gap = _solved(highs, values)
    return Best(values[:diagrams] > 0.5, gap, cost_gap)


def _programme(problem: Problem, cost: np.ndarray[Any, Any], budget: float, cuts: list[np.ndarray[Any, Any]]) -> Highs:
    """A column per diagram, 0 or 1, and per system, its shortfall as a share of the target."""
    highspy = _highspy()
    diagrams, systems = len(problem.cost), len(problem.need)
    useful = (problem.system >= 0) & (problem.area > 0) | (problem.cost < 0)
    programme = highspy.HighsLp()
    programme.num_col_, programme.num_row_ = diagrams + systems, systems + 1 + len(cuts)
    programme.col_cost_ = np.r_[np.zeros(diagrams), np.ones(systems)]
    programme.col_lower_ = np.r_[problem.kept.astype(float), np.zeros(systems)]
    programme.col_upper_ = np.r_[(useful | problem.kept).astype(float), problem.need / problem.target]
    programme.row_lower_ = np.r_[problem.need / problem.target, np.full(1 + len(cuts), -np.inf)]
    programme.row_upper_ = np.r_[np.full(systems, np.inf), budget, [len(cut) - 1.0 for cut in cuts]]
    rows = []
    for place, target in enumerate(problem.target):
        own = np.flatnonzero(problem.system == place)
        rows.append((np.r_[own, diagrams + place], np.r_[problem.area[own] / target, 1.0]))
    rows.append((np.arange(diagrams), cost))
    rows.extend((cut, np.ones(len(cut))) for cut in cuts)
    programme.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    programme.a_matrix_.start_ = np.r_[0, np.cumsum([len(columns) for columns, _ in rows])]
    programme.a_matrix_.index_ = np.concatenate([columns for columns, _ in rows])
    programme.a_matrix_.value_ = np.concatenate([values for _, values in rows])
    kinds = highspy.HighsVarType
    programme.integrality_ = [kinds.kInteger] * diagrams + [kinds.kContinuous] * systems
    highs = highspy.Highs()
    highs.silent()
    # What `cancelSolve` needs.
    highs.HandleUserInterrupt = True
    for option in ("mip_rel_gap", "mip_abs_gap", "mip_feasibility_tolerance", "primal_feasibility_tolerance"):
        highs.setOptionValue(option, 0.0 if option == "mip_rel_gap" else TOLERANCE)
    highs.passModel(programme)
    return highs


def _solved(highs: Highs, start: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], float]:
    """The best values that were found in time, at worst those of the start, and the gap that is proven."""
    solution = _highspy().HighsSolution()
    solution.col_value = start.astype(float).tolist()
    highs.setSolution(solution)
    # In another thread, so that Ctrl-C is noticed.
    highs.startSolve()
    try:
        while not highs.wait(0.1)[0]:
            pass
    except BaseException:
        highs.cancelSolve()
        while not highs.wait(0.1)[0]:
            pass
        raise
    info = highs.getInfo()
    if not np.isfinite(info.objective_function_value):
        return start, 1.0
    # Without a diagram to choose from there is no gap to close; and what rounding leaves is none.
    proven = highs.getModelStatus() == _highspy().HighsModelStatus.kOptimal or info.mip_gap < TOLERANCE
    return np.array(highs.getSolution().col_value), 0.0 if proven else min(info.mip_gap, 1.0)


def _highspy() -> Any:
    """HiGHS is of an extra of its own."""
    try:
        import highspy
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return highspy
