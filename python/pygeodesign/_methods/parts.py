"""Cards that a notebook shows for handles to parts of a project.

`import pygeodesign` imports this file, so it imports no library: slow imports happen in the calls.
"""

from __future__ import annotations

from pygeodesign._core import Design, Diagram, Member, System, Team, _for_card


def _repr_html_(self: Team | Design | System | Diagram | Member) -> str | None:
    """Its contents, requested from the service; None, for its plain text, if that fails."""

    def shown() -> str:
        from pygeodesign._cards import card_of

        return card_of(self)

    html: str | None = _for_card(shown)
    return html


for _owner in (Team, Design, System, Diagram, Member):
    # Not as `method_of` does: a notebook passes no argument, and nothing is raised.
    setattr(_owner, "_repr_html_", _repr_html_)  # noqa: B010 (the stubs have this method)
