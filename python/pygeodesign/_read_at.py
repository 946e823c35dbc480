"""The time that figures of a project are about."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from pygeodesign._core import Project


def read_at(project: Project) -> datetime | None:
    """When an archive was written, None if it says no time; a project of a service is as it is now. In UTC."""
    # Only now: it is half of the time that importing the package takes.
    from datetime import UTC, datetime

    archived_at = project._archived_at()
    if archived_at is None:
        return datetime.now(UTC)
    try:
        time = datetime.fromisoformat(archived_at)
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
