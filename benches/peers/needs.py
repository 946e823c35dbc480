"""Modules of every peer, with all that its authors recommend. Without them, it would be slower than in practice."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from harness import SMALL

NEEDS = {
    # The parser and the writer in C are there unless it was built without them.
    "aiohttp": ("aiohttp", "aiohttp._http_parser", "aiohttp._http_writer"),
    "distributed": ("distributed",),
    # `uvicorn[standard]`, as FastAPI's documentation installs it.
    "FastAPI + uvicorn[standard] + SQLite": ("fastapi", "uvicorn", "uvloop", "httptools"),
    "GeoPandas": ("geopandas", "pyarrow", "pyogrio"),
    "HiGHS": ("scipy",),
    "primp": ("primp",),
    "pyreqwest": ("pyreqwest",),
    "pysimdjson": ("simdjson", "numpy", "pandas", "shapely", "geopandas"),
    "requests": ("requests",),
    "ssrjson": ("ssrjson",),
    "wreq": ("wreq",),
}


def import_peer(name: str) -> None:
    for module in NEEDS.get(name, ()):
        import_module(module)


def exit_if_incomplete() -> None:
    """Ends the program unless all peers can be imported."""
    missing = {name: [module for module in modules if not can_be_imported(module)] for name, modules in NEEDS.items()}
    problems = [f"  {name} lacks {', '.join(modules)}" for name, modules in missing.items() if modules]
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


def installed(peer: str, use: Callable[[], Any]) -> bool:
    """True if a peer can be used. A small run names peers that are not installed, and leaves them out."""
    try:
        if SMALL:
            use()
    except ModuleNotFoundError as missing:
        print(f"left out: {peer}, because {missing.name} is not installed", flush=True)
        return False
    return True
