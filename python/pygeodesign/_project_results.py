"""`ProjectResults`, the result of `pygeodesign.map_projects`. This file imports no library."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Result = TypeVar("_Result")


class ProjectResults(dict[str, "_Result"]):
    """A dict from ids of projects to results, from `pygeodesign.map_projects`.

    Attributes:
        failures: A dict from the id of each project without a result to the exception of its last try.

    Examples:
        >>> import pygeodesign
        >>> results = pygeodesign.map_projects(lambda project: project.system(99).name, [project])
        >>> results
        <ProjectResults: 0 results, 1 failures>
        >>> type(results.failures["StatenIsland2050"]).__name__
        'NotFoundError'
    """

    failures: dict[str, Exception]

    def __init__(self, *arguments: object, **named: object) -> None:
        """Takes the arguments of a dict; there are no failures."""
        super().__init__(*arguments, **named)
        self.failures = {}

    def __repr__(self) -> str:
        """The number of results and failures."""
        return f"<ProjectResults: {len(self)} results, {len(self.failures)} failures>"
