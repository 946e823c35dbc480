"""The land of each design on constraints, where nothing can be changed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import shapely

from pygeodesign import _core
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.land.lands import are_there


def on_constraints(self: Compared, scope: str = "designs") -> pd.DataFrame:
    """The land of each design's projects on the project's constraints, where nothing can be changed.

    Each place counts once, however many projects or constraints cover it. Policies change no land.

    Args:
        scope: `"designs"`, the label of a design, or `"project"` for all diagrams of the project.

    Returns:
        One row per design: `design`, `team` (not for the project), `area_ha`, `length_km` of lines, `pieces` for
        points, and `share`, from 0 to 1, of the design's land, of its length if it has lines only, or of its points if
        it has only these. NaN if the project has no constraints.

    Raises:
        InputError: No design has that label.

    Examples:
        >>> rows = project.compare().on_constraints()
        >>> rows["share"].between(0, 1).all()
        np.True_
    """
    scopes = self._in_scope(scope)
    return self._long_frame({label: pd.DataFrame([on_constraints_of(self, rows)]) for label, rows in scopes.items()})


class OnConstraints(NamedTuple):
    """The part of some projects on constraints."""

    area_ha: float
    length_km: float
    pieces: float
    share: float


def on_constraints_of(compared: Compared, rows: pd.DataFrame) -> OnConstraints:
    """The part of these diagrams' projects on constraints, each place once; NaN without constraints."""
    if not len(compared.constraints):
        return OnConstraints(np.nan, np.nan, np.nan, np.nan)
    projects = rows[(rows["kind"] != "policy") & are_there(rows.geometry)]
    closed = compared.constraints.to_crs(4326).geometry.dropna()
    drawing, land = (shapely.to_wkb(shapes.to_numpy()).tolist() for shapes in (projects.geometry, closed))
    return OnConstraints(*_core._on_land(drawing, land))
