"""A program that reads one file with GDAL or pyarrow, and writes its features as a file of Arrow.

A library that reads what somebody else made can go on forever, or take all memory. A process of its own can be ended
from outside, and has a limit of memory. `_file_reader` starts it with a request, as JSON, ends it in time, and reads
what it wrote.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

# As texts and numbers of Arrow, of which geometries are WKB.
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
# A file unpacks to at most so many times its bytes, or to so many bytes.
MAX_RATIO = 100
UNPACKED_ANYWAY = 64 * 1024 * 1024
MAX_FEATURES = 1_000_000
# Readers take long for each column, however few rows there are.
MAX_COLUMNS = 4_096
# Of the text in a file that tells its CRS, which has some thousand characters.
MAX_CRS_CHARACTERS = 256 * 1024
# Of the process, where the system keeps to it: on Linux.
MAX_MEMORY = 4 * 1024 * 1024 * 1024
# A batch is checked after it was read, so it must not be large.
FEATURES_IN_A_BATCH = 256
# In these, no more than a thousand geometries are one inside the other.
SHALLOW_WKB_BYTES = 10_000
GEOMETRY = "geometry"
# What GDAL makes of the bounds of each feature in GML.
BOUNDS = {"lowerCorner", "upperCorner"}


class Request(NamedTuple):
    """What to read."""

    # For GDAL or pyarrow.
    name: str
    # How errors call the file.
    label: str
    file_format: str
    layer: str | None
    # The file to write.
    target: str
    # Of the file.
    size: int
    # Of a processor, once the libraries are there.
    seconds: float


class RefusedError(Exception):
    """The user can do something about it; the text says what."""

    def __init__(self, text: str, layers: list[str] | None = None) -> None:
        super().__init__(text)
        # Of a file with several, of which none was named.
        self.layers = layers


class Opened(NamedTuple):
    # A schema and batches of pyarrow, which is imported only where it is needed.
    schema: Any
    batches: Iterator[Any]


def main() -> None:
    request = Request(**json.loads(sys.argv[1]))
    limit_memory()
    _import_libraries()
    _limit_time(request.seconds)
    # From here on the time counts.
    print("ready", flush=True)
    response: dict[str, Any]
    try:
        response = {"times": _read(request)}
    except RefusedError as refused:
        response = {"refused": str(refused), "layers": refused.layers}
    # Drivers of GDAL and readers of Parquet have errors of many classes.
    except Exception as problem:
        response = {"problem": str(problem) or type(problem).__name__}
    print(json.dumps(response))


def limit_memory() -> None:
    try:
        import resource
    except ImportError:
        # Windows.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MAX_MEMORY if hard == resource.RLIM_INFINITY else min(MAX_MEMORY, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):
        # macOS may refuse any.
        return


def _limit_time(seconds: float) -> None:
    """Have the system end this process after so many seconds of a processor, however busy the machine is."""
    try:
        import resource
    except ImportError:
        # Windows.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(time.process_time() + seconds)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    except (OSError, ValueError):
        # The time that its parent waits is a limit, too.
        return


def _import_libraries() -> None:
    # pyogrio imports these if they are there, which takes most of the time, and nothing here needs them.
    for unneeded in ("geopandas", "pandas", "shapely", "pyproj"):
        sys.modules.setdefault(unneeded, None)  # type: ignore[arg-type]
    import pyarrow.parquet  # noqa: F401
    import pyogrio  # noqa: F401


def _read(request: Request) -> list[str]:
    """Write the features, and return the names of the columns that have times, as text."""
    import pyarrow

    opened = _opened_parquet(request) if request.file_format == "Parquet" else _opened_layer(request)
    with opened as (schema, batches, times):
        kept: list[Any] = []
        features = size = 0
        for batch in batches:
            features += batch.num_rows
            _check_features(request.label, features)
            size += batch.nbytes
            _check_unpacked(request, size)
            kept.append(batch)
        table = pyarrow.Table.from_batches(kept, schema)
    options = pyarrow.ipc.IpcWriteOptions(unify_dictionaries=True)
    with pyarrow.ipc.new_file(request.target, table.schema, options=options) as writer:
        writer.write_table(table)
    return times


def _check_unpacked(request: Request, size: int) -> None:
    limit = min(MAX_UNPACKED_BYTES, max(UNPACKED_ANYWAY, MAX_RATIO * request.size))
    if size > limit:
        raise RefusedError(
            f"{request.label} unpacks to more than {limit:,} bytes, the most for a file of its size. Divide it"
        )


def _check_features(label: str, features: int) -> None:
    if features > MAX_FEATURES:
        raise RefusedError(too_many_features(label, features))


def too_many_features(label: str, features: int) -> str:
    return f"{label} has {features:,} features; of a file {MAX_FEATURES:,} are read. Divide it"


def _check_columns(label: str, columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise RefusedError(too_many_columns(label, columns))


def too_many_columns(label: str, columns: int) -> str:
    return f"{label} has {columns:,} columns; of a file {MAX_COLUMNS:,} are read. Leave some out"


def _check_crs_size(label: str, crs: str | bytes | None) -> None:
    if len(crs or b"") > MAX_CRS_CHARACTERS:
        raise RefusedError(
            f"{label} has {len(crs or b''):,} characters about its CRS; {MAX_CRS_CHARACTERS:,} are read. Save it in a "
            "CRS of the EPSG registry"
        )


@contextmanager
def _opened_parquet(request: Request) -> Iterator[tuple[Any, Iterator[Any], list[str]]]:
    import pyarrow.parquet

    limits = {"thrift_string_size_limit": 64 << 20, "thrift_container_size_limit": 1_000_000}
    with pyarrow.parquet.ParquetFile(request.name, **limits) as file:
        _check_features(request.label, file.metadata.num_rows)
        _check_columns(request.label, file.metadata.num_columns)
        _check_crs_size(request.label, (file.metadata.metadata or {}).get(b"geo"))
        groups = range(file.metadata.num_row_groups)
        _check_unpacked(request, sum(file.metadata.row_group(group).total_byte_size for group in groups))
        batches = file.iter_batches(FEATURES_IN_A_BATCH, use_threads=False)
        yield file.schema_arrow, _parsed_here_first(batches), []


def _parsed_here_first(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of which long WKB was parsed once: geometries in geometries may be so many that they end the process."""
    import pyarrow.compute

    for batch in batches:
        for column in batch.columns:
            values = column.dictionary if pyarrow.types.is_dictionary(column.type) else column
            if pyarrow.types.is_binary(values.type) or pyarrow.types.is_large_binary(values.type):
                lengths = pyarrow.compute.binary_length(values).to_pylist()
                long = [row for row, length in enumerate(lengths) if (length or 0) > SHALLOW_WKB_BYTES]
                if long:
                    _parse_wkb([values[row].as_py() for row in long])
        yield batch


def _parse_wkb(values: list[bytes]) -> None:
    for name in ("pyproj", "shapely"):
        if sys.modules.get(name, sys) is None:
            del sys.modules[name]
    import shapely

    shapely.from_wkb(values, on_invalid="ignore")


@contextmanager
def _opened_layer(request: Request) -> Iterator[tuple[Any, Iterator[Any], list[str]]]:
    """The schema of a layer with the metadata of GeoParquet, its batches, and its columns with times."""
    import pyarrow
    import pyogrio

    layers = pyogrio.list_layers(request.name)
    if len(layers) == 0:
        raise ValueError("its header is damaged")
    layer = chosen_layer(request.label, request.layer, layers)
    told = pyogrio.read_info(request.name, layer=layer)
    if told["driver"] != request.file_format:
        raise ValueError(f"GDAL takes it for {told['driver']}, not for {request.file_format}")
    _check_features(request.label, told["features"])
    _check_columns(request.label, len(told["fields"]))
    _check_crs_size(request.label, told["crs"])
    # Arrow has one time zone for a column, and a file one for each time.
    times = [name for name, dtype in zip(told["fields"], told["dtypes"], strict=True) if "datetime" in dtype]
    with pyogrio.open_arrow(
        request.name,
        layer=layer,
        batch_size=FEATURES_IN_A_BATCH,
        use_pyarrow=True,
        datetime_as_string=True,
    ) as (about, reader):
        own_name = about["geometry_name"] or "wkb_geometry"
        unwanted = {GEOMETRY} | (BOUNDS if request.file_format == "GML" else set())
        columns = [name for name in reader.schema.names if name == own_name or name not in unwanted]
        names = [GEOMETRY if name == own_name else name for name in columns]

        def batches() -> Iterator[Any]:
            for batch in reader:
                yield batch.select(columns).rename_columns(names)

        fields = [reader.schema.field(column).with_name(name) for column, name in zip(columns, names, strict=True)]
        crs = about["crs"]
        geo = {
            "version": "1.0.0",
            "primary_column": GEOMETRY,
            "columns": {GEOMETRY: {"encoding": "WKB", "geometry_types": [], "crs": crs}},
        }
        yield pyarrow.schema(fields, {"geo": json.dumps(geo)}), batches(), times


def chosen_layer(label: str, layer: str | None, layers: Any) -> str:
    """The name of the layer to read; `layers` are pairs of name and type.

    The only layer with geometries need not be named. Tables without geometries hold styles and such.
    """
    names = [str(name) for name, kind in layers if kind is not None]
    listed = ", ".join(map(repr, names))
    if layer is not None and layer in names:
        return layer
    if layer is not None:
        raise RefusedError(f"{label} has no layer {layer!r}; its layers are {listed or 'without geometries'}")
    if len(names) == 1:
        return names[0]
    if not names:
        raise RefusedError(f"{label} has no layer with geometries")
    raise RefusedError(
        f"{label} has several layers: {listed}; name one with layer=, or read it with geopandas.read_file(…, layer=…)",
        names,
    )


if __name__ == "__main__":
    main()
