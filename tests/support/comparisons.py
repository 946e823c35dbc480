"""A comparison of a small project with diagrams as the service sends them."""

from typing import Any

from fake_service import PROJECT, FakeService

SYSTEMS: list[dict[str, Any]] = [{"id": 1, "name": "Water", "tag": "WAT"}, {"id": 2, "name": "Housing", "tag": "HOU"}]


def comparison(diagrams: list[Any], designs: Any = None, **systems: dict[str, Any]) -> Any:
    """Designs of a project with the systems Water, 10 per hectare, and Housing, 100 per hectare, or other figures."""
    return with_maps(
        diagrams, designs, **{f"systems/{system['id']}/": systems.get(system["name"], {}) for system in SYSTEMS}
    )


def with_maps(diagrams: list[Any], designs: Any = None, *, land: Any = "all", **below: Any) -> Any:
    """The same for a project that also answers other paths, such as `boundaries/`."""
    rates = {"Water": 10, "Housing": 100}
    details = {
        path: system | {"cost": rates[system["name"]]} | below.pop(path, {})
        for system in SYSTEMS
        for path in [f"systems/{system['id']}/"]
    }
    paths = {"systems/": SYSTEMS, "diagrams/all/": diagrams, "cteams/": [], "": {"id": PROJECT, "projecttitle": "P"}}
    with FakeService(paths | details | below) as service:
        return service.project().compare(designs, land=land)
