"""A progress bar, where somebody can see it."""

import sys
from typing import Any, Protocol

from pygeodesign._core import _missing_extra


class Bar(Protocol):
    """What this package asks of a progress bar; tqdm has it."""

    total: float | None

    def update(self, n: float = 1) -> object:
        """Say that so many more are done."""

    def close(self) -> None:
        """Take the bar down."""


def bar(label: str, total: int, show: bool | None) -> Bar | None:
    """A bar, or None where none is wanted: by default in notebooks and terminals that have tqdm."""
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


def _is_watched() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())


def _in_notebook() -> bool:
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")
