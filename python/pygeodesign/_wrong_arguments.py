"""Messages about arguments that a method or a constructor does not take."""

import difflib
import inspect
import re
from typing import Any

from pygeodesign.errors import InputError

_UNKNOWN_KEYWORD = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")
# The note that says which argument is wrong, and the messages that say of which type it is.
_ARGUMENT = re.compile(r"while processing '(\w+)'")
_TYPE = re.compile(r"^'([\w.]+)' object (?:is|cannot)|, not ([\w.]+)$|extract `(\w+)`")


def explained(method: Any, error: TypeError | OverflowError | UnicodeEncodeError) -> Exception | None:
    """What to raise for a failed call of a method or a class; None where the error itself says what to do."""
    name = method.__qualname__
    if unknown := _UNKNOWN_KEYWORD.search(str(error)):
        return TypeError(f"{name}() has no argument {unknown[2]!r}; {_nearest(unknown[2], _names(method, unknown[1]))}")
    if isinstance(error, UnicodeEncodeError):
        return InputError(
            f"{name}(): the text {error.object!r} has half of a surrogate pair at position {error.start}, which is no "
            "character; leave it out"
        )
    notes = [_ARGUMENT.fullmatch(note) for note in getattr(error, "__notes__", ())]
    argument = next((note[1] for note in notes if note), None)
    if argument is None:
        # A constructor calls a method of another name.
        message = str(error).replace(f"{name}._new()", f"{name}()")
        return None if message == str(error) else TypeError(message)
    if isinstance(error, OverflowError):
        return InputError(f"{name}(): {argument} is out of range. {_expectation(method, argument)}")
    kind = _TYPE.search(str(error))
    if kind is None:
        return None
    given = next(part for part in kind.groups() if part)
    message = f"{name}(): {argument} cannot be {with_article(given)}. {_expectation(method, argument)}"
    is_id = given == "dict" and re.search(r"\bid\b", message)
    return TypeError(message + (" The dict has it as its 'id'." if is_id else ""))


def _names(method: Any, called: str) -> list[str]:
    """The names of the arguments; those of `pygeodesign.plots` where a method has passed the argument on to it."""
    if called.startswith(("plot_", "interactive_")):
        from pygeodesign import plots

        method = getattr(plots, called)
    return [name for name in inspect.signature(method).parameters if name != "self"]


def _nearest(unknown: str, names: list[str]) -> str:
    # Two letters are soon found in a word that means something else.
    short, long = ([name for name in names if (len(name) < 3) == is_short] for is_short in (True, False))
    near = difflib.get_close_matches(unknown.lower(), long, n=1, cutoff=0.54)
    near = near or difflib.get_close_matches(unknown.lower(), short, n=1, cutoff=0.7)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"its arguments are {', '.join(names)}" if names else "it takes no arguments"


def with_article(type_name: str) -> str:
    if type_name == "NoneType":
        return "None"
    return f"{'an' if type_name[0] in 'aeiouAEIOU' else 'a'} {type_name}"


def _expectation(method: Any, argument: str) -> str:
    """What the argument is, from the documentation of the method or class."""
    documentation = inspect.getdoc(method) or ""
    found = re.search(rf"^ *{argument}: (.+?)(?=\n *\w+: |\n\n|\Z)", documentation, re.MULTILINE | re.DOTALL)
    expected = " ".join(found[1].split()) if found else "see its documentation"
    return f"It is: {expected}"
