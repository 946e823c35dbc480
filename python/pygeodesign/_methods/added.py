"""How functions become methods of the classes of the extension module.

What is written in Python is a method in Python, with its signature, defaults and documentation once. The classes cannot
have subclasses, since methods in Rust make them; so the functions are added to them.
"""

from __future__ import annotations

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _Function = TypeVar("_Function", bound=Callable[..., Any])


def method_of(*classes: type) -> Callable[[_Function], _Function]:
    """Adds a function to classes, as a method of its name.

    A class that asks for much has `_call`, which gives the function the blocking project, in a thread of its own: of an
    awaited class, the method is awaited then.
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

    # What `functools.wraps` does, whose import takes as long as that of the package.
    method.__wrapped__ = function  # type: ignore[attr-defined]
    method.__name__, method.__qualname__, method.__module__ = function.__name__, name, "pygeodesign"
    method.__doc__ = function.__doc__
    return method
