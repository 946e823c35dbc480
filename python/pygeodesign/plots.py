"""Pictures of a project: costs against budgets, and a map of diagrams. For the extra `notebook`.

They are drawn by matplotlib. Interactive maps are in `pygeodesign.maps`.

    >>> from pygeodesign import Sandbox
    >>> from pygeodesign.plots import plot_map
    >>> with Sandbox() as sandbox:
    ...     axes = plot_map(sandbox.client().project("StatenIsland2050").diagrams())
    >>> axes.figure.savefig("map.png")
"""

from __future__ import annotations

from pygeodesign._core import _missing_extra

try:
    from pygeodesign._pictures.charts import plot_costs
    from pygeodesign._pictures.map import plot_map
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

__all__ = ["plot_costs", "plot_map"]


# The public module, for users.
for _function in (plot_costs, plot_map):
    _function.__module__ = __name__
