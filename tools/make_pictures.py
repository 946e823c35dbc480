"""Draws the pictures of README.md and docs/ from the demo project.

    python tools/make_pictures.py [FOLDER]

A test draws them again, and fails if a picture no longer shows what the package draws.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pygeodesign import Project, Sandbox
from pygeodesign.planning import Comparison
from pygeodesign.plots import plot_map

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
RATINGS = {
    "red": ("#e07a6b", "change least wanted"),
    "yellow": ("#f2d479", "in between"),
    "green": ("#86bf8c", "most wanted"),
}
LAND, SHORE, INK = "#f4f2ed", "#8a8a86", "#2b2f33"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    draw_all(folder)


def draw_all(folder: Path) -> None:
    plt.switch_backend("Agg")
    with Sandbox() as sandbox:
        project = sandbox.project()
        comparison = project.compare()
        for name, draw in PICTURES.items():
            # The same bytes each time, also by another version of matplotlib that draws the same.
            draw(project, comparison).savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
            plt.close("all")


def agreement(project: Project, comparison: Comparison) -> Figure:
    return _figure(comparison.plot_consensus())


def conflicts(project: Project, comparison: Comparison) -> Figure:
    return _figure(comparison.plot_conflicts("between"))


def costs(project: Project, comparison: Comparison) -> Figure:
    team = project.teams()[0]
    design = project.designs(team["id"])[-1]
    report = project.costs(team=team["id"], design=design["id"])
    return _figure(report.plot(title=f"{team['title']}: cost and budget", currency="USD"))


def diagrams(project: Project, comparison: Comparison) -> Figure:
    """An area, a line, and a policy."""
    figure, panels = plt.subplots(1, 3, figsize=(10, 4), layout="constrained")
    frame = comparison.diagrams
    chosen = {1001: "project, an area", 1080: "project, a line", 1057: "policy"}
    for axes, (number, what) in zip(panels, chosen.items(), strict=True):
        _land(axes, comparison)
        color = comparison.systems.loc[frame.loc[number, "sysid"], "color"]
        frame.loc[[number]].plot(ax=axes, color=color, alpha=0.4 if what == "policy" else 1, linewidth=3)
        axes.set_title(f"{what}\n{_short(frame.loc[number, 'title'])}", fontsize=11, color=INK)
    return figure


def designs(project: Project, comparison: Comparison) -> Figure:
    """The designs of all teams, each diagram in its system's colour."""
    figure, panels = plt.subplots(1, len(comparison.designs), figsize=(10, 3.6), layout="constrained")
    for axes, (label, ids) in zip(panels, comparison.designs.items(), strict=True):
        _land(axes, comparison)
        rows = comparison.diagrams.loc[ids]
        rows = rows[(rows["kind"] == "project") & rows.geometry.notna()]
        rows.plot(ax=axes, color=rows["sysid"].map(comparison.systems["color"]))
        axes.set_title(label.partition(" – ")[0], fontsize=12, color=INK)
    systems = [Patch(color=system["color"], label=system["name"]) for system in comparison.systems.to_dict("records")]
    figure.legend(handles=systems, loc="outside lower center", ncols=5, frameon=False, fontsize=10)
    return figure


def evaluation(project: Project, comparison: Comparison) -> Figure:
    """The evaluation map of Water, with the system's projects on it."""
    figure, axes = plt.subplots(figsize=(6, 4.6), layout="constrained")
    _land(axes, comparison)
    rated = comparison.evaluations[1]
    rated.plot(ax=axes, color=rated["areatype"].map({name: color for name, (color, _) in RATINGS.items()}))
    projects = comparison.diagrams.query("sysid == 1 and kind == 'project'")
    projects[projects.geometry.notna()].plot(ax=axes, facecolor="none", edgecolor="#173f5f", linewidth=1.3)
    handles = [Patch(color=color, label=meaning) for color, meaning in RATINGS.values()]
    handles.append(Patch(facecolor="none", edgecolor="#173f5f", label="projects of Water"))
    figure.legend(handles=handles, loc="outside right center", frameon=False, fontsize=10)
    return figure


def impacts(project: Project, comparison: Comparison) -> Figure:
    """The impacts of one design, by an assumed matrix."""
    matrix = {
        "Transport": {"Green infrastructure": -1, "Mixed use": 2},
        "Industry & commerce": {"Water": -2, "Green infrastructure": -1},
        "Green infrastructure": {"Water": 2, "Low-density housing": 1},
    }
    return _figure(comparison.plot_impact(matrix, scope=list(comparison.designs)[1]))


def people(project: Project, comparison: Comparison) -> Figure:
    """The homes of the designs, if mixed use has 45 for each hectare."""
    project.set_quantities({"Mixed use": {"homes": {"amount": 45, "per": "hectare", "target": 2000}}})
    try:
        return _figure(project.compare().plot_people())
    finally:
        project.set_quantities({"Mixed use": {"homes": None}})


def everything(project: Project, comparison: Comparison) -> Figure:
    return _figure(plot_map(project.diagrams(), project.study_area.boundaries(), title="All diagrams, by system"))


def _land(axes: Axes, comparison: Comparison) -> None:
    comparison.boundaries.plot(ax=axes, color=LAND, edgecolor=SHORE, linewidth=0.6)
    axes.set_axis_off()


def _short(title: str) -> str:
    return title if len(title) < 32 else title[:30].rstrip() + "…"


def _figure(axes: Axes) -> Figure:
    figure = axes.figure
    assert isinstance(figure, Figure)
    return figure


PICTURES: dict[str, Callable[[Project, Comparison], Figure]] = {
    draw.__name__: draw
    for draw in (agreement, conflicts, costs, diagrams, designs, evaluation, everything, impacts, people)
}

if __name__ == "__main__":
    main()
