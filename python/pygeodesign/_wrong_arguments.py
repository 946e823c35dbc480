"""Messages about arguments that a method does not take."""

import difflib
import inspect
import re
from collections.abc import Mapping
from typing import Any

_UNKNOWN_KEYWORD = re.compile(r"got an unexpected keyword argument '(\w+)'")
_WRONG_TYPE = re.compile(r"argument '(\w+)': ")


def explain(method: Any, error: TypeError) -> str | None:
    """What to say of a call that failed with this error; None where the error says it already."""
    message = str(error)
    if unknown := _UNKNOWN_KEYWORD.search(message):
        return f"{method.__qualname__}() has no argument {unknown[1]!r}; {_advice(method, unknown[1])}"
    wrong = _WRONG_TYPE.match(message)
    return f"{method.__qualname__}(): {_expectation(method, wrong[1], message[wrong.end() :])}" if wrong else None


def keyword_error(function: str, unknown: str, known: list[str]) -> str:
    """The message for a keyword that a function with these arguments does not take."""
    return f"{function}() has no argument {unknown!r}; {_nearest(unknown, known)}"


def _advice(method: Any, unknown: str) -> str:
    names = [name for name in inspect.signature(method).parameters if name != "self"]
    return _nearest(unknown, names)


def _nearest(unknown: str, names: list[str]) -> str:
    near = difflib.get_close_matches(unknown.lower(), names, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"its arguments are {', '.join(names)}" if names else "it takes no arguments"


def _expectation(method: Any, name: str, problem: str) -> str:
    """What the argument is, from the documentation of the method."""
    given = re.match(r"'([\w.]+)' object|(\w+) is required|.*\(got type (\w+)\)", problem)
    kind = next((part for part in given.groups() if part), None) if given else None
    explained = re.search(rf"^ *{name}: (.+?)(?=\n *\w+: |\n\n|\Z)", inspect.getdoc(method) or "", re.M | re.S)
    expected = " ".join(explained[1].split()) if explained else ""
    if kind is None:
        return f"{name}: {problem}"
    hint = " A dict of this package has it under 'id'." if kind == "dict" and re.search(r"\bid\b", expected) else ""
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    return f"{name} cannot be {article} {kind}. Expected: {expected}{hint}" if expected else f"{name} cannot be {article} {kind}"
