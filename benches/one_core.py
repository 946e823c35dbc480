"""Tasks on one core, for which this program and the static server that it starts are bound to it.

    taskset --cpu-list 0 python one_core.py FOLDER

The folder is that of the static server. Prints the rows as JSON.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import synthetic
from comparison import Contender, Task, compare
from harness import static_server
from peers.readers import parse_by_simdjson
from pygeodesign import Client, FeatureCollection
from small_responses import one_after_the_other

TOKEN = "0" * 40
# How the names of these tasks end.
SUFFIX = ", on one core"


def main() -> None:
    folder = Path(sys.argv[1])
    body = (folder / "projects" / synthetic.PROJECT / "diagrams" / "all.json").read_bytes()
    with static_server(folder) as root:
        project = Client(TOKEN, root).project(synthetic.PROJECT)
        tasks = [reading(body), one_after_the_other(project, root, TOKEN, SUFFIX)]
        print(json.dumps([asdict(row) for task in tasks for row in compare(task)]))


def reading(body: bytes) -> Task:
    """Reading all columns and geometries, beside pysimdjson, which makes nothing of what it has parsed."""
    return Task(
        f"a body in memory to columns{SUFFIX}",
        lambda: FeatureCollection._from_body(body, True),
        [Contender("pysimdjson, parsing alone", lambda: parse_by_simdjson(body), 1 / 1.3)],
        lambda _, theirs: len(theirs) == synthetic.DIAGRAMS,
    )


if __name__ == "__main__":
    main()
