"""Compares pygeodesign's speed with the libraries that users would choose instead, over loopback.

    make bench

Ends at once if a peer lacks a part that its authors recommend. The clients send requests to the same static server,
which takes little of the time. The services receive requests from the same load generator. Before anything is timed,
the results of both sides are checked to be equal. Prints each row when it is measured: medians, best values and ratios.
Writes them to `build/bench.json`.

    python benches/compare.py --small

runs each row once with little data, with the library as it is compiled, and leaves out peers that are not installed.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version

from clients import client_rows
from evening import evening_rows
from first_call import first_call_rows
from gate import gate_rows
from gis import gis_rows
from harness import BUILD, SMALL, Row
from idle_connections import idle_rows
from memory import memory_rows
from network import network_rows
from peers.needs import exit_if_incomplete
from planners_questions import planners_rows
from projects_archive import many_project_rows
from services import service_rows
from workshops import workshop_rows

OUTPUT = BUILD / "bench.json"
SECTIONS = (
    client_rows,
    first_call_rows,
    memory_rows,
    service_rows,
    gate_rows,
    evening_rows,
    gis_rows,
    idle_rows,
    network_rows,
    planners_rows,
    many_project_rows,
    workshop_rows,
)
PEERS = (
    "aiohttp distributed fastapi geopandas primp pyogrio pyproj pyreqwest pysimdjson requests scipy shapely ssrjson "
    "uvicorn wreq"
)


def main() -> None:
    if not SMALL:
        exit_if_incomplete()
    start = time.perf_counter()
    rows = list(shown(all_rows()))
    if SMALL:
        return
    minutes = (time.perf_counter() - start) / 60
    print(f"\nPeers: {', '.join(f'{peer} {version(peer)}' for peer in PEERS.split())}")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps([asdict(row) | {"reached": row.reached} for row in rows], indent=1), encoding="utf-8")
    goals = [row for row in rows if row.goal is not None]
    missed = sum(not row.reached for row in goals)
    print(f"{missed} of {len(goals)} goals missed, in {minutes:.0f} minutes. Written to {OUTPUT}")


def all_rows() -> Iterator[Row]:
    for section in SECTIONS:
        yield from section()


def shown(rows: Iterator[Row]) -> Iterator[Row]:
    """Prints the rows as a table in Markdown: the median of all rounds, and the best one in parentheses."""
    print("| what | beside | ours | theirs | ratio | goal |\n|---|---|---:|---:|---:|---|", flush=True)
    for row in rows:
        goal = "" if row.goal is None else f"{'≤' if row.at_most else '≥'} {row.goal:.3g}"
        missed = "" if row.reached else ", *missed*"
        cells = [row.what, row.beside, row.ours, row.theirs, f"{row.ratio:.2f}", goal + missed]
        print(f"| {' | '.join(cells)} |", flush=True)
        yield row


if __name__ == "__main__":
    main()
