"""`compare_archives`: what changed in a project between two archives."""

from __future__ import annotations

from pygeodesign import _open
from pygeodesign._core import Project
from pygeodesign.errors import InputError

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any, TypeAlias

    from pygeodesign.types import SystemChange

    _Archive: TypeAlias = Project | str | PathLike[str]


class ArchiveChanges:
    """What changed in a project between two archives, from `pygeodesign.compare_archives`.

    Attributes:
        added: The ids of diagrams that are new.
        removed: The ids of diagrams that are gone.
        moved: The ids of diagrams whose geometry is another.
        retitled: The ids of diagrams with another title.
        repriced: The ids of diagrams with another cost: through their geometry, their own rate or that of the system.
        systems: A `SystemChange` dict for each system of either archive: `sysid`, `name`, `cost_before`, `cost_after`
            (None where the system is not there or no diagram of it has a cost).
        total_before: The cost of all systems in the first archive.
        total_after: The same in the second.

    Examples:
        >>> from pygeodesign import Sandbox, compare_archives
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     compare_archives(project, project)
        <ArchiveChanges: 0 added, 0 removed, 0 moved, 0 retitled, 0 repriced; cost 13,123,277,700 -> 13,123,277,700>
    """

    def __init__(self, before: Project, after: Project) -> None:
        """Read both archives."""
        old, new = _diagrams(before), _diagrams(after)
        both = sorted(old.keys() & new.keys())
        self.added = sorted(new.keys() - old.keys())
        self.removed = sorted(old.keys() - new.keys())
        self.moved = [diagram for diagram in both if old[diagram]["geometries"] != new[diagram]["geometries"]]
        self.retitled = [diagram for diagram in both if old[diagram]["title"] != new[diagram]["title"]]
        self.repriced = [diagram for diagram in both if old[diagram]["cost"] != new[diagram]["cost"]]
        report_before, report_after = before.costs(), after.costs()
        self.total_before, self.total_after = report_before.total, report_after.total
        costs_before = {row["sysid"]: row for row in report_before.systems}
        costs_after = {row["sysid"]: row for row in report_after.systems}
        self.systems: list[SystemChange] = [
            {
                "sysid": sysid,
                "name": (costs_after.get(sysid) or costs_before[sysid])["name"],
                "cost_before": costs_before[sysid]["cost"] if sysid in costs_before else None,
                "cost_after": costs_after[sysid]["cost"] if sysid in costs_after else None,
            }
            for sysid in sorted(costs_before.keys() | costs_after.keys())
        ]

    def __repr__(self) -> str:
        """The number of diagrams of each kind, and the costs."""
        kinds = ("added", "removed", "moved", "retitled", "repriced")
        counts = ", ".join(f"{len(getattr(self, kind))} {kind}" for kind in kinds)
        return f"<ArchiveChanges: {counts}; cost {self.total_before:,.0f} -> {self.total_after:,.0f}>"


def compare_archives(before: _Archive, after: _Archive) -> ArchiveChanges:
    """What changed in a project between two archives.

    Args:
        before: The earlier archive: a path, or a project from `pygeodesign.open`. A `Project` of a service is compared
            as it is now.
        after: The later one of the same project.

    Returns:
        An `ArchiveChanges`: the ids of the diagrams that were added, removed, moved, retitled and repriced, and the
        cost of each system before and after.

    Raises:
        ArchiveError: A file is no archive, or is damaged.
        InputError: The two are archives of different projects.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> with pygeodesign.Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     counts = project.archive(f"{folder}/monday.zip")
        ...     message = project.update_diagram(1001, additional_metadata={}, title="Tidal marsh")
        ...     counts = project.archive(f"{folder}/tuesday.zip")
        >>> changes = pygeodesign.compare_archives(f"{folder}/monday.zip", f"{folder}/tuesday.zip")
        >>> changes.added, changes.retitled
        ([], [1001])
    """
    projects = [archive if isinstance(archive, Project) else _open.open(archive) for archive in (before, after)]
    if projects[0].id != projects[1].id:
        raise InputError(f"{projects[0]!r} and {projects[1]!r} are two projects: compare two archives of the same one")
    return ArchiveChanges(*projects)


def _diagrams(project: Project) -> dict[int, dict[str, Any]]:
    """Title, cost and geometries of each diagram."""
    diagrams: dict[int, dict[str, Any]] = {
        row["id"]: {"title": row["description"], "geometries": [], "cost": None} for row in project.diagram_details()
    }
    for feature in project.diagrams().to_dict()["features"]:
        diagrams[feature["properties"]["diagramid"]]["geometries"].append(feature["geometry"])
    for row in project.costs().diagrams:
        diagrams[row["diagramid"]]["cost"] = row["cost"]
    return diagrams
