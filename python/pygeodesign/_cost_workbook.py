"""`CostReport.to_excel`: a workbook whose formulas follow the cost rules, so that you can try other rates in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygeodesign._core import _missing_extra

try:
    import xlsxwriter
    from xlsxwriter.utility import xl_rowcol_to_cell
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

if TYPE_CHECKING:
    from pathlib import Path

    from pygeodesign._core import CostReport

NOTES = [
    ("Where the figures come from", "Sizes and costs are those of the project when the workbook was made."),
    ("What to change", "Rates and budgets on the sheet Rates, overrides on the sheet Diagrams; the rest follows."),
    ("System", "One of the themes of the project, with its rate and its budget."),
    ("Diagram", "One idea on the map. Its id is the one that it has in the project."),
    ("Project, policy", "A project is built and has a cost; a policy costs nothing unless it has a total of its own."),
    ("Rate", "What a hectare costs, or a kilometre of a diagram that has only lines."),
    ("Override", "Of the type total, it is the cost; of the type rate, it replaces the rate of the system."),
    ("Cost", "The total; else 0 for a policy; else the rate times the hectares, or kilometres without any."),
    ("Sum", "Of all diagrams that are known: where two overlap, both count. Empty where none is known."),
    ("Size", "Geodesic on the WGS 84 ellipsoid. Where it is not known, neither is a cost that follows from it."),
]


def write(report: CostReport, path: str | Path, title: str, currency: str) -> None:
    """Writes the workbook. Titles stay text, whatever they begin with."""
    workbook = xlsxwriter.Workbook(path, {"strings_to_formulas": False, "strings_to_urls": False})
    workbook.set_properties({"title": title})
    sheets = _Sheets(workbook, title, currency)
    # The sheet to edit comes first.
    sheets.rates(report)
    sheets.diagrams(report)
    sheets.systems(report)
    sheets.notes()
    try:
        workbook.close()
    except xlsxwriter.exceptions.FileCreateError as error:
        raise error.args[0] if error.args and isinstance(error.args[0], OSError) else OSError(str(error)) from error


class _Sheets:
    def __init__(self, workbook: Any, title: str, currency: str) -> None:
        self.workbook, self.title = workbook, title
        unit = ' "{}"'.format(currency.replace('"', "'")) if currency else ""
        self.money = workbook.add_format({"num_format": f"#,##0{unit}"})
        # A rate of 0.4 is not 0.
        self.rate = workbook.add_format({"num_format": f"[>=1000]#,##0{unit};General{unit}"})
        self.input = workbook.add_format({"num_format": "#,##0.######", "bg_color": "#FFF7D6"})
        self.size = workbook.add_format({"num_format": "#,##0.0"})
        self.head = workbook.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self.wrapped = workbook.add_format({"text_wrap": True, "valign": "top"})

    def _sheet(self, name: str, columns: dict[str, int]) -> Any:
        sheet = self.workbook.add_worksheet(name)
        for place, (heading, width) in enumerate(columns.items()):
            sheet.set_column(place, place, width)
            sheet.write_string(0, place, heading, self.head)
        sheet.freeze_panes(1, 0)
        sheet.repeat_rows(0)
        sheet.set_paper(9)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        # In headers, & starts a code.
        sheet.set_header("&L" + self.title[:120].replace("&", "&&"))
        sheet.set_footer("&R&P / &N")
        return sheet

    def rates(self, report: CostReport) -> None:
        sheet = self._sheet("Rates", {"System id": 10, "System": 32, "Rate per ha, km or piece": 22, "Budget": 20})
        rates = {row["sysid"]: row["rate"] for row in report.diagrams if row["rate_source"] == "system"}
        for line, row in enumerate(report.systems, 1):
            sheet.write_number(line, 0, row["sysid"])
            sheet.write_string(line, 1, row["name"])
            _number(sheet, line, 2, rates.get(row["sysid"]), self.input)
            _number(sheet, line, 3, row["budget"], self.input)
        self.last_rate = len(report.systems) + 1

    def diagrams(self, report: CostReport) -> None:
        columns = {"Id": 9, "Title": 48, "System id": 9, "System": 28, "Kind": 10, "Hectares": 12, "Kilometres": 12}
        columns |= {"Pieces": 9, "Override type": 10, "Override": 16, "Rate": 14, "Cost": 20}
        sheet = self._sheet("Diagrams", columns)
        names = {row["sysid"]: row["name"] for row in report.systems}
        for line, row in enumerate(report.diagrams, 1):
            sheet.write_number(line, 0, row["diagramid"])
            sheet.write_string(line, 1, row["description"] or "")
            _number(sheet, line, 2, row["sysid"], None)
            sheet.write_string(line, 3, names.get(row["sysid"] or 0) or "")
            sheet.write_string(line, 4, row["kind"] or "not known")
            _number(sheet, line, 5, row["area_ha"], self.size)
            _number(sheet, line, 6, row["length_km"], self.size)
            _number(sheet, line, 7, row["pieces"], None)
            kind = {"total": "total", "override": "rate"}.get(row["rate_source"], "")
            sheet.write_string(line, 8, kind, self.input)
            value = row["cost"] if kind == "total" else row["rate"] if kind == "rate" else None
            _number(sheet, line, 9, value, self.input)
            if row["rate_source"] == "unknown":
                # The row has an error: no formula prices it.
                continue
            _rate, _cost = self._formulas(line)
            cached = row["rate"] if row["rate_source"] in ("system", "override") else None
            sheet.write_formula(line, 10, _rate, self.rate, "" if cached is None else cached)
            sheet.write_formula(line, 11, _cost, self.money, "" if row["cost"] is None else row["cost"])
        self.last_diagram = len(report.diagrams) + 1
        if report.diagrams:
            sheet.autofilter(0, 0, len(report.diagrams), 11)

    def _formulas(self, line: int) -> tuple[str, str]:
        """The rate and the cost of the diagram in this line. An empty string is an unknown value."""
        system, kind, hectares, kilometres, pieces, override, value, rate = (
            xl_rowcol_to_cell(line, column) for column in (2, 4, 5, 6, 7, 8, 9, 10)
        )
        last = self.last_rate
        of_system = f"SUMIFS(Rates!$C$2:$C${last},Rates!$A$2:$A${last},{system})"
        has_rate = f'COUNTIFS(Rates!$A$2:$A${last},{system},Rates!$C$2:$C${last},">=0")'
        of_diagram = f'IF({override}="rate",{value},IF({has_rate}=0,"",{of_system}))'
        extent = f"IF(N({hectares})>0,{hectares},IF(N({kilometres})>0,{kilometres},N({pieces})))"
        cost = f'IF({rate}="","",IF({rate}=0,0,IF(ISNUMBER({hectares}),{rate}*{extent},"")))'
        return (
            f'=IF(OR({override}="total",{kind}="policy"),"",{of_diagram})',
            f'=IF({override}="total",{value},IF({kind}="policy",0,{cost}))',
        )

    def systems(self, report: CostReport) -> None:
        columns = {"System id": 10, "System": 32, "Diagrams": 10, "Hectares, summed": 14, "Cost": 22, "Budget": 22}
        sheet = self._sheet("Systems", columns | {"Left (negative: over)": 22})
        last = max(self.last_diagram, 2)
        known = {row["sysid"] for row in report.diagrams if row["area_ha"] is not None}
        priced = {row["sysid"] for row in report.diagrams if row["cost"] is not None}
        for line, row in enumerate(report.systems, 1):
            own = f"Diagrams!$C$2:$C${last},A{line + 1}"

            def sum_of(column: str, own: str = own, line: int = line) -> str:
                """The sum of the known values; an empty string if there are diagrams but no known value."""
                values = f"Diagrams!${column}$2:${column}${last}"
                return f'=IF(AND(C{line + 1}>0,COUNTIFS({own},{values},">-1E+300")=0),"",SUMIFS({values},{own}))'

            sheet.write_number(line, 0, row["sysid"])
            sheet.write_string(line, 1, row["name"])
            sheet.write_formula(line, 2, f"=COUNTIFS({own})", None, row["diagrams"])
            area = row["area_ha"] if row["sysid"] in known or not row["diagrams"] else ""
            cost = row["cost"] if row["sysid"] in priced or not row["diagrams"] else ""
            sheet.write_formula(line, 3, sum_of("F"), self.size, area)
            sheet.write_formula(line, 4, sum_of("L"), self.money, cost)
            budget, left = row["budget"], None if cost == "" else row["budget_left"]
            place = f"Rates!$D${line + 1}"
            sheet.write_formula(line, 5, f'=IF({place}="","",{place})', self.money, "" if budget is None else budget)
            formula = f'=IF(OR({place}="",E{line + 1}=""),"",{place}-E{line + 1})'
            sheet.write_formula(line, 6, formula, self.money, "" if left is None else left)
        count = len(report.systems)
        sheet.write_string(count + 1, 1, "Total", self.head)
        for column, letter, total in ((2, "C", len(report.diagrams)), (4, "E", report.total)):
            style = None if column == 2 else self.money
            cells = f"{letter}2:{letter}{count + 1}"
            formula = f'=IF(COUNT({cells})=0,"",SUM({cells}))' if count else "=0"
            sheet.write_formula(count + 1, column, formula, style, total if priced or not report.diagrams else "")

    def notes(self) -> None:
        sheet = self._sheet("Notes", {"Word": 30, "Meaning": 100})
        for line, (word, meaning) in enumerate([("Report", self.title), *NOTES], 1):
            sheet.write_string(line, 0, word, self.wrapped)
            sheet.write_string(line, 1, meaning, self.wrapped)


def _number(sheet: Any, line: int, column: int, value: float | None, style: Any) -> None:
    """A number; an empty cell if it is unknown."""
    if value is None:
        sheet.write_blank(line, column, None, style)
    else:
        sheet.write_number(line, column, value, style)
