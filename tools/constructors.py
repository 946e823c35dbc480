"""Adds to the reference what griffe does not find in stubs.

Classes in Rust have `__new__` and no `__init__`, which is where it looks for arguments, and methods of several
signatures have no implementation, which is what it shows. A comparison is given its questions by name (`targets =
targets.targets`), which are functions in other files.
"""

from typing import Any

import griffe


class Constructors(griffe.Extension):
    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        new = cls.members.get("__new__")
        if isinstance(new, griffe.Function) and "__init__" not in cls.members:
            made = griffe.Function("__init__", parameters=new.parameters, lineno=new.lineno, parent=cls)
            cls.set_member("__init__", made)
        for name, signatures in cls.overloads.items():
            if name not in cls.members:
                # The first has the documentation and all arguments.
                cls.set_member(name, signatures[0])

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        comparison = pkg["planning.Comparison"]
        for name, member in [*comparison.members.items()]:
            question = str(member.value) if isinstance(member, griffe.Attribute) else ""
            if not question.endswith(f".{name}"):
                continue
            asked = pkg[f"_planning.questions.{question}"]
            method = griffe.Function(
                name,
                parameters=griffe.Parameters(*[*asked.parameters][1:]),
                returns=asked.returns,
                docstring=asked.docstring,
                lineno=asked.lineno,
                parent=comparison,
            )
            comparison.set_member(name, method)
