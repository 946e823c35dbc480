"""What the evaluation maps say about the land that diagrams are on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._planning.evaluation_classes import EVALUATION_CLASSES
from pygeodesign._planning.land import Shapes, common, computed, hectares, overlapping, polygons, united
from pygeodesign._planning.numbers import finite
from pygeodesign._planning.scopes import in_scope
from pygeodesign._planning.systems import sysid_of
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared

OUTSIDE = "outside"
PAIRS_AT_ONCE = 200


def suitability(compared: Compared, by: str, scope: str) -> pd.DataFrame:
    """Hectares of each diagram, or system, in each class of the map of its system, and outside of all classes."""
    if by not in ("diagrams", "systems"):
        raise InputError(f'by is "diagrams" or "systems", not {by!r}')
    rows = in_scope(compared, scope)
    shapes = polygons(rows.geometry)
    areal = np.array([not shape.is_empty for shape in shapes], dtype=bool)
    rows, shapes = rows[areal], shapes[areal]
    parts = []
    for sysid in compared.systems.index:
        of_system = (rows["sysid"] == sysid).to_numpy()
        by_class = hectares_by_class(shapes[of_system], compared.evaluations[sysid])
        parts.append(by_class.set_axis(rows.index[of_system]))
    columns = _in_order({column for part in parts for column in part.columns})
    areas = pd.concat([part.reindex(columns=columns) for part in parts or [pd.DataFrame()]])
    # A class that the map of a system does not have has no land of its diagrams; without a map nothing is known.
    with_map = [sysid for sysid, frame in compared.evaluations.items() if len(frame) > 0]
    has_map = rows["sysid"].isin(with_map)
    areas = areas.loc[rows.index].where(~has_map.to_numpy()[:, None] | areas.loc[rows.index].notna(), 0.0)
    head = pd.DataFrame(rows[["sysid", "system", "title"]]).assign(land_ha=hectares(shapes))
    table: pd.DataFrame = pd.concat([head, areas], axis=1)
    if by == "diagrams":
        return table
    sums: pd.DataFrame = table.groupby("sysid", sort=False)[["land_ha", *columns]].sum(min_count=1)
    sums.insert(0, "system", compared.systems["name"])
    return sums


def impact(compared: Compared, matrix: Any, by: str, scope: str) -> pd.DataFrame:
    """The weighted hectares of each diagram on the maps of other systems, summed by pair of systems or by design."""
    if by not in ("systems", "diagrams"):
        raise InputError(f'by is "systems" or "diagrams", not {by!r}')
    weights = _weights(compared.systems, matrix)
    rows = in_scope(compared, scope)
    rows = rows[rows["kind"] != "policy"]
    shapes = polygons(rows.geometry)
    areal = np.array([not shape.is_empty for shape in shapes], dtype=bool)
    rows, shapes = rows[areal], shapes[areal]
    land_ha = hectares(shapes)
    names, found = compared.systems["name"], []
    for (sysid_a, sysid_b), weight in weights.items():
        acting = (rows["sysid"] == sysid_a).to_numpy()
        if isinstance(weight, Mapping):
            areas = hectares_by_class(shapes[acting], compared.evaluations[sysid_b])
            unknown = sorted(set(weight) - {*areas.columns, *EVALUATION_CLASSES, OUTSIDE})
            if unknown:
                raise InputError(
                    f"the evaluation map of {names[sysid_b]!r} has no class {unknown[0]!r}: its classes are "
                    f"{', '.join(areas.columns)}"
                )
            if len(compared.evaluations[sysid_b]) == 0:
                raise InputError(
                    f"{names[sysid_b]!r} has no evaluation map: give one weight per hectare instead of one per class"
                )
            effect = sum((areas[name] * value for name, value in weight.items() if name in areas), np.zeros(len(areas)))
        else:
            effect = land_ha[acting] * weight
        found.append(
            pd.DataFrame(
                {
                    "diagramid": rows.index[acting],
                    "sysid_a": sysid_a,
                    "sysid_b": sysid_b,
                    "system_a": names[sysid_a],
                    "system_b": names[sysid_b],
                    "area_ha": land_ha[acting],
                    "impact": np.asarray(effect, dtype=float),
                }
            )
        )
    columns = ["diagramid", "sysid_a", "sysid_b", "system_a", "system_b", "area_ha", "impact"]
    table = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)
    if by == "diagrams":
        return table.set_index("diagramid")
    keys = ["sysid_a", "sysid_b", "system_a", "system_b"]
    return table.groupby(keys, sort=False, as_index=False)[["area_ha", "impact"]].sum()


def hectares_by_class(shapes: Shapes, evaluation: geopandas.GeoDataFrame) -> pd.DataFrame:
    """The hectares of each shape in each class of a map, and in none; NaN for a map without areas."""
    land = polygons(evaluation.geometry)
    classes = evaluation["areatype"].fillna("no class").astype(str).to_numpy()
    names = _in_order(set(classes))
    if not names:
        return pd.DataFrame({OUTSIDE: np.full(len(shapes), np.nan)})
    maps = [*(land[classes == name] for name in names), land]
    maps_united = np.array([*computed(united, maps), None], dtype=object)[:-1]
    areas = np.zeros((len(shapes), len(maps_united)))
    # The parts of a map are many; those that a shape touches are few.
    parts, columns = _parts(maps_united)
    rows, touched = overlapping(shapes, parts)

    def measured(start: int) -> np.ndarray:
        pairs = slice(start, start + PAIRS_AT_ONCE)
        return hectares(common(shapes[rows[pairs]], parts[touched[pairs]]))

    shared = np.concatenate([np.array([]), *computed(measured, range(0, len(rows), PAIRS_AT_ONCE))])
    np.add.at(areas, (rows, columns[touched]), shared)
    table = pd.DataFrame(areas[:, :-1], columns=names)
    # What rounding leaves is none.
    outside = hectares(shapes) - areas[:, -1]
    return table.assign(**{OUTSIDE: np.where(np.abs(outside) < 1e-6, 0.0, outside)})


def _parts(shapes: Shapes) -> tuple[Shapes, np.ndarray]:
    parts, rows = shapely.get_parts(shapes, return_index=True)
    return parts, rows


def _in_order(names: set[str]) -> list[str]:
    """Classes from the least to the most wanted change, then others by name, and last what is outside."""
    known = [name for name in EVALUATION_CLASSES if name in names]
    return [*known, *sorted(names - {*known, OUTSIDE}), *([OUTSIDE] if OUTSIDE in names else [])]


def _weights(systems: pd.DataFrame, matrix: Any) -> dict[tuple[int, int], Any]:
    """The cells of the matrix by ids of systems; the diagonal, empty cells and zeros left out."""
    if isinstance(matrix, pd.DataFrame):
        matrix = {row: cells.to_dict() for row, cells in matrix.iterrows()}
    if not isinstance(matrix, Mapping) or not all(isinstance(row, Mapping) for row in matrix.values()):
        raise InputError(
            "matrix is a DataFrame, or a dict of dicts: for each system that acts, for each system that it acts on, a "
            "weight per hectare, or a dict from classes of the evaluation map to weights"
        )
    weights = {}
    for acting, row in matrix.items():
        for affected, weight in row.items():
            one, other = sysid_of(systems, acting), sysid_of(systems, affected)
            if not isinstance(weight, (int, float, Mapping, np.number)):
                raise InputError(f"the weight of {acting!r} on {affected!r} is {weight!r}: give a number or a dict")
            for value in weight.values() if isinstance(weight, Mapping) else [weight]:
                # An empty cell of a table is NaN.
                if isinstance(weight, Mapping) or not np.isnan(value):
                    finite(f"the weight of {acting!r} on {affected!r}", value, "give a number")
            empty = not weight if isinstance(weight, Mapping) else weight == 0 or np.isnan(weight)
            if one != other and not empty:
                weights[one, other] = weight
    return weights
