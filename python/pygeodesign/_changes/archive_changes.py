"""`ArchiveChanges`, the result of `pygeodesign.compare_archives`. This file imports no library."""

from __future__ import annotations

from pygeodesign import _core
from pygeodesign._options import currency_of
from pygeodesign._read_at import read_at
from pygeodesign.errors import InputError

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from os import PathLike
    from typing import Literal

    import pandas as pd

    from pygeodesign._core import Project
    from pygeodesign.types import DiagramChange, SystemChange

# The columns of each frame with their types.
DIAGRAM_COLUMNS = {
    **{"diagramid": "int64", "title": "string", "system": "string", "author": "string", "change": "string"},
    **{"fields": "string", "cost_before": "float64", "cost_after": "float64", "reasons": "string", "why": "string"},
    "users": "string",
}
FIELD_COLUMNS = {
    **{"diagramid": "int64", "title": "string", "system": "string", "author": "string", "field": "string"},
    **{"before": "string", "after": "string"},
}
SYSTEM_COLUMNS = {
    **{"sysid": "int64", "name": "string", "fields": "string", "rate_before": "float64", "rate_after": "float64"},
    **{"cost_before": "float64", "cost_after": "float64"},
}


class ArchiveChanges:
    """Changes in a project between two archives, from `pygeodesign.compare_archives`.

    Attributes:
        title: The title of the project.
        time_before: The time when the earlier archive was written, a datetime in UTC; None if the archive has none.
        time_after: The same for the later one; for a project of a service, the time when it was read.
        added: The ids of new diagrams.
        removed: The ids of removed diagrams.
        moved: The ids of diagrams whose geometry changed.
        retitled: The ids of diagrams whose title changed.
        repriced: The ids of diagrams whose cost changed: through their geometry, their own rate or the system's.
        diagrams: A `DiagramChange` dict for each diagram that was added, removed or changed: `diagramid`, `title`,
            `sysid`, `system` (its name), `author`, `change` (`added`, `removed` or `changed`), `fields` (`FieldChange`
            dicts: `field`, `before`, `after`), `cost_before`, `cost_after`, `reasons` of the changed cost (`kind`,
            `own_cost`, `system`, `rate`, `geometry`, `area`, `problem`), `why`, the reasons in words, and `users`,
            who changed it in between, if both archives have the history.
        systems: A `SystemChange` dict for each system of either archive: `sysid`, `name`, `fields`, `rate_before`,
            `rate_after`, `cost_before`, `cost_after` (None if the system is missing or none of its diagrams has a
            cost).
        total_before: The cost of all systems in the earlier archive, without unknown costs.
        total_after: The same for the later one.

    Examples:
        >>> from pygeodesign import Sandbox, compare_archives
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     compare_archives(project, project)
        <ArchiveChanges: 0 added, 0 removed, 0 moved, 0 retitled, 0 repriced; cost 13.1 bn -> 13.1 bn (+0)>
    """

    def __init__(self, first: Project, second: Project) -> None:
        """Reads both archives."""
        from pygeodesign._changes.diagrams import State, diagram_changes, is_repriced, system_changes

        (self.time_before, before), (self.time_after, after) = _in_order(first, second)
        self.title: str = after.info().get("projecttitle") or after.id
        self._currency = after.info().get("currency")
        old, new = State(before), State(after)
        self.diagrams: list[DiagramChange] = list(diagram_changes(old, new))
        self.systems: list[SystemChange] = list(system_changes(old, new))
        self.added = [row["diagramid"] for row in self.diagrams if row["change"] == "added"]
        self.removed = [row["diagramid"] for row in self.diagrams if row["change"] == "removed"]
        self.moved, self.retitled = self._with_other("geometry"), self._with_other("title")
        self.repriced = [row["diagramid"] for row in self.diagrams if is_repriced(row)]
        self.total_before, self.total_after = old.report.total, new.report.total
        self._unpriced = (old.report.unpriced, new.report.unpriced)
        self._sysids = ({row["sysid"] for row in old.report.systems}, {row["sysid"] for row in new.report.systems})

    def _with_other(self, field: str) -> list[int]:
        """The ids of the diagrams whose value of a field changed."""
        return [row["diagramid"] for row in self.diagrams if any(one["field"] == field for one in row["fields"])]

    def to_pandas(self, rows: Literal["diagrams", "fields", "systems"] = "diagrams") -> pd.DataFrame:
        """The changes as a pandas DataFrame.

        Args:
            rows: `"diagrams"` for one row per diagram that was added, removed or changed, with its costs and why they
                changed; `"fields"` for one row per changed field of a diagram, with both values; `"systems"`
                for one row per system.

        Returns:
            A DataFrame with diagram titles, system names and authors. Lists are strings with commas.

        Raises:
            InputError: `rows` has another value.
            ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` installs it.

        Examples:
            >>> from pygeodesign import compare_archives
            >>> compare_archives(project, project).to_pandas("systems")[["name", "cost_after"]].shape
            (9, 2)
        """
        if rows not in ("diagrams", "fields", "systems"):
            raise InputError(f'rows must be "diagrams", "fields" or "systems", not {rows!r}')
        try:
            import pandas as pd
        except ImportError as missing:
            raise _core._missing_extra(missing) from missing

        from pygeodesign._changes.diagrams import names_of

        if rows == "fields":
            of_fields = [{**row, **change} for row in self.diagrams for change in row["fields"]]
            return pd.DataFrame(of_fields, columns=list(FIELD_COLUMNS)).astype(FIELD_COLUMNS)
        if rows == "systems":
            systems = [{**row, "fields": names_of(row)} for row in self.systems]
            return pd.DataFrame(systems, columns=list(SYSTEM_COLUMNS)).astype(SYSTEM_COLUMNS)
        lists = [
            {**row, "fields": names_of(row), "reasons": ", ".join(row["reasons"]), "users": ", ".join(row["users"])}
            for row in self.diagrams
        ]
        return pd.DataFrame(lists, columns=list(DIAGRAM_COLUMNS)).astype(DIAGRAM_COLUMNS)

    def to_html(
        self, path: str | PathLike[str] | None = None, *, title: str | None = None, currency: str | None = None
    ) -> str | None:
        """The changes as one page, for a browser or for paper (A4). It loads nothing.

        Args:
            path: The file to write. Default: return the page as a string.
            title: The heading. Default: the title of the project.
            currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.

        Returns:
            The page, or None if it is written to a file.

        Examples:
            >>> from pygeodesign import compare_archives
            >>> page = compare_archives(project, project).to_html(currency="USD")
            >>> page.startswith("<!DOCTYPE html>")
            True
        """
        from pygeodesign._changes.page import changes_page
        from pygeodesign._html import written

        return written(changes_page(self, title, currency_of(currency, self._currency)), path)

    def _repr_html_(self) -> str:
        """The diagrams that changed, as a table."""
        from pygeodesign._changes.page import changes_card

        return changes_card(self)

    def __repr__(self) -> str:
        """The number of diagrams per kind of change, and the costs."""
        from pygeodesign._text import short_amount

        change = self.total_after - self.total_before
        cost = f"{short_amount(self.total_before)} -> {short_amount(self.total_after)}"
        return f"<ArchiveChanges: {self._counts()}; cost {cost} ({'+' if change >= 0 else ''}{short_amount(change)})>"

    def _counts(self) -> str:
        kinds = ("added", "removed", "moved", "retitled", "repriced")
        return ", ".join(f"{len(getattr(self, kind))} {kind}" for kind in kinds)


def _in_order(first: Project, second: Project) -> list[tuple[datetime | None, Project]]:
    """Both with their times, earlier one first; in the given order if a time is unknown or both are the same."""
    timed = [(read_at(project), project) for project in (first, second)]
    (time_before, _), (time_after, _) = timed
    if time_before is not None and time_after is not None and time_after < time_before:
        timed.reverse()
    return timed
