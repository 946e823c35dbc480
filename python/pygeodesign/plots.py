"""Pictures of a project: costs against budgets, and a map of diagrams. For the extra `notebook`.

The charts are matplotlib's; `interactive_map` writes the page of a `pygeodesign.maps.WebMap`, which works without a
network.

    >>> from pygeodesign import Sandbox
    >>> from pygeodesign.plots import plot_map
    >>> with Sandbox() as sandbox:
    ...     axes = plot_map(sandbox.client().project("StatenIsland2050").diagrams())
    >>> axes.figure.savefig("map.png")
"""

from pygeodesign._core import _missing_extra

try:
    from pygeodesign._pictures.chart import plot_costs
    from pygeodesign._pictures.map import plot_map
    from pygeodesign._pictures.web_map import interactive_map
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

__all__ = ["interactive_map", "plot_costs", "plot_map"]

# Where users find them.
for _function in (interactive_map, plot_costs, plot_map):
    _function.__module__ = __name__
