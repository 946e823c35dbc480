"""How much memory a Parquet file takes, told before it is read: by its pages, since its footer may be wrong."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_ROWS = 1_000_000
# Tables have forty columns at most; readers take memory for each, however few rows there are.
MAX_COLUMNS = 256
# In all columns, of which lists have several in a row.
MAX_VALUES = 50_000_000
MAX_RATIO = 100
UNPACKED_ANYWAY = 64 * 1024 * 1024

# The encodings that `archive_all` writes, by their numbers in the format: PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY.
# Others repeat a part of the text before.
_ENCODINGS = {0, 2, 3, 8}
_DICTIONARY_PAGE = 2
# In the header of a page, the fields with the details of each type of page, and where these have the encoding.
_DETAILS = {5: 2, 7: 2, 8: 4}
# More levels has no header.
_MAX_LEVELS = 8
# Of a text that the dictionary of a column has once, and many rows repeat.
_ROWS_IN_A_BATCH = 65_536


class TooMuchError(Exception):
    """What the table has too much of."""


class _Page(NamedTuple):
    type: int
    unpacked: int
    values: int
    encoding: int


def check_table(content: bytes) -> None:
    """Raise `TooMuchError` for a table that takes far more memory than its bytes; what is none raises anything else."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(io.BytesIO(content))
    if metadata.num_columns > MAX_COLUMNS:
        raise TooMuchError(f"it has {metadata.num_columns} columns; of a table {MAX_COLUMNS} are read")
    if metadata.num_rows > MAX_ROWS:
        raise TooMuchError(f"it has {metadata.num_rows} rows; of a table {MAX_ROWS} are read")
    most_unpacked = max(UNPACKED_ANYWAY, MAX_RATIO * len(content))
    unpacked = values = most_repeated = 0
    repeated: set[str] = set()
    for chunk in _chunks(metadata):
        if chunk.physical_type == "FIXED_LEN_BYTE_ARRAY" or (chunk.physical_type == "BYTE_ARRAY" and _is_nested(chunk)):
            raise TooMuchError(f"the column {chunk.path_in_schema} is of a type that no table has")
        dictionary = rows = 0
        for page in _pages(content, chunk):
            if page.encoding not in _ENCODINGS:
                raise TooMuchError(f"the column {chunk.path_in_schema} has an encoding that no table has")
            if page.type == _DICTIONARY_PAGE and chunk.physical_type == "BYTE_ARRAY":
                repeated.add(chunk.path_in_schema)
                dictionary += page.unpacked
            else:
                rows += page.values
            unpacked += page.unpacked
            values += page.values
            _check_unpacked(unpacked, most_unpacked, len(content))
            if values > MAX_VALUES:
                raise TooMuchError(f"it has more than {MAX_VALUES} values")
        most_repeated += dictionary * rows
    # Small tables cannot have too much, which needs no reading.
    if most_repeated > most_unpacked:
        _check_repeated(content, sorted(repeated), most_unpacked)


def _check_unpacked(unpacked: int, most: int, packed: int) -> None:
    if unpacked > most:
        raise TooMuchError(f"it has more than {most} bytes, packed into {packed}; {MAX_RATIO} times as many are read")


def _check_repeated(content: bytes, columns: list[str], most: int) -> None:
    """Count the bytes of texts as often as rows have them, without making a copy for each row."""
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


def _pages(content: bytes, chunk: Any) -> Iterator[_Page]:
    """What the headers of the pages of a column in a group of rows tell."""
    starts = [start for start in (chunk.data_page_offset, chunk.dictionary_page_offset) if start]
    # A table without rows may have no pages.
    if not starts:
        return
    at = min(starts)
    end = at + chunk.total_compressed_size
    if not 0 <= at <= end <= len(content):
        raise ValueError("a column is not in the file")
    while at < end:
        fields, at = _struct(content, at, 0)
        packed, unpacked = fields[3], fields[2]
        if packed < 0 or unpacked < 0:
            raise ValueError("a page has a negative size")
        (details, encoding_field), *_ = [(fields[field], place) for field, place in _DETAILS.items() if field in fields]
        yield _Page(fields[1], unpacked, details[1], details[encoding_field])
        at += packed


# The compact protocol of Thrift, in which headers are: https://github.com/apache/thrift/blob/master/doc/specs/
# thrift-compact-protocol.md


def _struct(content: bytes, at: int, level: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by their numbers, and where it ends. Of texts and lists, headers need none."""
    if level > _MAX_LEVELS:
        raise ValueError("the header of a page has too many levels")
    fields: dict[int, Any] = {}
    field = 0
    while kind := content[at]:
        at += 1
        if kind >> 4:
            field += kind >> 4
        else:
            field, at = _integer(content, at)
        fields[field], at = _value(content, at, kind & 15, level)
    return fields, at + 1


def _value(content: bytes, at: int, kind: int, level: int) -> tuple[Any, int]:
    if kind in (1, 2):
        return kind == 1, at
    if kind in (4, 5, 6):
        return _integer(content, at)
    if kind == 8:
        length, at = _unsigned(content, at)
        return None, at + length
    if kind == 12:
        return _struct(content, at, level + 1)
    raise ValueError("the header of a page has a field that none has")


def _unsigned(content: bytes, at: int) -> tuple[int, int]:
    number = 0
    # Of 64 bits.
    for shift in range(0, 70, 7):
        byte = content[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise ValueError("a number in the header of a page has no end")


def _integer(content: bytes, at: int) -> tuple[int, int]:
    number, at = _unsigned(content, at)
    return (number >> 1) ^ -(number & 1), at
