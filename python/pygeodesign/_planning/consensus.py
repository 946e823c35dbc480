"""The consensus layer: how many designs change each place, and what most of them put there."""

from __future__ import annotations

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._planning.agreement import agreement
from pygeodesign._planning.land import hectares, polygons, united_by

COLUMNS = ["designs", "sysid", "system", "votes", "tied", "area_ha", "geometry"]


def consensus(
    diagrams: geopandas.GeoDataFrame, designs: dict[str, list[int]], systems: pd.DataFrame
) -> geopandas.GeoDataFrame:
    """One row for each number of designs, system and number of votes for it, with all such places."""
    shapes, by_design, sysids = _layers(diagrams, designs)
    faces, layers_at = _faces(shapes)
    # By face and system: how many designs have a diagram of that system there.
    known = list(dict.fromkeys(systems.index[systems.index.isin(sysids)]))
    votes = np.zeros((len(faces), len(known)), dtype=int)
    changed = np.zeros((len(faces), len(designs)), dtype=bool)
    for column, sysid in enumerate(known):
        of_system = sysids == sysid
        there = (layers_at[:, of_system].astype(int) @ by_design[of_system].astype(int)) > 0
        votes[:, column] = there.sum(axis=1)
        changed |= there
    places = pd.DataFrame({"designs": changed.sum(axis=1), "face": np.arange(len(faces))})
    if len(faces):
        most = votes.max(axis=1)
        places["column"], places["votes"] = votes.argmax(axis=1), most
        places["tied"] = (votes == most[:, None]).sum(axis=1) > 1
    rows = []
    if len(places):
        changed_places = places[places["designs"] > 0]
        for (count, column, most_votes, tied), group in changed_places.groupby(
            ["designs", "column", "votes", "tied"], sort=True
        ):
            sysid = known[column]
            # Faces meet in the same points, so their union needs no new ones.
            geometry = shapely.coverage_union_all(faces[group["face"]])
            rows.append((count, sysid, systems["name"][sysid], most_votes, tied, np.nan, geometry))
    frame = geopandas.GeoDataFrame(pd.DataFrame(rows, columns=COLUMNS), geometry="geometry", crs="EPSG:4326")
    frame["area_ha"] = hectares(frame.geometry.to_numpy()) if len(frame) else frame["area_ha"].astype(float)
    return frame.sort_values(["designs", "sysid", "votes"], ascending=[False, True, False], ignore_index=True)


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
