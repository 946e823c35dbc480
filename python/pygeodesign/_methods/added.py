"""Adds functions to the classes of the extension module as methods.

A method written in Python has its signature, defaults and documentation in one place. The classes cannot have
subclasses, because methods in Rust create their objects; so the functions are added to the classes.
"""

from __future__ import annotations

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _Function = TypeVar("_Function", bound=Callable[..., Any])


def method_of(*classes: type) -> Callable[[_Function], _Function]:
    """Adds a function to classes, as a method of its name.

    A class with many requests has `_call`, which calls the function with the blocking project on a thread of its own.
    Methods of async classes are awaited.
    """

    def add(function: _Function) -> _Function:
        for owner in classes:
            setattr(owner, function.__name__, _method(function, owner))
        return function

    return add


def _method(function: Any, owner: type) -> Any:
    name = f"{owner.__name__}.{function.__name__}"

    def method(self: Any, /, *given: Any, **named: Any) -> Any:
        from pygeodesign._wrong_arguments import checked

        named = checked(method, (self, *given), named)
        if not hasattr(owner, "_call"):
            return function(self, *given, **named)

        def called(project: Any) -> Any:
            return function(project, *given, **named)

        called.__qualname__ = name
        return self._call(called)

    # The same as `functools.wraps`, whose import takes as long as the package's.
    method.__wrapped__ = function  # type: ignore[attr-defined]
    method.__name__, method.__qualname__, method.__module__ = function.__name__, name, "pygeodesign"
    method.__doc__ = function.__doc__
    return method
