"""Cards of a notebook for teams, designs, systems, diagrams and members: their contents at the service."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pygeodesign._core import Design, Diagram, Member, Project, System, Team
from pygeodesign._html import Markup, card, html, small_swatch
from pygeodesign._looks import NO_COLOR, hex_color
from pygeodesign._options import currency_of
from pygeodesign._text import counted, money, units_named
from pygeodesign.errors import GeodesignError

# The characters of a text, such as a system's description, and the names of a list.
MAX_TEXT, MAX_NAMES = 200, 20
# Pixels.
PICTURE = 160

Facts = list[tuple[str, str]]


def card_of(part: Team | Design | System | Diagram | Member) -> str:
    """The card: kind and title, known facts, and the picture of a diagram."""
    # Its fields first: later requests need no look-up of its title.
    dict(part)
    title, facts, *picture = CARDS[type(part)](part)
    heading = Markup(f"{type(part).__name__}: {html(title)}")
    known = [*facts, ("id", "" if isinstance(part, Member) else str(part.id))]
    text = card(heading, (), [(name, value) for name, value in known if value], align="left")
    return f'<div style="display:flex;gap:16px;align-items:flex-start">{text}{"".join(picture)}</div>'


def _team(team: Team) -> tuple[str, Facts]:
    title = _colored(team.color, team.title) if team.color else team.title or ""
    members, designs = _together(team.members, team.designs)
    facts = [("members", _listed_names(members) or "none")]
    if not designs:
        return title, [*facts, ("designs", "none; team.save(…) saves one")]
    latest = designs[-1]
    facts += [("designs", str(len(designs))), ("latest design", latest.title or latest.id), ("saved", _minute(latest))]
    return title, [*facts, *_figures(latest)]


def _design(design: Design) -> tuple[str, Facts]:
    team, figures = _together(lambda: design.team.title, lambda: _figures(design))
    return design.title or design.id, [("team", team or ""), ("saved", _minute(design)), *figures]


def _system(system: System) -> tuple[str, Facts]:
    ids, currency = _together(system.diagram_ids, lambda: _currency(system.project))
    units = units_named(None)
    rate = None if system.cost is None else system.cost / units.per_hectare
    facts = [
        ("tag", system.tag or ""),
        ("about", (system["verbose_description"] or "")[:MAX_TEXT]),
        ("rate", "not set" if rate is None else f"{money(rate, currency)} per {units.area.removesuffix('s')}"),
        ("budget", "" if system.budget is None else money(system.budget, currency)),
        ("today", "" if system.current_ha is None else units.area_text(system.current_ha)),
        ("target", "" if system.target_ha is None else units.area_text(system.target_ha)),
        ("diagrams", str(len(ids))),
    ]
    return _colored(system.color, system.name), facts


def _diagram(diagram: Diagram) -> tuple[str, Facts, str]:
    report, picture = _together(lambda: diagram.project.costs(diagrams=[diagram]), lambda: _picture(diagram))
    (row,) = report.diagrams
    (system,) = (system for system in report.systems if system["sysid"] == row["sysid"])
    (author, *_) = (feature["properties"].get("author") for feature in report._features)
    units = units_named(None)
    sizes = [
        units.area_text(row["area_ha"]) if row["area_ha"] else "",
        units.length_text(row["length_km"]) if row["length_km"] else "",
        counted(row["pieces"], "piece") if row["pieces"] else "",
    ]
    facts = [
        ("system", _colored(system["color"], system["name"])),
        ("kind", row["kind"] or ""),
        ("drawn by", author or ""),
        ("size", ", ".join(filter(None, sizes))),
        ("cost", _cost(row["cost"], currency_of(None, report.currency))),
        ("dates", " – ".join(filter(None, (diagram.start_date, diagram.end_date)))),
    ]
    return diagram.title or "without a title", facts, picture


def _member(member: Member) -> tuple[str, Facts]:
    project, name = member.project, member.username
    teams, drawn = _together(project.teams, lambda: project.diagrams(fields="summary"))
    members = _together(*(team.members for team in teams))
    own = [team.title or str(team.id) for team, names in zip(teams, members, strict=True) if name in names]
    count = sum(diagram["author"] == name for diagram in drawn)
    return name, [("teams", _listed_names(own) or "none"), ("drawn", counted(count, "diagram"))]


CARDS: dict[type, Callable[[Any], Any]] = {
    Team: _team,
    Design: _design,
    System: _system,
    Diagram: _diagram,
    Member: _member,
}


def _together(*requests: Callable[[], Any]) -> list[Any]:
    """The results of requests that are sent at the same time."""
    with ThreadPoolExecutor(max(1, len(requests))) as pool:
        return [*pool.map(lambda request: request(), requests)]


def _figures(design: Design) -> Facts:
    """The number of a design's diagrams, and their cost: as the service reports it, or computed, as in an archive."""
    currency = _currency(design.project)
    try:
        answer = design.service_costs()
        count, total, unpriced = len(answer["diagrams"]), answer["total"], answer["unpriced"]
    except GeodesignError:
        report = design.costs()
        count, total, unpriced = len(report.diagrams), report.total, report.unpriced
    gap = f", {counted(unpriced, 'diagram')} not priced" if unpriced else ""
    return [("diagrams", str(count)), ("cost", money(total, currency) + gap)]


def _currency(project: Project) -> str:
    return currency_of(None, project.info().get("currency"))


def _cost(cost: float | None, currency: str) -> str:
    return "not known" if cost is None else money(cost, currency)


def _minute(design: Design) -> str:
    return f"{design.created[:16].replace('T', ' ')} UTC" if design.created else ""


def _colored(color: str | None, name: str | None) -> Markup:
    return small_swatch(hex_color(color) or NO_COLOR, name or "")


def _picture(diagram: Diagram) -> str:
    """Its thumbnail; empty where the service makes none, as in an archive."""
    try:
        data = b64encode(diagram.thumbnail()).decode()
    except GeodesignError:
        return ""
    style = f"width:{PICTURE}px;border-radius:6px;background:#fff"
    return f'<img alt="Diagram {diagram.id} over the study area" src="data:image/png;base64,{data}" style="{style}">'


def _listed_names(names: list[str]) -> str:
    """Names for a line, the first ones of a long list."""
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return ", ".join(names[:MAX_NAMES]) + more
