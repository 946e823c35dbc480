"""The examples in docstrings do what they show, and everything public that can be called has one."""

import doctest
import importlib
import inspect
import pkgutil
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import pygeodesign
from pygeodesign import Client, Project, Sandbox

MODULES = [pygeodesign] + [
    importlib.import_module(f"pygeodesign.{module.name}")
    for module in pkgutil.iter_modules(pygeodesign.__path__)
    if not module.name.startswith("_")
]
# Methods of the async classes share the documentation of the blocking ones.
TWINS = {"AsyncClient": "Client", "AsyncProject": "Project"}
# What ends something says all in a sentence; a project is shown by its operations.
NEED_NO_EXAMPLE = {"Client.close", "Sandbox.stop", "Project"}


def public() -> Iterator[tuple[str, Any]]:
    """Every public module, class, function, method and property, by its name."""
    for module in MODULES:
        yield module.__name__, module
        for name, thing in vars(module).items():
            own = getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_")
            if own and (inspect.isclass(thing) or inspect.isroutine(thing)):
                yield name, thing
                members = vars(thing).items() if inspect.isclass(thing) else ()
                yield from ((f"{name}.{member}", value) for member, value in members if not member.startswith("_"))


PUBLIC = dict(public())
BLOCKING = {name: thing for name, thing in PUBLIC.items() if name.partition(".")[0] not in TWINS or name in TWINS}
WITH_EXAMPLES = [pytest.param(thing, id=name) for name, thing in BLOCKING.items() if ">>>" in (thing.__doc__ or "")]


def is_callable(thing: Any) -> bool:
    """Whether it is a function, a method, or a class that is more than an error or a dict."""
    if inspect.isclass(thing):
        return not issubclass(thing, (Exception, dict))
    return inspect.isroutine(thing)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A service of its own for every docstring: some examples write."""
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: Sandbox) -> Client:
    return sandbox.client()


@pytest.fixture
def project(client: Client) -> Project:
    return client.project("StatenIsland2050")


@pytest.mark.parametrize("thing", WITH_EXAMPLES)
def test_examples_do_what_they_show(
    thing: Any, sandbox: Sandbox, client: Client, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some examples write files.
    monkeypatch.chdir(tmp_path)
    module = thing if isinstance(thing, types.ModuleType) else inspect.getmodule(thing)
    names = vars(pygeodesign) | (vars(module) if module else {})
    names |= {"sandbox": sandbox, "client": client, "project": project}
    test = doctest.DocTestParser().get_doctest(thing.__doc__ or "", names, str(thing), None, 0)
    assert test.examples
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    plt.close("all")


def test_every_public_module_is_looked_at() -> None:
    assert {module.__name__ for module in MODULES} >= {"pygeodesign", "pygeodesign.errors", "pygeodesign.plots"}
    assert {"plot_costs", "plot_map", "interactive_map", "CostReport.plot", "FeatureCollection.from_esri"} <= set(
        PUBLIC
    )


def test_everything_that_can_be_called_has_an_example() -> None:
    without = {name for name, thing in BLOCKING.items() if is_callable(thing) and ">>>" not in (thing.__doc__ or "")}
    assert without == NEED_NO_EXAMPLE


@pytest.mark.parametrize("awaited", [name for name in PUBLIC if name.partition(".")[0] in TWINS and "." in name])
def test_an_awaited_operation_is_documented_as_the_blocking_one(awaited: str) -> None:
    name, _, member = awaited.partition(".")
    assert PUBLIC[awaited].__doc__ == PUBLIC[f"{TWINS[name]}.{member}"].__doc__


@pytest.mark.parametrize(
    "function", [pytest.param(thing, id=name) for name, thing in PUBLIC.items() if inspect.isroutine(thing)]
)
def test_every_argument_is_explained(function: Any) -> None:
    arguments = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    explained = re.findall(r"^\s+(\w+): ", function.__doc__, re.MULTILINE)
    assert [name for name in arguments if name not in explained] == []
