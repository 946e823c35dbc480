"""Compares the speed of pygeodesign with that of the libraries that users would choose instead, over loopback.

    make bench

The clients send requests to the same static server, which takes little of the time. The services receive requests from
the same load generator. Before anything is timed, the results of both sides are checked to be equal. Prints medians and
ratios, and writes them to `build/bench.json`.
"""

import json
from dataclasses import asdict

from clients import client_rows
from harness import BUILD, Row
from memory import memory_rows
from services import service_rows

OUTPUT = BUILD / "bench.json"


def main() -> None:
    rows = [*client_rows(), *memory_rows(), *service_rows()]
    show(rows)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps([asdict(row) | {"reached": row.reached} for row in rows], indent=1), encoding="utf-8")
    print(f"\nWritten to {OUTPUT}")
    goals = [row for row in rows if row.goal is not None]
    print(f"{sum(not row.reached for row in goals)} of {len(goals)} goals missed")


def show(rows: list[Row]) -> None:
    print(f"{'what':<42}{'beside':<38}{'ours':>13}{'theirs':>13}{'ratio':>9}  goal")
    for row in rows:
        goal = "" if row.goal is None else f"{'≤' if row.at_most else '≥'} {row.goal:.4g}"
        missed = "" if row.reached else "  missed"
        print(f"{row.what:<42}{row.beside:<38}{row.ours:>13}{row.theirs:>13}{row.ratio:>8.2f}×  {goal}{missed}")


if __name__ == "__main__":
    main()
