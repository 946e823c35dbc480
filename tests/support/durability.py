"""Writers to a service that is killed, and its database's content afterwards."""

import os
import sqlite3
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from pygeodesign import GeodesignError, Project

WRITERS = 8
SQUARE = {"type": "Polygon", "coordinates": [[[-74.16, 40.57], [-74.15, 40.57], [-74.15, 40.58], [-74.16, 40.57]]]}


def check_integrity(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


class Writer(threading.Thread):
    """Adds diagrams, notes and stakeholders until the service is gone, and records the acknowledged ones."""

    def __init__(self, project: Project, number: int) -> None:
        super().__init__(daemon=True)
        self.project, self.number = project, number
        self.diagrams: dict[int, str] = {}
        self.stakeholders: set[str] = set()

    def run(self) -> None:
        with suppress(GeodesignError):
            for turn in range(10**6):
                text = f"writer {self.number}, turn {turn} of {os.getpid()} at {time.time_ns()}"
                added = int(self.project.add_diagram(1 + turn % 9, SQUARE, title=text).id)
                self.diagrams[added] = ""
                self.project.diagram(added).set_notes(text)
                self.diagrams[added] = text
                self.project.workshop.add_stakeholders([text])
                self.stakeholders.add(text)
