"""The tasks with the response to `diagrams/all/`, which has 21.4 MB: to frames, to dicts, and to costs."""

import json
from typing import Any

import synthetic
from comparison import Contender, Task
from peers.clients import Pyreqwest, Requests
from peers.readers import COLUMNS, dicts_by_ssrjson, features_of, frame_by_simdjson, frame_from_features
from pygeodesign import FeatureCollection, Project


def large_responses(project: Project, root: str, token: str, body: bytes) -> list[Task]:
    everything = f"projects/{synthetic.PROJECT}/diagrams/all/"
    requests, pyreqwest = Requests(root, token), Pyreqwest(root, token)
    return [
        Task(
            "diagrams().to_geopandas()",
            lambda: project.diagrams().to_geopandas(),
            [
                Contender("requests + from_features", lambda: frame_from_features(requests.json(everything)), 24),
                Contender("pyreqwest + pysimdjson", lambda: frame_by_simdjson(pyreqwest.buffer(everything)), 2.5),
            ],
            same_frame,
        ),
        Task(
            "diagrams().to_dict()",
            lambda: project.diagrams().to_dict(),
            [Contender("requests.get().json()", lambda: features_of(requests.json(everything)), 5)],
            same_dicts,
        ),
        costs_task(project),
        Task(
            "a body in memory to dicts",
            lambda: FeatureCollection._from_body(body, True).to_dict(),
            [
                Contender("json.loads", lambda: features_of(json.loads(body)), 4),
                Contender("ssrjson.loads, collector off", lambda: features_of(dicts_by_ssrjson(body))),
            ],
            same_dicts,
        ),
    ]


def same_frame(ours: Any, theirs: Any) -> bool:
    # GeoPandas' own reader has other columns: only those of the features.
    columns = COLUMNS if set(COLUMNS) <= set(theirs.columns) else []
    return bool((ours.geometry.to_wkb().to_numpy() == theirs.geometry.to_wkb().to_numpy()).all()) and all(
        ours["kind" if name == "type" else name].equals(theirs[name]) for name in columns
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


def same_dicts(ours: Any, theirs: Any) -> bool:
    # Our properties contain the fields of the diagram in addition.
    pairs = zip(ours["features"], theirs, strict=True)
    return all(
        own["geometry"] == other["geometry"] and own["properties"].items() >= other["properties"].items()
        for own, other in pairs
    )
