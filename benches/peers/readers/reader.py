"""What the benchmarks know of every reader of JSON."""

from typing import NamedTuple


class Reader(NamedTuple):
    name: str
    # The modules that it imports.
    needs: tuple[str, ...]
