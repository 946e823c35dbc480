"""`pygeodesign report`: the page of a project, without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygeodesign._core import _missing_extra

if TYPE_CHECKING:
    from pathlib import Path

    from pygeodesign import Project


def write_report(project: Project, designs: list[tuple[int, str]], path: Path, **options: Any) -> None:
    """Write the page; without designs, of the latest of each team."""
    try:
        import matplotlib as mpl
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    # A command needs no window, whatever the environment says.
    mpl.use("agg")
    project.compare(designs or None).to_html(path, **options)
