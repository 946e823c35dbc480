"""`import pygeodesign` is fast, imports no optional library, and every public name has a docstring."""

import inspect
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

import pygeodesign
from pygeodesign import errors, types

TIMED_IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
LOADED = """
import sys
import weakref
before = {*sys.modules}
import pygeodesign
print(*(name.partition(".")[0] for name in {*sys.modules} - before))
"""
# `json` and `typing` take longer to import than the package itself, `collections` and `datetime` half as long.
SLOW = {"collections", "datetime", "json", "typing"}
OPTIONAL = {"numpy", "pandas", "geopandas", "pyarrow", "shapely", "matplotlib", "folium"}


def python(code: str) -> str:
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return run.stdout


def public_names() -> Iterator[object]:
    for name in pygeodesign.__all__:
        yield pytest.param(getattr(pygeodesign, name), id=name)
        if inspect.isclass(getattr(pygeodesign, name)) and not issubclass(getattr(pygeodesign, name), Exception):
            # Sorted: PyO3 has properties in another order in each process.
            for member, value in sorted(vars(getattr(pygeodesign, name)).items(), key=lambda item: item[0]):
                if not member.startswith("_"):
                    yield pytest.param(value, id=f"{name}.{member}")
    for module in (errors, types):
        for name, value in sorted(vars(module).items(), key=lambda item: item[0]):
            if inspect.isclass(value) and value.__module__ == module.__name__:
                yield pytest.param(value, id=f"{module.__name__}.{name}")


def test_the_import_takes_a_quarter_of_numpy_at_most() -> None:
    def time_of(module: str) -> float:
        return min(float(python(TIMED_IMPORT.format(module))) for _ in range(5))

    # How fast a process maps a large library differs from one minute to the next: the best of some rounds counts.
    ratios = []
    for _ in range(6):
        ratios.append(time_of("pygeodesign") / time_of("numpy"))
        if ratios[-1] < 1 / 4:
            return
    raise AssertionError(f"the import takes {min(ratios):.2f} of that of numpy")


def test_the_import_loads_no_optional_library_and_none_that_is_slow() -> None:
    assert (SLOW | OPTIONAL).isdisjoint(python(LOADED).split())


@pytest.mark.parametrize("item", list(public_names()))
def test_every_public_name_has_a_docstring(item: object) -> None:
    if isinstance(item, str):  # The version.
        assert item.count(".") == 2
    else:
        doc = item.__doc__
        assert doc
        assert doc.strip()


def test_the_public_names_are_sorted() -> None:
    assert list(pygeodesign.__all__) == sorted(pygeodesign.__all__)
    assert set(pygeodesign.__all__) <= set(dir(pygeodesign))


@pytest.mark.parametrize("name", [name for name in pygeodesign.__all__ if inspect.isclass(getattr(pygeodesign, name))])
def test_every_public_class_can_be_referred_to_weakly(name: str) -> None:
    """Caches of dashboards and `weakref.finalize` do this."""
    assert getattr(pygeodesign, name).__weakrefoffset__ != 0


def test_a_weak_reference_ends_with_its_object() -> None:
    with pygeodesign.Sandbox() as sandbox:
        project = sandbox.project()
        referred, ended = weakref.ref(project), list[bool]()
        weakref.finalize(project, ended.append, True)
        assert referred() is project
        del project
        assert referred() is None and ended == [True]
