"""A comparison of a small project with diagrams as the service sends them."""

from typing import Any

from fake_service import PROJECT, FakeService

SYSTEMS: list[dict[str, Any]] = [{"id": 1, "name": "Water", "tag": "WAT"}, {"id": 2, "name": "Housing", "tag": "HOU"}]


def comparison(diagrams: list[Any], designs: Any = None, **systems: dict[str, Any]) -> Any:
    """Designs of a project with the systems Water, 10 per hectare, and Housing, 100 per hectare, or other figures."""
    figures = {"Water": {"cost": 10}, "Housing": {"cost": 100}}
    details = {
        f"systems/{system['id']}/": system | figures[system["name"]] | systems.get(system["name"], {})
        for system in SYSTEMS
    }
    paths = {"systems/": SYSTEMS, "diagrams/all/": diagrams, "cteams/": [], "": {"id": PROJECT, "projecttitle": "P"}}
    with FakeService(paths | details) as service:
        return service.project().compare(designs)
