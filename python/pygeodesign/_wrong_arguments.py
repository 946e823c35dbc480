"""Messages about arguments that a method or a constructor does not take."""

import difflib
import inspect
import json
import pkgutil
import re
import warnings
from collections.abc import Callable
from typing import Any

from pygeodesign.errors import InputError

# Methods that pass their `options` on, and the functions that take them.
_PASSED_ON = {
    "CostReport.plot": "pygeodesign.plots.plot_costs",
    "FeatureCollection.plot": "pygeodesign.plots.plot_map",
    "FeatureCollection.map": "pygeodesign.maps.web_map",
    "Design.map": "pygeodesign.Project.map",
    "AsyncDesign.map": "pygeodesign.AsyncProject.map",
    "System.add": "pygeodesign.Project.add_diagrams",
    "AsyncSystem.add": "pygeodesign.AsyncProject.add_diagrams",
}


def renamed(method: Any, named: dict[str, Any], stacklevel: int = 2) -> dict[str, Any] | None:
    """The named arguments of a failed call, if one of them has been renamed."""
    known = _parameters(method)
    if "sysid" not in named or "sysid" in known or "system" not in known or "system" in named:
        return None
    message = "the argument sysid is now system, and takes an id, a name or a tag"
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)
    return {"system" if name == "sysid" else name: value for name, value in named.items()}


def explained(
    method: Any,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    error: TypeError | OverflowError | UnicodeEncodeError,
) -> Exception | None:
    """The error for a failed call of a method or a class; None if the original error already says what to do."""
    name = method.__qualname__
    if unknown := _unknown(method, named):
        return unknown
    known = _parameters(method)
    if isinstance(error, UnicodeEncodeError):
        return InputError(
            f"{name}(): the text {error.object!r} has half of a surrogate pair at position {error.start}, which is not "
            "a character; leave it out"
        )
    notes = " ".join(getattr(error, "__notes__", ()))
    argument = next((argument for argument in known if repr(argument) in notes), None)
    if argument is None:
        # A constructor calls a method with another name.
        message = str(error).replace(f"{name}._new()", f"{name}()")
        return None if message == str(error) else TypeError(message)
    if isinstance(error, OverflowError):
        return InputError(f"{name}(): {argument} is out of range. {_expectation(method, argument)}")
    given = _given(inspect.signature(method).bind(*arguments, **named).arguments[argument], str(error))
    return None if given is None else _refused(method, argument, given)


# Types in annotations, and checks for them.
_TYPES: dict[str, Callable[[Any], bool]] = {
    "None": lambda value: value is None,
    "str": lambda value: isinstance(value, str),
    "PathLike[str]": lambda value: hasattr(value, "__fspath__"),
    # NumPy's, too.
    "bool": lambda value: type(value).__name__ in ("bool", "bool_"),
    "int": lambda value: hasattr(value, "__index__"),
    "float": lambda value: hasattr(value, "__float__") or hasattr(value, "__index__"),
}


def checked(method: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """The named arguments for a method written in Python, by their current names.

    A `TypeError` or an `InputError` reports invalid arguments, as for methods in Rust. Types are
    checked if the annotation consists of those above, and words if it is a `Literal`: other arguments are checked
    by the method itself.
    """
    # The caller's frame is behind this one and the method's.
    named = renamed(method, named, stacklevel=4) or named
    if unknown := _unknown(method, named):
        raise unknown
    signature = inspect.signature(method)
    try:
        given = signature.bind(*arguments, **named).arguments
    except TypeError as error:
        raise TypeError(f"{method.__qualname__}(): {error}") from None
    for argument, value in given.items():
        annotation = signature.parameters[argument].annotation
        if not any(_TYPES.get(name, lambda _: True)(value) for name in annotation.split(" | ")):
            raise _refused(method, argument, type(value).__name__)
        words = re.findall(r"'(\w+)'", annotation) if re.fullmatch(r"Literal\[[^]]*\]", annotation) else []
        if words and value not in words:
            shown = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
            raise InputError(f"{argument} must be {' or '.join(map(json.dumps, words))}, not {shown}")
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise explained(method, arguments, named, error) or error from None
    return named


def _refused(method: Any, argument: str, given: str) -> TypeError:
    """The error for an argument of a wrong type, named `given`."""
    message = f"{method.__qualname__}(): {argument} cannot be {with_article(given)}. {_expectation(method, argument)}"
    is_id = given == "dict" and re.search(r"\bid\b", message)
    return TypeError(message + (" The dict has it as its 'id'." if is_id else ""))


def _unknown(method: Any, named: dict[str, Any]) -> TypeError | None:
    """The error for a named argument that a method does not have, with the one that was probably meant."""
    known = _parameters(method)
    unknown = next((argument for argument in named if argument not in known), None)
    if unknown is None:
        return None
    return TypeError(f"{method.__qualname__}() has no argument {unknown!r}; {_nearest(unknown, known)}")


def _parameters(method: Any) -> list[str]:
    """The names of the arguments, with those of the function that receives the method's options."""
    names = [name for name in inspect.signature(method).parameters if name not in ("self", "options")]
    if path := _PASSED_ON.get(method.__qualname__):
        # The first is the method's object.
        names += [*inspect.signature(pkgutil.resolve_name(path)).parameters][1:]
    return [*dict.fromkeys(names)]


def _given(value: Any, message: str) -> str | None:
    """The type of the value, or of one of its items, that the message is about: the first one it names."""
    items = [*value] if isinstance(value, (list, tuple, set, dict)) else []
    items += value.values() if isinstance(value, dict) else []
    types = {type(item).__name__ for item in [value, *items]}
    return next((word for word in re.findall(r"\w+", message) if word in types), None)


def _nearest(unknown: str, names: list[str]) -> str:
    # Two letters also occur in words with another meaning.
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
    """The description of an argument in the documentation of the method or class."""
    documentation = inspect.getdoc(method) or ""
    found = re.search(rf"^ *{argument}: (.+?)(?=\n *\w+: |\n\n|\Z)", documentation, re.MULTILINE | re.DOTALL)
    expected = " ".join(found[1].split()) if found else "See its documentation"
    # The first sentence is enough.
    sentence = re.match(r".*?\.(?=\s|$)", expected)
    return f"Expected: {sentence[0] if sentence else expected}"
