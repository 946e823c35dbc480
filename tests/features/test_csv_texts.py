"""Members' texts stay plain text in other programs: in spreadsheets, and in terminals."""

import csv
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import geopandas as gpd
import openpyxl
import pandas as pd
import pytest
import shapely

from builders import collection, feature, read_collection, square
from commands import arguments_of, environment, output_of, signed_in
from small_project import Workshop

FORMULAS = ['=HYPERLINK("http://x")', "+351 21", "-2", "@SUM(A1)", "\t=1", "\r=1", "'=1", "＝1"]
HARMLESS = ["Parks = 3", "'", "2030-05-01", "-9.2,38.7,-9.1,38.8"]
# Clears the screen, turns the direction of writing.
EVIL = "\x1b[2J\x9b2J\u202egone"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture
def titled(workshop: Workshop) -> Iterator[Workshop]:
    """A project with a diagram of each title."""
    shapes = [shapely.box(-9.2 + step / 500, 38.7, -9.199 + step / 500, 38.701) for step in range(12)]
    frame = gpd.GeoDataFrame({"title": [*FORMULAS, *HARMLESS]}, geometry=shapes, crs=4326)
    workshop.project.add_diagrams("Green", frame, title="title")
    yield workshop


def stored(workshop: Workshop) -> list[str]:
    return [str(row["worlddescription"]) for row in workshop.project.diagrams(fields="summary")]


def test_no_text_in_csv_of_a_command_is_a_formula(titled: Workshop, tmp_path: Path) -> None:
    printed = output_of(tmp_path, "diagrams", "--csv", **signed_in(titled.sandbox, "ana.sousa"))
    titles = [row["worlddescription"] for row in rows(printed)]
    dangerous = [title for title in stored(titled) if title not in HARMLESS]
    assert sorted(titles) == sorted(["'" + title for title in dangerous] + HARMLESS)
    as_they_are = output_of(tmp_path, "diagrams", "--csv", "--unescaped", **signed_in(titled.sandbox, "ana.sousa"))
    assert sorted(row["worlddescription"] for row in rows(as_they_are)) == sorted(stored(titled))


def test_csv_files_have_no_formulas_and_are_read_back_as_they_were(titled: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "diagrams.csv"
    titled.project.diagrams().to_file(path)
    table = pd.read_csv(path, dtype=str)
    others = table[~table["description"].isin(HARMLESS)]
    assert len(others) == len(FORMULAS) and others["description"].str.startswith("'").all()
    # Numbers and geometries are as ever.
    assert table["WKT"].str.startswith("POLYGON").all() and table["diagramid"].str.isdecimal().all()
    before = stored(titled)
    report = titled.project.add_diagrams("Water", path, title="description")
    assert [row["title"] for row in report] == before

    titled.project.diagrams().to_file(path, escape_formulas=False)
    assert FORMULAS[0] in set(pd.read_csv(path, dtype=str)["description"])


def test_a_command_writes_a_csv_file_with_or_without_the_apostrophe(titled: Workshop, tmp_path: Path) -> None:
    for options, start in ([], "'="), (["--unescaped"], "="):
        output_of(tmp_path, "diagrams", "-o", "d.csv", *options, **signed_in(titled.sandbox, "ana.sousa"))
        titles = pd.read_csv(tmp_path / "d.csv", dtype=str)["description"]
        assert titles.str.startswith(start + "HYPERLINK").any()


def test_a_name_of_a_property_is_no_formula_either(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    read_collection(collection(feature(square(0, 0, 1), **{"=1+1": -5}))).to_file(path)
    (row,) = rows(path.read_text())
    assert row["'=1+1"] == "-5"


def test_no_text_in_a_workbook_is_a_formula(titled: Workshop, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"description: the format cannot hold U\+000D; replaced in row"):
        titled.project.diagrams().to_file(tmp_path / "rows.xlsx")
    titled.project.costs().to_excel(tmp_path / "costs.xlsx")
    for name in "rows.xlsx", "costs.xlsx":
        cells = [cell for sheet in openpyxl.load_workbook(tmp_path / name) for row in sheet for cell in row]
        texts = {cell.value: cell.data_type for cell in cells if cell.value in FORMULAS}
        assert len(texts) >= 5 and set(texts.values()) == {"s"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("form", ["--csv", "--json", "table"])
def test_nothing_that_somebody_wrote_acts_on_a_terminal(form: str, workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.add_team(EVIL)
    command = ["teams", *([] if form == "table" else [form])]
    shown = shown_at_a_terminal(tmp_path, *command, **signed_in(workshop.sandbox, "ana.sousa"))
    unseen = [character for character in shown if not character.isprintable() and character not in "\r\n"]
    assert "gone" in shown and set(unseen) <= {"\x1b"}
    # The headings of a table are bold.
    assert shown.replace("\x1b[1m", "").replace("\x1b[0m", "").count("\x1b") == 0


def shown_at_a_terminal(folder: Path, *command: str, **variables: str) -> str:
    import pty

    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(sys.executable, arguments_of(command), environment(folder, **variables))
    shown = b""
    try:
        while read := os.read(terminal, 65_536):
            shown += read
    except OSError:
        # How Linux says that the other end is closed.
        pass
    os.close(terminal)
    assert os.waitpid(process, 0)[1] == 0, shown
    return shown.decode()


def test_errors_and_notes_do_nothing_at_a_terminal(workshop: Workshop, tmp_path: Path) -> None:
    from commands import run

    workshop.project.add_team(EVIL)
    ended = run(tmp_path, "designs", "--team", "none", **signed_in(workshop.sandbox, "ana.sousa"))
    assert ended.code == 4 and "gone" in ended.messages
    assert [character for character in ended.messages if not character.isprintable()] == ["\n"]
