"""Archives of many projects from elsewhere: their faults are reported, and take neither time nor memory."""

import contextlib
import hashlib
import io
import json
import math
import os
import shutil
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow.parquet
import pytest

import pygeodesign
from local_server import LocalServer, QuietHandler
from many_projects import archivist, running_service
from pygeodesign import ArchiveError, InputError, Sandbox
from pygeodesign.many import ProjectsArchive


@pytest.fixture(scope="module")
def several() -> Iterator[Sandbox]:
    with running_service(2) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def archive(several: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    archivist(several).archive_all(folder, progress=False)
    return folder


@pytest.fixture
def copied(archive: Path, tmp_path: Path) -> Path:
    """The folder of a separate archive, to write to."""
    shutil.copytree(archive, tmp_path / "archive")
    return tmp_path / "archive"


def with_fields(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The archive with another entry of its first project in the manifest."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    change(next(iter(manifest["projects"].values())))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def replace_table(folder: Path, table: str, content: bytes) -> Path:
    """The archive with another table of its first project, and the digest that belongs to it."""
    digest = hashlib.sha256(content).hexdigest()

    def change(entry: dict[str, Any]) -> None:
        file = entry["files"][table]
        path = file["path"].rpartition("/")[0] + f"/{table}-{digest[:16]}.parquet"
        (folder / path).write_bytes(content)
        entry["files"][table] = {"path": path, "size": len(content), "sha256": digest}

    return with_fields(folder, change)


def test_every_reader_compares_tables_with_their_digests(copied: Path) -> None:
    (first, *_), (other, *_) = sorted(copied.glob("versions/*/diagrams-*")), sorted(copied.glob("versions/*/systems-*"))
    first.unlink()
    first.write_bytes(other.read_bytes())
    projects = pygeodesign.read_archive(copied)
    for read in (projects.to_geopandas, projects.duckdb):
        with pytest.raises(ArchiveError, match="its digest differs from the one in the manifest"):
            read()


def test_a_condition_reads_nothing_but_the_archive(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    secret_frame = pd.DataFrame({"a": [1]})
    assert len(secret_frame) == 1
    projects = pygeodesign.read_archive(copied)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for condition in (
        f"(SELECT count(*) FROM read_csv('{tmp_path}/secret.csv')) > 0",
        f"(SELECT count(*) FROM '{tmp_path}/secret.csv') > 0",
        f"(SELECT count(*) FROM glob('{tmp_path}/*')) > 0",
        "(SELECT count(*) FROM read_text('http://127.0.0.1:9/')) > 0",
        "(SELECT count(*) FROM secret_frame) > 0",
        f"true); COPY (SELECT 1) TO '{tmp_path}/written.csv'; SELECT (1",
        "true); SET enable_external_access = true; SELECT (1",
    ):
        with pytest.raises(InputError, match="where is"):
            projects.to_geopandas(where=condition)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(projects.to_geopandas(where="project IN (SELECT project FROM projects)")) > 0


@pytest.mark.parametrize(
    "content", [b"", b"PAR1 no table PAR1", pytest.param("other columns", id="other columns")], ids=repr
)
def test_a_table_that_is_none_is_an_error_of_the_archive(content: bytes | str, copied: Path) -> None:
    if isinstance(content, str):
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table({"cost": ["many"], "geometry": [b"none"]}), buffer)
        content = buffer.getvalue()
    for table in ("costs", "diagrams"):
        projects = pygeodesign.read_archive(replace_table(copied, table, content))
        with pytest.raises(ArchiveError):
            projects.costs() if table == "costs" else projects.to_geopandas()


def test_a_table_of_very_many_rows_is_refused_before_it_is_read(copied: Path) -> None:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"cost": pyarrow.nulls(2_000_000, pyarrow.float64())}), buffer)
    replace_table(copied, "costs", buffer.getvalue())
    with pytest.raises(ArchiveError, match="2000000 rows"):
        pygeodesign.read_archive(copied).costs()


@pytest.mark.parametrize(
    "fields",
    [
        {"bounds": [1, 2, 3]},
        {"bounds": "east"},
        {"bounds": ["a", "b", "c", "d"]},
        {"columns": []},
        {"counts": {"diagrams": "many"}},
        {"etags": None},
        {"published": 1},
        {"source": 1},
        {"changeid": None},
        {"files": []},
        {"unknown": 1},
        {"columns": {"a": [1]}},
        {"columns": {"a": math.inf}},
        {"columns": {"a": "\ud800"}},
        {"columns": {"\ud800": 1}},
        {"source": "\ud800"},
    ],
    ids=ascii,
)
def test_an_entry_of_other_types_is_an_error_of_the_archive(fields: dict[str, Any], copied: Path) -> None:
    with pytest.raises(ArchiveError, match=r"manifest\.json in .* is damaged"):
        pygeodesign.read_archive(with_fields(copied, lambda entry: entry.update(fields)))


@pytest.mark.parametrize("digest", ["../../../../etc", "*" * 64, "A" * 64, ""])
def test_a_digest_is_hexadecimal(digest: str, copied: Path) -> None:
    def change(entry: dict[str, Any]) -> None:
        folder = entry["files"]["costs"]["path"].rpartition("/")[0]
        entry["files"]["costs"] |= {"sha256": digest, "path": f"{folder}/costs-{digest[:16]}.parquet"}

    with pytest.raises(ArchiveError, match="not a SHA-256 digest"):
        pygeodesign.read_archive(with_fields(copied, change))


@pytest.mark.parametrize("path", ["../outside", "versions/../outside", "versions", "/etc/hosts", "versions/./a"])
def test_no_unused_file_is_outside_of_the_archive(path: str, copied: Path, several: Sandbox) -> None:
    """Files that were unused for an hour are removed."""
    manifest = json.loads((copied / "manifest.json").read_bytes())
    manifest["unused"] = {path: "2000-01-01T00:00:00+00:00"}
    (copied / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ArchiveError, match="not the name of an unused file"):
        archivist(several).archive_all(copied, progress=False)


@pytest.mark.parametrize("content", [b"[" * 200_000, b"[" + b"[]," * 3_000_000 + b"0]"], ids=["levels", "values"])
def test_a_manifest_of_too_much_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ArchiveError, match=r"manifest\.json in"):
        pygeodesign.read_archive(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_in_place_of_a_manifest_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(ArchiveError, match="not a regular file"):
        pygeodesign.read_archive(tmp_path)


def test_a_manifest_of_very_many_columns_is_refused(copied: Path) -> None:
    columns = {f"column {number}": number for number in range(257)}
    with pytest.raises(ArchiveError, match="more than 256 columns"):
        pygeodesign.read_archive(with_fields(copied, lambda entry: entry["columns"].update(columns)))


@pytest.mark.parametrize("since", ["yesterday", "2000-01-01T00:00:00"])
def test_the_time_of_an_unused_file_has_a_zone(since: str, copied: Path) -> None:
    manifest = json.loads((copied / "manifest.json").read_bytes())
    manifest["unused"] = {"versions/old.parquet": since}
    (copied / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ArchiveError, match=r"manifest\.json in .* is damaged"):
        pygeodesign.read_archive(copied)


def parquet(table: pyarrow.Table, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd", **options)
    return buffer.getvalue()


REPEATED = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 100_000, pyarrow.int32()), ["x" * 10_000])
BOMBS: dict[str, Callable[[], bytes]] = {
    "a text that every row repeats": lambda: parquet(pyarrow.table({"name": REPEATED}), store_schema=False),
    "a text that continues the one before": lambda: parquet(
        pyarrow.table({"name": ["x" * 10_000] * 1_000}), use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY"
    ),
    "bytes of a fixed length": lambda: parquet(pyarrow.table({"name": pyarrow.array([b"xx"], pyarrow.binary(2))})),
    "texts in lists": lambda: parquet(pyarrow.table({"name": [["x"]]})),
    "one list of very many numbers": lambda: parquet(
        pyarrow.table(
            {"name": pyarrow.ListArray.from_arrays([0, 60_000_000], pyarrow.nulls(60_000_000, pyarrow.int8()))}
        )
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_table_that_takes_far_more_memory_than_its_bytes_is_refused(bomb: str, copied: Path) -> None:
    content = BOMBS[bomb]()
    assert len(content) < 1_000_000
    reading: list[tuple[str, Callable[[ProjectsArchive], object]]] = [
        ("designs", ProjectsArchive.duckdb),
        ("costs", ProjectsArchive.costs),
        ("diagrams", ProjectsArchive.to_geopandas),
    ]
    for table, read in reading:
        projects = pygeodesign.read_archive(replace_table(copied, table, content))
        with pytest.raises(ArchiveError, match=rf"{table}-\w+\.parquet in .* is refused"):
            read(projects)


def test_a_bucket_is_asked_for_no_more_bytes_than_are_read(copied: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    files.put(str(copied), "/asked", recursive=True)
    asked: list[Any] = []
    cat_file = files.cat_file

    def noted(path: str, start: int | None = None, end: int | None = None, **options: Any) -> Any:
        asked.append(end)
        return cat_file(path, start, end, **options)

    with patch.object(files, "cat_file", noted):
        assert len(pygeodesign.read_archive("memory://asked").costs()) > 0
    assert len(asked) > 1 and None not in asked
    files.rm("/asked", recursive=True)


def with_geometries(folder: Path, content: bytes) -> str:
    """Replaces all geometries of the first project; the name of its table."""
    first = next(iter(json.loads((folder / "manifest.json").read_bytes())["projects"].values()))
    table = pyarrow.parquet.read_table(folder / first["files"]["diagrams"]["path"])
    place = table.column_names.index("geometry")
    geometries = pyarrow.array([content] * len(table), pyarrow.binary())
    replace_table(folder, "diagrams", parquet(table.set_column(place, table.schema.field(place), geometries)))
    entries = json.loads((folder / "manifest.json").read_bytes())["projects"].values()
    return str(next(iter(entries))["files"]["diagrams"]["path"])


RING = struct.pack("<BIII6d", 1, 3, 1, 3, 0, 0, 1, 0, 1, 1)


@pytest.mark.parametrize(
    "content", [b"junk", b"", struct.pack("<BII", 1, 8, 0), RING], ids=["junk", "empty", "curve", "ring"]
)
def test_a_table_with_bad_geometries_is_named_and_not_the_condition(content: bytes, copied: Path) -> None:
    name = with_geometries(copied, content)
    projects = pygeodesign.read_archive(copied)
    reads: list[Callable[[], object]] = [
        projects.to_geopandas,
        lambda: projects.to_geopandas(where="cost > 1"),
        lambda: projects.to_geopandas(bounds=(-180, -90, 180, 90)),
    ]
    # DuckDB reads a ring that is not closed as it is.
    reads += [] if content == RING else [projects.duckdb]
    for read in reads:
        with pytest.raises(ArchiveError, match=f"{name} in .* is not a readable table; get the archive again"):
            read()


def test_tables_that_do_not_fit_together_are_told_before_a_question_is_asked(copied: Path) -> None:
    first = next(iter(json.loads((copied / "manifest.json").read_bytes())["projects"].values()))
    table = pyarrow.parquet.read_table(copied / first["files"]["systems"]["path"])
    replace_table(copied, "systems", parquet(table.append_column("more", pyarrow.array(["more"] * len(table)))))
    with pytest.raises(ArchiveError, match="do not fit together"):
        pygeodesign.read_archive(copied).duckdb()


@pytest.mark.slow
def test_an_archive_without_its_files_is_reported_at_once_for_any_number_of_projects(copied: Path) -> None:
    manifest = json.loads((copied / "manifest.json").read_bytes())
    projectid, entry = next(iter(manifest["projects"].items()))
    text = json.dumps(entry)
    names = (f"{number:016d}" for number in range(20_000))
    manifest["projects"] = {name: json.loads(text.replace(projectid, name)) for name in names}
    (copied / "manifest.json").write_text(json.dumps(manifest))
    projects = pygeodesign.read_archive(copied)
    started = time.monotonic()
    with pytest.raises(ArchiveError, match="any more"):
        projects.duckdb()
    assert time.monotonic() - started < 2


def test_of_a_web_server_that_sends_more_no_more_is_read(copied: Path) -> None:
    """It ignores which bytes are asked for, and its files have no end."""
    manifest = json.loads((copied / "manifest.json").read_bytes())
    manifest_bytes = (copied / "manifest.json").read_bytes()
    project = manifest["projects"][min(manifest["projects"])]
    sent = 0

    class WithoutEnd(QuietHandler):
        # The body ends with the connection.
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:  # noqa: N802
            nonlocal sent
            self.send_response(200)
            self.end_headers()
            if self.path.endswith("/manifest.json"):
                self.wfile.write(manifest_bytes)
                return
            with contextlib.suppress(OSError):
                while sent < 1_000_000_000:
                    self.wfile.write(bytes(1_000_000))
                    sent += 1_000_000

    with LocalServer(WithoutEnd) as server:
        projects = pygeodesign.read_archive(f"{server.origin}/archive")
        assert len(projects) == len(manifest["projects"])
        for read in (projects.costs, lambda: projects.open(min(manifest["projects"]))):
            with pytest.raises(ArchiveError, match=r"more than the \d+ bytes that the manifest lists"):
                read()
    assert project["files"]["project"]["size"] < sent < 200_000_000
