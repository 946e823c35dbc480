"""The history of a project: a list, a frame, a card of a notebook.

`import pygeodesign` imports this file, so it imports no library.
"""

from __future__ import annotations

from pygeodesign import _core

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex, overload

    import pandas as pd

    from pygeodesign.types import HistoryEntry

    Entries = list[HistoryEntry]
else:
    Entries = list

# The columns of the frame with their types. `time` is in UTC.
COLUMNS = {
    **{"time": "datetime64[us, UTC]", "username": "string", "operation": "string", "subject": "string"},
    **{"diagram": "Int64", "before": "string", "after": "string", "can_be_undone": "bool", "id": "int64"},
}
# The newest entries that a notebook shows.
MAX_SHOWN = 20


class History(Entries):
    """The changes in a project and their users: a list of `HistoryEntry` dicts, newest first, from `Project.history`.

    Examples:
        >>> project.diagram(1005).set_notes("Ask the school first.")
        >>> changes = project.history(diagram=1005)
        >>> len(changes), changes[0]["after"]
        (1, 'notes: Ask the school first.')
    """

    def to_pandas(self) -> pd.DataFrame:
        """The changes as a pandas DataFrame, one row each, newest first.

        Returns:
            A DataFrame with `time` (in UTC, with zone), `username`, `operation`, `subject`, `diagram`, `before`,
            `after`, `can_be_undone` and `id`. None in an entry is a missing value here.

        Raises:
            ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` installs it.

        Examples:
            >>> project.diagram(1005).set_notes("Ask the school first.")
            >>> frame = project.history().to_pandas()
            >>> frame["time"].dt.tz_convert("America/New_York").dt.tz.key
            'America/New_York'
            >>> frame.groupby("username").size()["admin"] > 0
            np.True_
        """
        try:
            import pandas as pd
        except ImportError as missing:
            raise _core._missing_extra(missing) from missing

        columns: dict[str, Any] = {name: [entry.get(name) for entry in self] for name in COLUMNS}
        # A service may return a time outside the range of pandas.
        columns["time"] = pd.to_datetime(columns["time"], format="ISO8601", utc=True, errors="coerce")
        return pd.DataFrame(columns).astype(COLUMNS)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: SupportsIndex, /) -> HistoryEntry: ...
        @overload
        def __getitem__(self, index: slice, /) -> History: ...

    def __getitem__(self, index: SupportsIndex | slice, /) -> HistoryEntry | History:
        """An entry, or the entries of a slice as a `History`."""
        if isinstance(index, slice):
            return History(super().__getitem__(index))
        return super().__getitem__(index)

    def _repr_html_(self) -> str:
        """The newest changes as a table."""
        from pygeodesign._html import card
        from pygeodesign._text import counted

        rows = [
            (
                f"{entry['time'][:19].replace('T', ' ')} UTC",
                *(str(entry[name] or "") for name in ("username", "operation", "subject", "before", "after")),
            )
            for entry in self[:MAX_SHOWN]
        ]
        left_out = len(self) - len(rows)
        note = f"and {left_out} earlier" if left_out else ""
        headings = ("time", "who", "operation", "what", "before", "after")
        return card(f"History: {counted(len(self), 'change')}", headings, rows, note, align="left")
