"""Prints the costs of a geodesign project and of its teams' designs per system, and writes charts, maps and a table.

It uses the embedded service. To use a deployed service, set GEODESIGN_URL and GEODESIGN_TOKEN, and pass the project id:

    python examples/costs_per_system.py [PROJECT_ID]
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from matplotlib import pyplot

from pygeodesign import Client, CostReport, Project, Sandbox
from pygeodesign.maps import web_map
from pygeodesign.plots import plot_map
from pygeodesign.types import SystemCost

OUTPUT = Path("build/demo")
pyplot.switch_backend("Agg")


def main() -> None:
    if len(sys.argv) > 1:
        with Client() as client:
            print_and_draw(client.project(sys.argv[1]))
    else:
        with Sandbox() as sandbox:
            print_and_draw(sandbox.project())


def print_and_draw(project: Project) -> None:
    report = project.costs()
    print(f"{project.info()['projecttitle']}: what it costs\n")
    print_table(*cost_table(report))
    print("\nThe change teams' designs\n")
    print_table(*design_table(project))
    print("\nFiles")
    for file in write_files(project, report):
        print(f"  {file}  ({file.stat().st_size / 1000:,.0f} kB)")


def cost_table(report: CostReport) -> tuple[list[str], list[list[str]]]:
    header = [
        "System",
        "Projects",
        "Policies",
        "Hectares",
        "Line km",
        "Cost",
        "Budget",
        "Budget left",
        "Target left ha",
        "",
    ]
    rows = [
        [
            system["name"],
            str(system["projects"]),
            str(system["policies"]),
            number(system["area_ha"], 1),
            number(system["length_km"], 1),
            number(system["cost"]),
            number(system["budget"]),
            number(system["budget_left"]),
            "met" if system["target_met"] else number(system["target_left_ha"], 1),
            remark(system),
        ]
        for system in report.systems
    ]
    # Against the budgets of some systems, the cost of all of them would be too much.
    budgets = [system["budget"] for system in report.systems if system["budget"] is not None]
    budget = sum(budgets) if len(budgets) == len(report.systems) else None
    left = None if budget is None else budget - report.total
    total = [
        "Total",
        str(sum(system["projects"] for system in report.systems)),
        str(sum(system["policies"] for system in report.systems)),
        number(sum(system["area_ha"] for system in report.systems), 1),
        number(sum(system["length_km"] for system in report.systems), 1),
        number(report.total),
        number(budget),
        number(left),
        "",
        "OVER BUDGET" if (left or 0) < 0 else "",
    ]
    return header, [*rows, total]


def remark(system: SystemCost) -> str:
    if system["without_rate"]:
        return f"no rate set: {system['without_rate']} diagrams"
    if system["unpriced"]:
        return f"not priced: {system['unpriced']} diagrams"
    if system["budget_left"] is None:
        return "no budget"
    return "OVER BUDGET" if system["budget_left"] < 0 else ""


def design_table(project: Project) -> tuple[list[str], list[list[str]]]:
    header = ["Team", "Design", "Diagrams", "Cost", "Targets met", "Over budget in"]
    rows = []
    for team in project.teams():
        for design in team.designs():
            report = design.costs()
            over = [system["name"] for system in report.systems if (system["budget_left"] or 0) < 0]
            targets = [system["target_met"] for system in report.systems if system["target_met"] is not None]
            rows.append(
                [
                    team.title or "",
                    design.title or design.id,
                    str(len(report.diagrams)),
                    number(report.total),
                    f"{sum(targets)} of {len(targets)}",
                    ", ".join(over) or "none",
                ]
            )
    return header, rows


def write_files(project: Project, report: CostReport) -> list[Path]:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    costs, picture, page, table = (OUTPUT / name for name in ("costs.png", "map.png", "map.html", "diagrams.parquet"))
    diagrams, boundary = project.diagrams(), project.study_area.boundaries()
    title = project.info()["projecttitle"] or project.id
    report.plot(title=title)
    pyplot.savefig(costs, dpi=150)
    plot_map(diagrams, boundary, title=title)
    pyplot.savefig(picture, dpi=150)
    web_map(diagrams, boundary, title=title).to_html(page)
    diagrams.to_file(table)
    return [costs, picture, page, table]


def number(value: float | None, decimals: int = 0) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    is_number = [
        all(row[column][-1:].isdigit() or row[column] in ("", "met") for row in rows) for column in range(len(header))
    ]
    is_number[-1] = False

    def line(row: Sequence[str]) -> str:
        cells = zip(row, widths, is_number, strict=True)
        return "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells).rstrip()

    rule = "  ".join("─" * width for width in widths)
    body = [line(row) for row in rows]
    if rows[-1][0] == "Total":
        body.insert(-1, rule)
    print("\n".join([line(header), rule, *body]))


if __name__ == "__main__":
    main()
