"""The tasks with the response to `diagrams/all/`, which has 21.4 MB: to frames, to dicts, and to costs."""

import json
from typing import Any

import synthetic
from comparison import Contender, Task
from peers.clients import Httpx, Pyreqwest, Requests
from peers.readers import (
    TEN_COLUMNS,
    features_of,
    frame_by_duckdb,
    frame_by_simdjson,
    frame_from_features,
    frame_from_geojson,
    whole_frame_by_simdjson,
    without_garbage_collector,
)
from pygeodesign import FeatureCollection, Project


def large_responses(project: Project, root: str, token: str, body: bytes) -> list[Task]:
    everything = f"projects/{synthetic.PROJECT}/diagrams/all/"
    requests, httpx, pyreqwest = Requests(root, token), Httpx(root, token), Pyreqwest(root, token)
    return [
        frame_task(project, everything, requests, httpx, pyreqwest, body),
        dict_task(project, everything, requests, httpx, pyreqwest),
        costs_task(project),
        memory_task(body),
    ]


def frame_task(
    project: Project, everything: str, requests: Requests, httpx: Httpx, pyreqwest: Pyreqwest, body: bytes
) -> Task:
    from shapely import from_wkb

    as_geojson = json.dumps({"type": "FeatureCollection", "features": features_of(json.loads(body))}).encode()
    shapes = project.diagrams().to_arrow()["geometry"].to_numpy(zero_copy_only=False)

    def download_and_wkb() -> list[Any]:
        """The least work for a GeoDataFrame: the download, and the shapes from WKB."""
        httpx.content(everything)
        return list(from_wkb(shapes))

    def same_frame(ours: Any, theirs: Any) -> bool:
        if isinstance(theirs, list):
            return list(ours.geometry) == theirs
        return bool((ours.geometry.to_wkb().to_numpy() == theirs.geometry.to_wkb().to_numpy()).all()) and (
            # GeoPandas' own readers have other columns: those of the features alone.
            not set(TEN_COLUMNS) <= set(theirs.columns)
            or all(ours[name].equals(theirs[name]) for name in theirs.columns if name != "geometry")
        )

    return Task(
        "diagrams().to_geopandas()",
        lambda: project.diagrams().to_geopandas(),
        [
            Contender("requests + from_features", lambda: frame_from_features(requests.json(everything)), 24),
            Contender("httpx + orjson + from_features", lambda: frame_from_features(httpx.json(everything)), 17),
            Contender("pyogrio, from memory", lambda: frame_from_geojson(as_geojson), 10),
            Contender("httpx download + from_wkb", download_and_wkb, 1 / 3),
            Contender(
                "pyreqwest + pysimdjson, 10 columns", lambda: frame_by_simdjson(pyreqwest.buffer(everything)), 1.5
            ),
            Contender(
                "pyreqwest + pysimdjson, all columns", lambda: whole_frame_by_simdjson(pyreqwest.buffer(everything)), 3
            ),
            Contender("pyreqwest + DuckDB, 10 columns", lambda: frame_by_duckdb(pyreqwest.content(everything))),
        ],
        same_frame,
    )


def dict_task(project: Project, everything: str, requests: Requests, httpx: Httpx, pyreqwest: Pyreqwest) -> Task:
    import msgspec

    def by_orjson() -> Any:
        return features_of(httpx.json(everything))

    def by_msgspec() -> Any:
        return features_of(msgspec.json.decode(pyreqwest.buffer(everything)))

    return Task(
        "diagrams().to_dict()",
        lambda: project.diagrams().to_dict(),
        [
            Contender("requests.get().json()", lambda: features_of(requests.json(everything)), 5),
            Contender("httpx + orjson", by_orjson, 2.5),
            Contender("httpx + orjson, collector off", lambda: without_garbage_collector(by_orjson), 1),
            Contender("pyreqwest + msgspec, collector off", lambda: without_garbage_collector(by_msgspec)),
        ],
        same_dicts,
    )


def costs_task(project: Project) -> Task:
    def download_and_read() -> None:
        """The least work for the costs: the requests, and the parsing of the responses."""
        project.diagrams()
        for system in range(1, synthetic.SYSTEMS + 1):
            project.system(system)

    return Task(
        "costs()",
        lambda: project.costs(),
        [Contender("diagrams() + system()", download_and_read, 1 / 1.3)],
        lambda ours, _: len(ours.diagrams) == synthetic.DIAGRAMS,
    )


def memory_task(body: bytes) -> Task:
    import msgspec
    import orjson

    def by_orjson() -> Any:
        return features_of(orjson.loads(body))

    def by_msgspec() -> Any:
        return features_of(msgspec.json.decode(body))

    return Task(
        "a body in memory to dicts",
        lambda: FeatureCollection._from_body(body, True).to_dict(),
        [
            Contender("json.loads", lambda: features_of(json.loads(body))),
            Contender("orjson.loads", by_orjson),
            Contender("orjson.loads, collector off", lambda: without_garbage_collector(by_orjson)),
            Contender("msgspec.json.decode, collector off", lambda: without_garbage_collector(by_msgspec)),
        ],
        same_dicts,
    )


def same_dicts(ours: Any, theirs: Any) -> bool:
    # Our properties contain the fields of the diagram in addition.
    pairs = zip(ours["features"], theirs, strict=True)
    return all(
        own["geometry"] == other["geometry"] and own["properties"].items() >= other["properties"].items()
        for own, other in pairs
    )
