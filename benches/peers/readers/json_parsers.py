"""The parsers that make Python objects of JSON: orjson and msgspec, the fastest of those that are widely used."""

import gc
from collections.abc import Callable
from typing import Any

from peers.readers.reader import Reader

ORJSON = Reader("orjson", ("orjson",))
MSGSPEC = Reader("msgspec", ("msgspec",))


def without_garbage_collector(read: Callable[[], Any]) -> Any:
    """Reads while Python's cyclic garbage collector is off, as msgspec's and orjson's users do for large documents."""
    gc.disable()
    try:
        return read()
    finally:
        gc.enable()
