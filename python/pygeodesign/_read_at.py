"""The time of a project's figures."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from pygeodesign._core import Project


def read_at(project: Project) -> datetime | None:
    """The time when an archive was written, None without one; for a project of a service, the current time. In UTC."""
    # Imported here: it takes half of the package's import time.
    from datetime import UTC, datetime

    archived_at = project._archived_at()
    if archived_at is None:
        return datetime.now(UTC)
    try:
        time = datetime.fromisoformat(archived_at)
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
