"""Decisions in a project: negotiations between teams, the designs agreed in them, and members' votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pygeodesign._planning.arguments import finite
from pygeodesign.errors import InputError, NotFoundError, PermissionDeniedError

if TYPE_CHECKING:
    from pygeodesign._core import Project
    from pygeodesign.types import Vote

VOTES = "give the result of project.votes(): a list of dicts with `diagram` and `vote`"


class Session(NamedTuple):
    """A negotiation between teams: the ids of diagrams by the latest decision on each."""

    teams: tuple[str, ...]
    #: The time of its last decision, in UTC; None if the service sent none.
    ended: datetime | None
    accepted: list[int]
    rejected: list[int]
    #: Diagrams with any other decision, such as a question.
    left_open: list[int]

    def is_kept_by(self, ids: Iterable[int]) -> bool:
        """True if a design has all accepted diagrams, and none that were rejected or left open."""
        own = set(ids)
        return bool(self.accepted) and own.issuperset(self.accepted) and own.isdisjoint(self.rejected + self.left_open)


def or_nothing(request: Callable[[], Any]) -> Any:
    """The result of a request; None where the service does not have it or does not show it."""
    try:
        return request()
    except (NotFoundError, PermissionDeniedError):
        return None


def shown_votes(project: Project) -> list[Vote] | None:
    """The votes of all members; None where the service does not show them, or while they are hidden."""
    votes: list[Vote] | None = or_nothing(project.votes)
    activities = or_nothing(project.workshop.activities) if votes else None
    return None if activities and activities.get("votes_hidden") else votes


def sessions_of(sessions: Iterable[Mapping[str, Any]], name_of: Callable[[int], str]) -> list[Session]:
    """The negotiations with at least one decision; `name_of` returns a team's title."""
    found = []
    for session in sessions:
        # A later decision on a diagram replaces an earlier one.
        latest = {move["diagram"]: move["move"] for move in session["moves"]}
        by_move: dict[str, list[int]] = {}
        for diagram, move in sorted(latest.items()):
            by_move.setdefault(move if move in ("accept", "reject") else "", []).append(diagram)
        times = [time for move in session["moves"] if (time := time_of(move["timestamp"]))]
        teams = tuple(map(name_of, session["cteams"] or []))
        if latest:
            lists = (by_move.get(move, []) for move in ("accept", "reject", ""))
            found.append(Session(teams, max(times, default=None), *lists))
    return found


def time_of(text: str | None) -> datetime | None:
    """A time of a service in UTC; None if it is missing or cannot be read."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def agreed_designs(compared: Any) -> dict[str, Session]:
    """The compared designs that a team saved after a negotiation and that keep to it, by label."""
    agreed = {}
    for label, ids in compared.designs.items():
        saved, team = compared._saved_at.get(label), compared.teams.get(label)
        for session in compared._sessions or []:
            is_later = saved is not None and session.ended is not None and saved > session.ended
            if is_later and team in session.teams and session.is_kept_by(ids):
                agreed[label] = session
    return agreed


def sessions_about(compared: Any, scopes: Iterable[str]) -> list[Session]:
    """The negotiations in which a team of these designs took part; all of them for the project."""
    teams = {compared.teams.get(scope) for scope in scopes}
    known: list[Session] = compared._sessions or []
    return [one for one in known if "project" in scopes or teams.intersection(one.teams)]


def votes_by_diagram(votes: Iterable[Mapping[str, Any]] | None) -> dict[int, list[float]]:
    """The votes on each diagram."""
    on_diagram: dict[int, list[float]] = {}
    if votes is None:
        return on_diagram
    if isinstance(votes, (str, bytes, Mapping)) or not isinstance(votes, Iterable):
        raise InputError(f"votes is {votes!r}: {VOTES}")
    for vote in votes:
        if not isinstance(vote, Mapping) or not {"diagram", "vote"} <= set(vote):
            raise InputError(f"{vote!r} is not a vote: {VOTES}")
        on_diagram.setdefault(vote["diagram"], []).append(finite("a vote", vote["vote"], "from -2 to 2", -2))
    return on_diagram
