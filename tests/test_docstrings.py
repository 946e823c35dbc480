"""The examples in docstrings do what they show."""

import doctest
import types
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import pytest

import pygeodesign
from pygeodesign import Client, Project, Sandbox, errors

# Methods of the async classes share the documentation of the blocking ones.
WITH_METHODS = ["Client", "Project", "FeatureCollection", "CostReport", "Sandbox"]
ALONE = ["AsyncClient", "AsyncProject"]


def documented() -> Iterator[Any]:
    for module in (pygeodesign, errors):
        yield pytest.param(module, id=module.__name__)
    for name in WITH_METHODS + ALONE:
        if ">>>" in getattr(pygeodesign, name).__doc__:
            yield pytest.param(getattr(pygeodesign, name), id=name)
    for name in WITH_METHODS:
        for member, value in vars(getattr(pygeodesign, name)).items():
            if not member.startswith("_") and ">>>" in (value.__doc__ or ""):
                yield pytest.param(value, id=f"{name}.{member}")


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


@pytest.mark.parametrize("thing", list(documented()))
def test_examples_do_what_they_show(thing: Any, sandbox: Sandbox, client: Client, project: Project) -> None:
    names = vars(thing) if isinstance(thing, types.ModuleType) else {}
    names = vars(pygeodesign) | names | {"sandbox": sandbox, "client": client, "project": project}
    test = doctest.DocTestParser().get_doctest(thing.__doc__ or "", dict(names), str(thing), None, 0)
    assert test.examples
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    plt.close("all")
