"""An evaluation map combined from several maps, each with a weight."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import geopandas
import numpy as np
import shapely

from pygeodesign._evaluation_classes import EVALUATION_CLASSES, class_of
from pygeodesign._planning.land.lands import Numbers, Shapes, polygons
from pygeodesign.errors import InputError

# Each place is in one class of each map: the borders of all maps are cut where they cross.
MAX_FEATURES = 50_000
NOTHING = -1
EXISTING = EVALUATION_CLASSES.index("red")


def weigh_maps(
    maps: Mapping[str, geopandas.GeoDataFrame],
    weights: Mapping[str, float] | None = None,
    *,
    excluding: Collection[str] = (),
    area: geopandas.GeoDataFrame | None = None,
    count_existing: bool = False,
) -> geopandas.GeoDataFrame:
    """Combines several maps into an evaluation map: the weighted mean of their classes at each place.

    The classes count from 0 for `red`, where change is least wanted, to 5 for `green3`, where it is most. The mean is
    of the maps that have a class there; halves go to the worse class. `red` is land where the use exists already, and
    no degree of suitability: it is left out of means, and the result is `red` where no map has another class. Where
    features of one map overlap, the worst of their classes counts. Places that no map covers are not in the result.

    Args:
        maps: A dict from the name of each map to a GeoDataFrame with polygons in any CRS and the column `areatype`,
            whose values are `red` (existing), `red2`, `yellow` (not appropriate), `green` (capable), `green2`
            (suitable) and `green3` (feasible), or these words in any of the languages of pages.
        weights: A dict from names of maps to their weights, 0 or more. Default: each counts as 1.
        excluding: Names of maps whose `red` is red in the result, whatever the other maps say: land that is built, or
            protected by law. A map of weight 0 has no other effect.
        area: The limit of the result, such as the study area. Default: the extent of the maps.
        count_existing: `True` counts `red` as 0 in means.

    Returns:
        A GeoDataFrame in EPSG:4326 with one row for each combination of classes, and the columns `areatype`, `score`
        (the weighted mean, from 0 to 5), `why` (each map's class there, as a string) and `geometry`.
        `System.set_evaluation` accepts it directly.

    Raises:
        InputError: There is no map, one lacks the column or the CRS or has another class, a weight is negative or
            none is above 0, or a name is not a map's.

    Examples:
        >>> import geopandas
        >>> from shapely.geometry import box
        >>> from pygeodesign.planning import weigh_maps
        >>> slope = geopandas.GeoDataFrame(
        ...     {"areatype": ["yellow", "green3"]}, geometry=[box(0, 0, 1, 1), box(1, 0, 2, 1)], crs=4326
        ... )
        >>> soil = geopandas.GeoDataFrame({"areatype": ["green3"]}, geometry=[box(0, 0, 2, 1)], crs=4326)
        >>> weigh_maps({"slope": slope, "soil": soil}, {"slope": 2})[["areatype", "why"]].values.tolist()
        [['green', 'slope ×2: yellow, soil ×1: green3'], ['green3', 'slope ×2: green3, soil ×1: green3']]
    """
    names, factors, exclusions = _checked(maps, weights or {}, excluding)
    shapes, ranks = zip(*(_land(name, maps[name]) for name in names), strict=True)
    count = sum(len(of_map) for of_map in shapes)
    if count > MAX_FEATURES:
        raise InputError(
            f"the maps have {count:,} features together; at most {MAX_FEATURES:,} are weighed. Simplify or clip them"
        )
    study_area = None if area is None else shapely.union_all(polygons(_in_degrees("area", area).geometry))
    faces = _faces([*shapes, np.array([study_area])] if study_area is not None else list(shapes))
    places = shapely.point_on_surface(faces)
    if study_area is not None:
        inside = shapely.contains_properly(study_area, places)
        faces, places = faces[inside], places[inside]
    said = np.stack([_worst(places, of_map, rank) for of_map, rank in zip(shapes, ranks, strict=True)], axis=1)
    # A map without weight counts only where it excludes.
    said[(factors == 0) & ~(exclusions & (said == EXISTING))] = NOTHING
    has_class = (said != NOTHING).any(axis=1)
    faces, said = faces[has_class], said[has_class]
    combinations, whose = np.unique(said, axis=0, return_inverse=True)
    rows = [
        (
            *_weighed(names, factors, exclusions, combination, count_existing),
            shapely.union_all(faces[whose.ravel() == number]),
        )
        for number, combination in enumerate(combinations)
    ]
    columns = ["areatype", "score", "why", "geometry"]
    return geopandas.GeoDataFrame(rows, columns=columns, geometry="geometry", crs="EPSG:4326")


def _checked(
    maps: Mapping[str, geopandas.GeoDataFrame], weights: Mapping[str, float], excluding: Collection[str]
) -> tuple[list[str], Numbers, Numbers]:
    if not maps:
        raise InputError("maps is empty; give a dict from names to GeoDataFrames with the column areatype")
    for argument, given in (("weights", weights), ("excluding", excluding)):
        unknown = next((name for name in given if name not in maps), None)
        if unknown is not None:
            raise InputError(
                f"{argument} names {unknown!r}, which is not a map; the maps are {', '.join(map(repr, maps))}"
            )
    for name, weight in weights.items():
        if not math.isfinite(weight) or weight < 0:
            raise InputError(f"the weight of {name!r} is {weight}; give a number, 0 or more")
    names = list(maps)
    factors = np.array([float(weights.get(name, 1)) for name in names])
    if not (factors > 0).any():
        raise InputError("all weights are 0; give at least one map a weight above 0")
    return names, factors, np.array([name in excluding for name in names])


def _in_degrees(name: str, frame: geopandas.GeoDataFrame) -> geopandas.GeoDataFrame:
    if getattr(frame, "crs", None) is None:
        raise InputError(f"{name!r} has no CRS, so its coordinates cannot be placed; set it with .set_crs(…)")
    return frame.to_crs(4326)


def _land(name: str, frame: geopandas.GeoDataFrame) -> tuple[Shapes, Numbers]:
    """The polygons of a map, and the number of each one's class."""
    frame = _in_degrees(name, frame)
    if "areatype" not in frame.columns:
        raise InputError(f"{name!r} has no column areatype with the class of each polygon")
    classes = [class_of(value) if isinstance(value, str) else value for value in frame["areatype"]]
    unknown = next((value for value in classes if value not in EVALUATION_CLASSES), None)
    if unknown is not None:
        raise InputError(
            f"{name!r} has the areatype {unknown!r}; the classes are {', '.join(EVALUATION_CLASSES)}, or their words"
        )
    shapes = polygons(frame.geometry)
    ranks = np.array([EVALUATION_CLASSES.index(value) for value in classes], dtype=int)
    covers = ~shapely.is_empty(shapes)
    return shapes[covers], ranks[covers]


def _faces(layers: list[Shapes]) -> Shapes:
    """The pieces into which the borders of all shapes cut the land, and holes between them."""
    borders = shapely.boundary(np.concatenate(layers))
    lines = shapely.get_parts(shapely.union_all(borders))
    faces: Shapes = shapely.get_parts(shapely.polygonize(lines))
    return faces


def _worst(places: Shapes, shapes: Shapes, ranks: Numbers) -> Numbers:
    """The worst class of a map at each place; `NOTHING` if it has none."""
    place, shape = shapely.STRtree(shapes).query(places, predicate="within")
    worst = np.full(len(places), len(EVALUATION_CLASSES))
    np.minimum.at(worst, place, ranks[shape])
    worst[worst == len(EVALUATION_CLASSES)] = NOTHING
    return worst


def _weighed(
    names: list[str], factors: Numbers, exclusions: Numbers, combination: Numbers, count_existing: bool
) -> tuple[str, float, str]:
    """The class of a combination of classes, the mean from which it follows, and the reason."""
    has_class, exists = combination != NOTHING, combination == EXISTING
    counts = has_class if count_existing else has_class & ~exists
    is_existing = bool((exclusions & exists).any()) or not counts.any()
    score = float(EXISTING) if is_existing else float(np.average(combination[counts], weights=factors[counts]))
    # Halves go to the worse class; sums of weights are not exact.
    areatype = EVALUATION_CLASSES[max(0, math.ceil(score - 0.5 - 1e-9))]
    parts = (
        f"{name} ×{factor:g}: {EVALUATION_CLASSES[rank]}{'' if is_existing or is_counted else ' (not counted)'}"
        for name, factor, rank, is_counted in zip(names, factors, combination, counts, strict=True)
        if rank != NOTHING
    )
    return areatype, score, ", ".join(parts)
