"""Progress bars, in notebooks and terminals."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from pygeodesign._core import _missing_extra


class Bar(Protocol):
    """The part of tqdm that this package uses."""

    total: float | None

    def update(self, n: float = 1) -> object:
        """Advances the bar by `n`."""

    def close(self) -> None:
        """Closes the bar."""


def bar(label: str, total: int, show: bool | None) -> Bar | None:
    """A bar, or None. By default there is one in notebooks and terminals if tqdm is installed."""
    if show is False or (show is None and not _is_watched()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError as missing:
        if show is None:
            return None
        raise _missing_extra(missing) from missing
    made: Bar = tqdm(total=total, desc=label, unit="")
    return made


@contextmanager
def counting(label: str, total: int, show: bool | None) -> Iterator[Callable[[int], object]]:
    """A bar during some work. The yielded function advances the bar, or does nothing if there is none."""
    shown = bar(label, total, show)
    try:
        yield shown.update if shown is not None else lambda _: None
    finally:
        if shown is not None:
            shown.close()


def _is_watched() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())


def _in_notebook() -> bool:
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")
