"""Libraries for frames read collections, cost reports and our files: polars, narwhals, DuckDB, pandas, PyArrow."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pygeodesign import Project

Rows = Callable[[Path], int]


def rows_of_polars(path: Path) -> int:
    polars = pytest.importorskip("polars")
    return int((polars.read_parquet if path.suffix == ".parquet" else polars.read_csv)(path).height)


def rows_of_duckdb(path: Path) -> int:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        return int(connection.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchall()[0][0])


def rows_of_pandas(path: Path) -> int:
    pandas = pytest.importorskip("pandas", minversion="3")
    return len((pandas.read_parquet if path.suffix == ".parquet" else pandas.read_csv)(path))


def rows_of_pyarrow(path: Path) -> int:
    parquet = pytest.importorskip("pyarrow.parquet")
    return int(parquet.read_table(path).num_rows)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("diagrams.parquet", rows_of_polars),
        ("diagrams.parquet", rows_of_duckdb),
        ("diagrams.parquet", rows_of_pandas),
        ("diagrams.parquet", rows_of_pyarrow),
        ("diagrams.csv", rows_of_polars),
        ("diagrams.csv", rows_of_pandas),
    ],
)
def test_a_file_has_each_feature(name: str, rows: Rows, project: Project, tmp_path: Path) -> None:
    diagrams = project.diagrams()
    diagrams.to_file(tmp_path / name)
    assert rows(tmp_path / name) == len(diagrams)


def test_narwhals_takes_a_collection_and_a_report(project: Project) -> None:
    narwhals = pytest.importorskip("narwhals")
    diagrams, report = project.diagrams(), project.costs()
    assert narwhals.from_arrow(diagrams, backend="pyarrow").shape[0] == len(diagrams)
    systems = narwhals.from_native(report.to_pandas())
    assert systems["cost"].sum() == pytest.approx(report.total)


def test_duckdb_sums_the_arrow_table_of_a_report(project: Project) -> None:
    duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    report = project.costs()
    with duckdb.connect() as connection:
        connection.register("costs", pyarrow.table(report))
        ((total,),) = connection.execute("SELECT sum(cost) FROM costs").fetchall()
    assert total == pytest.approx(report.total)


def test_a_frame_of_pandas_3_goes_to_polars_and_back(project: Project) -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas", minversion="3")
    frame = project.costs().to_pandas()
    pandas.testing.assert_frame_equal(polars.from_pandas(frame).to_pandas(), frame, check_dtype=False)
