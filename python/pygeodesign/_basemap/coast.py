"""Land and sea from the coastlines of OpenStreetMap, which have land on their left."""

from __future__ import annotations

from typing import Any

# Degrees from the middle of a piece of coast to a point beside it: a centimetre.
BESIDE = 1e-7


def land_within(box: Any, coasts: Any, islands: Any) -> Any:
    """The land in a rectangle: that on the left of coasts, and islands. Without coasts, all of it is land."""
    import shapely

    land = shapely.union_all(_faces_on_the_left(box, coasts) if len(coasts) else [] if len(islands) else [box])
    return shapely.union(land, shapely.intersection(shapely.union_all(islands), box))


def _faces_on_the_left(box: Any, coasts: Any) -> list[Any]:
    """The parts into which coasts divide a rectangle that have more of them on the left than on the right."""
    import numpy as np
    import shapely

    edges = shapely.union_all([box.exterior, *shapely.intersection(coasts, box)])
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(edges)))
    tree = shapely.STRtree(faces)
    votes = np.zeros(len(faces), dtype=int)
    corners, line = shapely.get_coordinates(coasts, return_index=True)
    starts, steps = corners[:-1], np.diff(corners, axis=0)
    lengths = np.hypot(*steps.T)
    is_piece = (np.diff(line) == 0) & (lengths > 0)
    starts, steps, lengths = starts[is_piece], steps[is_piece], lengths[is_piece, np.newaxis]
    # To the left of each step.
    aside = np.column_stack([-steps[:, 1], steps[:, 0]]) / lengths * BESIDE
    for side, vote in ((aside, 1), (-aside, -1)):
        _, found = tree.query(shapely.points(starts + steps / 2 + side), predicate="within")
        np.add.at(votes, found, vote)
    return list(faces[votes > 0])
