"""A `CostReport` as lists of dicts, as data frames and as a plot."""

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
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.mark.parametrize("rows", ["systems", "diagrams"])
def test_a_data_frame_has_the_rows_and_fields_of_the_report(rows: Rows, report: CostReport) -> None:
    records = getattr(report, rows)
    frame = report.to_pandas(rows)
    expected = pd.DataFrame(records).rename(columns={"description": "title"})
    assert list(frame.columns) == list(expected.columns)
    pd.testing.assert_frame_equal(frame, expected)


def test_to_pandas_gives_the_systems_by_default(report: CostReport) -> None:
    pd.testing.assert_frame_equal(report.to_pandas(), report.to_pandas("systems"))


@pytest.mark.parametrize("rows", ["systems", "diagrams"])
def test_the_data_frame_of_an_empty_report_has_the_same_columns(
    rows: Rows, report: CostReport, project: Project
) -> None:
    assert list(project.costs(diagrams=[]).to_pandas(rows).columns) == list(report.to_pandas(rows).columns)


def test_to_pandas_of_unknown_rows_is_an_input_error(report: CostReport) -> None:
    with pytest.raises(InputError, match="teams"):
        report.to_pandas("teams")  # type: ignore[arg-type]


def test_polars_reads_the_systems_as_an_arrow_stream(report: CostReport) -> None:
    assert pl.DataFrame(report).to_dicts() == report.systems


def test_changing_a_returned_row_does_not_change_the_report(report: CostReport) -> None:
    total = report.total
    report.systems[0]["cost"] = 0.0
    assert report.systems[0]["cost"] != 0
    assert report.total == total


@pytest.mark.usefixtures("closed_figures")
def test_a_plot_shows_every_system(report: CostReport) -> None:
    axes = report.plot()
    axes.figure.canvas.draw()
    shown = {text.get_text() for text in [*axes.get_yticklabels(), *axes.get_xticklabels()]}
    assert {row["name"] for row in report.systems} <= shown


@pytest.mark.usefixtures("closed_figures")
def test_a_plot_is_drawn_on_the_given_axes(report: CostReport) -> None:
    _, axes = plt.subplots()
    assert report.plot(ax=axes) is axes


def test_the_repr_is_one_line_with_counts_and_total(report: CostReport) -> None:
    assert repr(report) == f"<CostReport: 9 systems, 180 diagrams, total {report.total / 1e9:.1f} bn>"
