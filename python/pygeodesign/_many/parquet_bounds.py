"""Limits the memory that a Parquet file may take, found from its footer before reading."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

MAX_ROWS = 1_000_000
# Tables have at most forty columns; readers take memory for each, however few rows there are.
MAX_COLUMNS = 256
# In all columns; a list has several values per row.
MAX_VALUES = 50_000_000
MAX_RATIO = 100
UNPACKED_ANYWAY = 64 * 1024 * 1024
# The encodings that `archive_all` writes. Others repeat parts of the previous string.
_ENCODINGS = {"PLAIN", "PLAIN_DICTIONARY", "RLE", "RLE_DICTIONARY"}
# For a string that a column's dictionary holds once and many rows repeat.
_ROWS_IN_A_BATCH = 65_536


class TooMuchError(Exception):
    """A table that takes too much memory; the message names the reason."""


def check_table(content: bytes) -> None:
    """Raises `TooMuchError` for a table that takes far more memory than its bytes, another error if not a table."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(io.BytesIO(content))
    if metadata.num_columns > MAX_COLUMNS:
        raise TooMuchError(f"it has {metadata.num_columns} columns; a table may have at most {MAX_COLUMNS}")
    if metadata.num_rows > MAX_ROWS:
        raise TooMuchError(f"it has {metadata.num_rows} rows; a table may have at most {MAX_ROWS}")
    most_unpacked = max(UNPACKED_ANYWAY, MAX_RATIO * len(content))
    unpacked = values = most_repeated = 0
    repeated: set[str] = set()
    for chunk in _chunks(metadata):
        if chunk.physical_type == "FIXED_LEN_BYTE_ARRAY" or (chunk.physical_type == "BYTE_ARRAY" and _is_nested(chunk)):
            raise TooMuchError(f"the column {chunk.path_in_schema} has a type that tables do not use")
        if not _ENCODINGS.issuperset(chunk.encodings):
            raise TooMuchError(f"the column {chunk.path_in_schema} has an encoding that tables do not use")
        if chunk.physical_type == "BYTE_ARRAY" and chunk.dictionary_page_offset is not None:
            repeated.add(chunk.path_in_schema)
            most_repeated += chunk.total_uncompressed_size * chunk.num_values
        unpacked += chunk.total_uncompressed_size
        values += chunk.num_values
    _check_unpacked(unpacked, most_unpacked, len(content))
    if values > MAX_VALUES:
        raise TooMuchError(f"it has more than {MAX_VALUES} values")
    # Small tables cannot have too much, so they are not read.
    if most_repeated > most_unpacked:
        _check_repeated(content, sorted(repeated), most_unpacked)


def _check_unpacked(unpacked: int, most: int, packed: int) -> None:
    if unpacked > most:
        raise TooMuchError(f"it has more than {most} bytes, packed into {packed}; at most {MAX_RATIO}:1 is read")


def _check_repeated(content: bytes, columns: list[str], most: int) -> None:
    """Counts the bytes of strings as often as rows have them, without a copy for each row."""
    import pyarrow.compute
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(io.BytesIO(content), read_dictionary=columns) as file:
        unpacked = 0
        for batch in file.iter_batches(_ROWS_IN_A_BATCH, columns=columns, use_threads=False):
            for column in batch.columns:
                lengths = pyarrow.compute.binary_length(column.dictionary)
                unpacked += pyarrow.compute.sum(lengths.take(column.indices)).as_py() or 0
                _check_unpacked(unpacked, most, len(content))


def _is_nested(chunk: Any) -> bool:
    return "." in chunk.path_in_schema


def _chunks(metadata: Any) -> Iterator[Any]:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            yield group.column(column)
