"""The consensus layer: how many designs change each place, and what most of them put there."""

from __future__ import annotations

from typing import Any, cast

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._planning.agreement import agreement
from pygeodesign._planning.land import computed, hectares, polygons, united_by

COLUMNS = ["designs", "sysid", "system", "votes", "tied", "area_ha", "geometry"]


def consensus(
    diagrams: geopandas.GeoDataFrame, designs: dict[str, list[int]], systems: pd.DataFrame
) -> geopandas.GeoDataFrame:
    """One row for each number of designs, system and number of votes for it, with all such places."""
    shapes, by_design, sysids = _layers(diagrams, designs)
    # On another thread, so that Ctrl-C need not wait for GEOS.
    [(faces, inside)] = computed(_faces, [shapes])
    known = systems.index[systems.index.isin(sysids)].to_numpy()
    rows: list[tuple[Any, ...]] = []
    if len(known) and len(faces):
        # By system, face and design: whether the design has a diagram of that system there.
        own = [sysids == sysid for sysid in known]
        there = np.array([inside[:, layers].astype(int) @ by_design[layers].astype(int) > 0 for layers in own])
        votes = there.sum(axis=2)
        most = votes.max(axis=0)
        places = pd.DataFrame(
            {
                "designs": there.any(axis=0).sum(axis=1),
                "sysid": known[votes.argmax(axis=0)],
                "votes": most,
                "tied": (votes == most).sum(axis=0) > 1,
            }
        )
        for key, group in places[places["designs"] > 0].groupby(["designs", "sysid", "votes", "tied"]):
            count, sysid, most_votes, tied = cast("tuple[Any, ...]", key)
            # Faces meet in the same points, so their union needs no new ones.
            shape = shapely.coverage_union_all(faces[group.index])
            rows.append((count, sysid, systems["name"][sysid], most_votes, tied, np.nan, shape))
    frame = geopandas.GeoDataFrame(pd.DataFrame(rows, columns=COLUMNS), geometry="geometry", crs="EPSG:4326")
    frame["area_ha"] = hectares(frame.geometry.to_numpy())
    # Systems in the order of the project.
    order = {sysid: place for place, sysid in enumerate(systems.index)}
    frame["order"] = frame["sysid"].map(order)
    frame = frame.sort_values(["designs", "order", "votes"], ascending=[False, True, False], ignore_index=True)
    return frame.drop(columns="order")


def _layers(
    diagrams: geopandas.GeoDataFrame, designs: dict[str, list[int]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The land of diagrams of one system that the same designs have, united: its shapes, designs and systems."""
    chosen = agreement(diagrams, designs)
    counted = (chosen["chosen"] > 0) & (diagrams["kind"] != "policy")
    frame = diagrams[counted]
    by_design = chosen.loc[counted].drop(columns="chosen").to_numpy(dtype=bool)
    keys = pd.Series(
        [(sysid, row.tobytes()) for sysid, row in zip(frame["sysid"], by_design, strict=True)], dtype=object
    )
    groups = [np.asarray(rows) for rows in keys.groupby(keys).indices.values()]
    firsts = np.array([rows[0] for rows in groups], dtype=int)
    shapes = united_by(polygons(frame.geometry), groups)
    return shapes, by_design[firsts], frame["sysid"].to_numpy()[firsts]


def _faces(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places that the outlines of all shapes divide the land into, and which shapes each is part of."""
    lines = shapely.union_all(shapely.boundary(shapes)) if len(shapes) else shapely.MultiLineString()
    faces = shapely.get_parts(shapely.polygonize([lines]))
    inside = np.zeros((len(faces), len(shapes)), dtype=bool)
    if len(faces):
        # The tree finds points by the bounds of a shape; prepared, a shape tells fast which are inside.
        shapely.prepare(shapes)
        layer, face = shapely.STRtree(shapely.point_on_surface(faces)).query(shapes, predicate="contains")
        inside[face, layer] = True
    return faces, inside
