"""Whether every peer has all that its authors recommend. With less, it would be slower than its users know it."""

import sys
from collections.abc import Iterable
from importlib import import_module


def exit_if_incomplete(peers: Iterable[tuple[str, tuple[str, ...]]]) -> None:
    """Ends the program unless all modules can be imported that the peers need. A peer is its name and its modules."""
    problems = [
        f"  {name} lacks {', '.join(missing)}"
        for name, modules in peers
        if (missing := [module for module in modules if not can_be_imported(module)])
    ]
    if problems:
        sys.exit(
            "The benchmarks compare only with peers that are installed as their authors recommend:\n"
            + "\n".join(problems)
            + "\nTo install what is missing: python -m pip install --group bench"
        )


def can_be_imported(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True
