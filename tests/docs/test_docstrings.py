"""The examples in docstrings print what they show, and every public function, method and class has one."""

import builtins
import doctest
import getpass
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
from demo import demo_sandbox
from pygeodesign import Client, Project, Sandbox

pytestmark = pytest.mark.early

MODULES = [pygeodesign] + [
    importlib.import_module(f"pygeodesign.{module.name}")
    for module in pkgutil.iter_modules(pygeodesign.__path__)
    if not module.name.startswith("_")
]
# The async classes have the documentation of the blocking ones.
BLOCKING_CLASSES = {f"Async{name}": name for name in ("Client", "Project", "Team", "Design", "System")}
# `close` and `stop` need no more than a sentence; the examples of `Project` are those of its operations.
WITHOUT_EXAMPLE = {"Client.close", "Sandbox.stop", "Project"}


def public() -> Iterator[tuple[str, Any]]:
    """Every public module, class, function, method and property, by its name."""
    for module in MODULES:
        yield module.__name__, module
        for name, item in vars(module).items():
            own = getattr(item, "__module__", None) == module.__name__ and not name.startswith("_")
            if own and (inspect.isclass(item) or inspect.isroutine(item)):
                yield name, item
                # The methods of a class may be in base classes of private modules.
                bases = inspect.getmro(item) if inspect.isclass(item) else ()
                own_bases = [base for base in bases if base.__module__.startswith("pygeodesign._planning")]
                members = [pair for base in (item, *own_bases) for pair in vars(base).items()] if bases else []
                yield from ((f"{name}.{member}", value) for member, value in members if not member.startswith("_"))


PUBLIC = dict(public())
BLOCKING = {
    name: item
    for name, item in PUBLIC.items()
    if name.partition(".")[0] not in BLOCKING_CLASSES or name in BLOCKING_CLASSES
}
WITH_EXAMPLES = [
    pytest.param(item, id=name) for name, item in sorted(BLOCKING.items()) if ">>>" in (item.__doc__ or "")
]


def is_callable(item: Any) -> bool:
    """True for a function, a method, or a class that is neither an exception nor a TypedDict."""
    if inspect.isclass(item):
        return not issubclass(item, (Exception, dict))
    return inspect.isroutine(item)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A new service for every docstring, because some examples write."""
    with demo_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: Sandbox) -> Client:
    return sandbox.client()


@pytest.fixture
def project(client: Client) -> Project:
    return client.project("StatenIsland2050")


@pytest.mark.parametrize("item", WITH_EXAMPLES)
def test_the_examples_of_a_docstring_print_what_they_show(
    item: Any, sandbox: Sandbox, client: Client, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some examples write files, and one asks for a token.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: sandbox.token())
    module = item if isinstance(item, types.ModuleType) else inspect.getmodule(item)
    names = vars(pygeodesign) | (vars(module) if module else {})
    names |= {"sandbox": sandbox, "client": client, "project": project}
    test = doctest.DocTestParser().get_doctest(item.__doc__ or "", names, str(item), None, 0)
    assert test.examples
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    plt.close("all")


def test_every_public_module_is_checked() -> None:
    assert {module.__name__ for module in MODULES} >= {"pygeodesign", "pygeodesign.errors", "pygeodesign.plots"}
    assert {"plot_costs", "plot_map", "web_map", "CostReport.plot", "FeatureCollection.from_esri"} <= set(PUBLIC)


def test_every_public_function_method_and_class_has_an_example() -> None:
    without = {name for name, item in BLOCKING.items() if is_callable(item) and ">>>" not in (item.__doc__ or "")}
    assert without == WITHOUT_EXAMPLE


@pytest.mark.parametrize(
    "awaited", [name for name in sorted(PUBLIC) if name.partition(".")[0] in BLOCKING_CLASSES and "." in name]
)
def test_an_async_operation_has_the_docstring_of_the_blocking_one(awaited: str) -> None:
    name, _, member = awaited.partition(".")
    assert PUBLIC[awaited].__doc__ == PUBLIC[f"{BLOCKING_CLASSES[name]}.{member}"].__doc__


@pytest.mark.parametrize(
    "function", [pytest.param(item, id=name) for name, item in sorted(PUBLIC.items()) if inspect.isroutine(item)]
)
def test_every_argument_is_documented(function: Any) -> None:
    arguments = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    explained = re.findall(r"^\s+(\w+): ", function.__doc__, re.MULTILINE)
    assert [name for name in arguments if name not in explained] == []


@pytest.mark.parametrize(
    "item", [pytest.param(item, id=name) for name, item in sorted(PUBLIC.items()) if "Raises:" in (item.__doc__ or "")]
)
def test_the_exceptions_of_a_docstring_exist(item: Any) -> None:
    section = (inspect.getdoc(item) or "").partition("Raises:\n")[2].partition("\n\n")[0]
    named = re.findall(r"^    (\w+):", section, re.MULTILINE)
    assert named
    for name in named:
        exception = getattr(pygeodesign.errors, name, None) or getattr(builtins, name, None)
        assert inspect.isclass(exception) and issubclass(exception, BaseException), name
