"""The requested sections of a report: their arguments, checked before anything is computed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pygeodesign._paper.answers import Section
from pygeodesign._planning.arguments import check_question
from pygeodesign.errors import InputError

# Arguments that the report sets when it asks a question.
OWN = {"self", "scope", "by", "progress"}
# The new form of arguments of earlier versions.
FORMER = {
    "budget": '{"optimum": {"budget": …}}',
    "per_hectare": '{"quantities": {"per_hectare": …}}',
    "percent": '{"sensitivity": {"percent": …}}',
    "rate": '{"schedule": {"rate": …}}',
    "compatible": '{"conflicts": {"compatible": …}}',
    "negotiation": '{"negotiate": …}',
    "front": '{"pareto": …}',
    "swaps": '{"swaps": {"most": …}}',
    "alliances": '{"alliances": {}}',
    "rates": '{"uncertainty": {"rates": …}}',
    "cash_flow": '{"cash_flow": …}',
    "stock_change": '{"stock_change": …}',
    "weighing": '{"weighing": …}',
}


def refuse_former(method: str, named: Mapping[str, Any], known: list[str]) -> None:
    """Raises an error for arguments that a method does not take; for former ones, it shows the new form."""
    for name in named:
        if name in FORMER:
            raise InputError(f"{method}() has no argument {name!r} any more: write sections={FORMER[name]}")
        raise TypeError(f"{method}() has no argument {name!r}; its arguments are {', '.join(known)}")


def checked_sections(compared: Any, questions: Mapping[str, Section], sections: Any) -> dict[str, Any]:
    """The requested sections, by their questions, with the arguments or the result of each."""
    if sections is None:
        return {}
    if not isinstance(sections, Mapping):
        raise InputError(f"sections is {sections!r}: give a dict of questions, such as {{'swaps': {{'most': 3}}}}")
    asked = {name: section for name, section in questions.items() if section.is_asked_for or section.takes}
    for name, given in sections.items():
        if name not in asked:
            raise InputError(f"sections has {name!r}, which is not a section; sections: {', '.join(asked)}")
        result = asked[name].result
        if result is None or not isinstance(given, result):
            _check_arguments(getattr(compared, name), name, given, asked[name])
    return dict(sections)


def _check_arguments(question: Callable[..., Any], name: str, given: Any, section: Section) -> None:
    signature = inspect.signature(question)
    taken = section.takes or signature.parameters.keys() - OWN
    known = [argument for argument in signature.parameters if argument in taken]
    result = f", or what {name}() returned" if section.result else ""
    if not isinstance(given, Mapping):
        raise InputError(f"{name} is {given!r}: give a dict of the arguments of {name}(){result}: {', '.join(known)}")
    check_question(name, signature, given, known)
