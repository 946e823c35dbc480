"""The parsers that make Python objects of JSON: msgspec, the fastest that is widely used, and ssrjson, the fastest."""

import gc
from collections.abc import Callable
from typing import Any

from peers.readers.reader import Reader

MSGSPEC = Reader("msgspec", ("msgspec",))
SSRJSON = Reader("ssrjson", ("ssrjson",))


def without_garbage_collector(read: Callable[[], Any]) -> Any:
    """Reads while Python's cyclic garbage collector is off, as users of fast parsers do for large documents."""
    gc.disable()
    try:
        return read()
    finally:
        gc.enable()
