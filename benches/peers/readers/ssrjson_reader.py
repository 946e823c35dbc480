"""ssrjson, the fastest parser that makes Python objects of JSON."""

import gc
from typing import Any


def dicts_by_ssrjson(body: bytes) -> Any:
    """Reads while Python's cyclic garbage collector is off, as users of fast parsers do for large documents."""
    import ssrjson

    gc.disable()
    try:
        return ssrjson.loads(body)
    finally:
        gc.enable()
