"""A `CostReport` as rows, as frames, as a picture."""

from collections.abc import Iterator
from typing import Literal

import matplotlib.pyplot as plt
import pandas as pd
import polars as pl
import pytest

from pygeodesign import CostReport, InputError, Project

Rows = Literal["systems", "diagrams"]


@pytest.fixture(scope="module")
def report(project: Project) -> CostReport:
    return project.costs()


@pytest.fixture
def pictures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.mark.parametrize("rows", ["systems", "diagrams"])
def test_a_frame_has_the_rows_and_their_fields(rows: Rows, report: CostReport) -> None:
    records = getattr(report, rows)
    frame = report.to_pandas(rows)
    assert list(frame.columns) == list(records[0])
    pd.testing.assert_frame_equal(frame, pd.DataFrame(records))


def test_systems_are_the_frame_by_default(report: CostReport) -> None:
    pd.testing.assert_frame_equal(report.to_pandas(), report.to_pandas("systems"))


@pytest.mark.parametrize("rows", ["systems", "diagrams"])
def test_a_report_of_nothing_has_the_same_columns(rows: Rows, report: CostReport, project: Project) -> None:
    assert list(project.costs(diagrams=[]).to_pandas(rows).columns) == list(report.to_pandas(rows).columns)


def test_other_rows_are_an_input_error(report: CostReport) -> None:
    with pytest.raises(InputError, match="teams"):
        report.to_pandas("teams")  # type: ignore[arg-type]


def test_readers_of_arrow_take_the_systems(report: CostReport) -> None:
    assert pl.DataFrame(report).to_dicts() == report.systems


def test_a_changed_row_changes_nothing_else(report: CostReport) -> None:
    total = report.total
    report.systems[0]["cost"] = 0.0
    assert report.systems[0]["cost"] != 0
    assert report.total == total


@pytest.mark.usefixtures("pictures")
def test_a_plot_shows_every_system(report: CostReport) -> None:
    axes = report.plot()
    axes.figure.canvas.draw()
    shown = {text.get_text() for text in [*axes.get_yticklabels(), *axes.get_xticklabels()]}
    assert {row["name"] for row in report.systems} <= shown


@pytest.mark.usefixtures("pictures")
def test_a_plot_goes_where_it_is_told(report: CostReport) -> None:
    _, axes = plt.subplots()
    assert report.plot(ax=axes) is axes


def test_the_repr_is_a_line(report: CostReport) -> None:
    assert repr(report) == f"<CostReport: 9 systems, 180 diagrams, total {report.total:.0f}>"
