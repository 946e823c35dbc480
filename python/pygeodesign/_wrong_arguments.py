"""Messages about arguments that a method does not take."""

import difflib
import inspect
import re
from typing import Any

_UNKNOWN_KEYWORD = re.compile(r"got an unexpected keyword argument '(\w+)'")
# The note that says which argument is wrong, and the messages that say of which type it is.
_ARGUMENT = re.compile(r"while processing '(\w+)'")
_TYPE = re.compile(r"^'([\w.]+)' object (?:is|cannot)|, not ([\w.]+)$|extract `(\w+)`")


def explain(method: Any, error: TypeError) -> str | None:
    """What to say of a call that failed with this error; None where the error says it already."""
    if unknown := _UNKNOWN_KEYWORD.search(str(error)):
        names = [name for name in inspect.signature(method).parameters if name != "self"]
        return f"{method.__qualname__}() has no argument {unknown[1]!r}; {_nearest(unknown[1], names)}"
    notes = [_ARGUMENT.fullmatch(note) for note in getattr(error, "__notes__", ())]
    argument = next((note[1] for note in notes if note), None)
    kind = _TYPE.search(str(error))
    if argument is None or kind is None:
        return None
    given = next(part for part in kind.groups() if part)
    article = "an" if given[0] in "aeiouAEIOU" else "a"
    return f"{method.__qualname__}(): {argument} cannot be {article} {given}. {_expectation(method, argument, given)}"


def _nearest(unknown: str, names: list[str]) -> str:
    near = difflib.get_close_matches(unknown.lower(), names, n=1, cutoff=0.54)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"its arguments are {', '.join(names)}" if names else "it takes no arguments"


def _expectation(method: Any, argument: str, given: str) -> str:
    """What the argument is, from the documentation of the method."""
    documentation = inspect.getdoc(method) or ""
    explained = re.search(rf"^ *{argument}: (.+?)(?=\n *\w+: |\n\n|\Z)", documentation, re.MULTILINE | re.DOTALL)
    expected = " ".join(explained[1].split()) if explained else "see its documentation"
    is_id = given == "dict" and re.search(r"\bid\b", expected)
    return f"It is: {expected}" + (" The dict has it as its 'id'." if is_id else "")
