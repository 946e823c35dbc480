"""The consensus layer: how many designs change each place, and what most of them put there."""

from __future__ import annotations

from typing import Any

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign import _progress
from pygeodesign._planning.agreement import agreement
from pygeodesign._planning.land import computed, hectares, polygons, united_by
from pygeodesign._planning.places import EDGES_IN_A_TILE, Places, Tiles, places, tiles_of

COLUMNS = ["designs", "sysid", "system", "votes", "tied", "area_ha", "geometry"]
# What is the same in the places of a row.
VOTES = ["designs", "sysid", "votes", "tied"]


def consensus(
    diagrams: geopandas.GeoDataFrame, designs: dict[str, list[int]], systems: pd.DataFrame, progress: bool | None
) -> geopandas.GeoDataFrame:
    """One row for each number of designs, system and number of votes for it, with all such places."""
    shapes, by_design, sysids = _layers(diagrams, designs)
    known = systems.index[systems.index.isin(sysids)].to_numpy()
    of_known = np.isin(sysids, known)
    found = _voted(shapes[of_known], by_design[of_known], sysids[of_known], known, progress)
    names = systems["name"]
    rows = [(count, sysid, names[sysid], *vote, np.nan, shape) for (count, sysid, *vote), shape in found]
    frame = geopandas.GeoDataFrame(pd.DataFrame(rows, columns=COLUMNS), geometry="geometry", crs="EPSG:4326")
    frame["area_ha"] = hectares(frame.geometry.to_numpy())
    frame = frame[~frame.is_empty]
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


def _voted(
    shapes: np.ndarray, by_design: np.ndarray, sysids: np.ndarray, known: np.ndarray, progress: bool | None
) -> list[tuple[tuple[Any, ...], Any]]:
    """For each number of designs, system, number of votes for it and whether it is tied, the places with these."""
    tiles, found = _all_places(shapes, progress)
    tables = [_votes(of_tile, by_design, sysids, known) for of_tile in found]
    groups: dict[Any, Any] = pd.concat([pd.DataFrame(columns=VOTES), *tables], ignore_index=True).groupby(VOTES).indices
    polygons = np.concatenate([np.array([], dtype=object), *(of_tile.polygons for of_tile in found)])

    def united(rows: np.ndarray) -> Any:
        try:
            # Places meet in the same points, so their union needs no new ones.
            union = shapely.coverage_union_all(polygons[rows])
        except shapely.GEOSException:
            # But for borders that are nearly the same: between them are places that are no wider than rounding errors.
            union = shapely.union_all(polygons[rows])
        return tiles.without_cuts(union)

    return list(zip(groups, computed(united, groups.values()), strict=True))


def _all_places(shapes: np.ndarray, progress: bool | None) -> tuple[Tiles, list[Places]]:
    size = EDGES_IN_A_TILE
    while True:
        tiles = tiles_of(shapes, size)
        bar = _progress.bar("consensus", len(tiles.tiles), progress)
        found = []
        try:
            for of_tile in places(tiles.tiles):
                if of_tile is None:
                    break
                found.append(of_tile)
                if bar is not None:
                    bar.update(1)
        finally:
            if bar is not None:
                bar.close()
        if len(found) == len(tiles.tiles):
            return tiles, found
        # The land is cut elsewhere; in the end, not at all.
        size = 2 * size + 1


def _votes(found: Places, by_design: np.ndarray, sysids: np.ndarray, known: np.ndarray) -> pd.DataFrame:
    """How many designs change each place, and what most of them choose there."""
    # By system, place and design: whether the design has a diagram of that system there.
    inside, by_design, sysids = found.inside.astype(np.float32), by_design[found.shapes], sysids[found.shapes]
    own = [sysids == sysid for sysid in known]
    there = np.array([inside[:, layers] @ by_design[layers].astype(np.float32) > 0 for layers in own])
    votes = there.sum(axis=2)
    most = votes.max(axis=0)
    columns = (there.any(axis=0).sum(axis=1), known[votes.argmax(axis=0)], most, (votes == most).sum(axis=0) > 1)
    return pd.DataFrame(dict(zip(VOTES, columns, strict=True)))
