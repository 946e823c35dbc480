"""For the reference: classes in Rust have `__new__` and no `__init__`, which is where griffe looks for arguments."""

from typing import Any

import griffe


class Constructors(griffe.Extension):
    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        new = cls.members.get("__new__")
        if isinstance(new, griffe.Function) and "__init__" not in cls.members:
            made = griffe.Function("__init__", parameters=new.parameters, lineno=new.lineno, parent=cls)
            cls.set_member("__init__", made)
