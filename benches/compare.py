"""Compares the speed of pygeodesign with that of the libraries that users would choose instead, over loopback.

    make bench

Ends at once if a peer lacks a part that its authors recommend. The clients send requests to the same static server,
which takes little of the time. The services receive requests from the same load generator. Before anything is timed,
the results of both sides are checked to be equal. Prints medians, best values and ratios, and writes them to
`build/bench.json`.
"""

import json
from dataclasses import asdict

from clients import client_rows
from first_call import first_call_rows
from harness import BUILD, Row
from idle_connections import idle_rows
from memory import memory_rows
from network import network_rows
from peers.clients import CLIENTS
from peers.needs import exit_if_incomplete
from peers.readers import READERS
from peers.services import SERVICES
from planners_questions import planners_rows
from projects_archive import many_project_rows
from services import service_rows
from workshops import workshop_rows

OUTPUT = BUILD / "bench.json"


def main() -> None:
    clients = [(client.name, client.needs) for client in CLIENTS]
    readers = [(reader.name, reader.needs) for reader in READERS]
    exit_if_incomplete([*clients, *readers, *((service.name, service.needs) for service in SERVICES)])
    rows = [*client_rows(), *first_call_rows(), *memory_rows(), *service_rows(), *idle_rows()]
    rows += [*network_rows(), *planners_rows(), *many_project_rows(), *workshop_rows()]
    show(rows)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps([asdict(row) | {"reached": row.reached} for row in rows], indent=1), encoding="utf-8")
    print(f"\nWritten to {OUTPUT}")
    goals = [row for row in rows if row.goal is not None]
    print(f"{sum(not row.reached for row in goals)} of {len(goals)} goals missed")


def show(rows: list[Row]) -> None:
    """Prints a table in Markdown. In parentheses is the best of all rounds, beside their median."""
    print("| what | beside | ours | theirs | ratio | goal |\n|---|---|---:|---:|---:|---|")
    for row in rows:
        goal = "" if row.goal is None else f"{'≤' if row.at_most else '≥'} {row.goal:.3g}"
        missed = "" if row.reached else ", *missed*"
        print(f"| {row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {goal}{missed} |")


if __name__ == "__main__":
    main()
