"""A service with several small projects, which differ from each other."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

from builders import square
from pygeodesign import Client, Sandbox

SYSTEMS = ("Water", "Green", "Housing")


@contextmanager
def running_service(projects: int, diagrams: int = 5) -> Iterator[Sandbox]:
    """A service with projects called Project 0 and so on, each with one diagram more than the last."""
    with Sandbox(project=None) as sandbox:
        sandbox.add_user("archivist")
        client, choose = sandbox.client("archivist"), random.Random(projects)
        code = sandbox.creation_code("MANY")
        for number in range(projects):
            west = number % 20
            systems = [
                {"name": name, "color": "#2B7BBA", "cost": 1_000 * (number + place + 1)}
                for place, name in enumerate(SYSTEMS)
            ]
            bounds = (west - 0.5, 49.5, west + 0.5, 50.5)
            projectid = client.create_project(code, title=f"Project {number}", bounds=bounds, systems=systems)  # type: ignore[arg-type]
            project = client.project(projectid)
            ids = [system["id"] for system in project.systems()]
            for diagram in range(diagrams + number):
                shape = square(west + choose.uniform(-0.3, 0.3), 50 + choose.uniform(-0.3, 0.3), 0.01)
                project.add_diagram(ids[diagram % 3], shape, title=f"Diagram {diagram}")
        yield sandbox


def archivist(sandbox: Sandbox) -> Client:
    """The projects' owner."""
    return sandbox.client("archivist")
