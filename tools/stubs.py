"""Completes `python/pygeodesign/_core.pyi` from the compiled module.

    python tools/stubs.py            # after a change to a docstring or to an operation
    python tools/stubs.py --check    # fails where the file is not what this makes of it

Signatures are written in the file, by hand, in the blocking classes. From there the awaitable twins follow: every
operation of `Project` and `Client` stands in `AsyncProject` and `AsyncClient` with an awaitable result. Docstrings have
one source, the Rust code; they are copied from the module, so that editors show what `help()` does.
"""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

from pygeodesign import _core

STUBS = Path(__file__).resolve().parent.parent / "python" / "pygeodesign" / "_core.pyi"
TWINS = {"Project": "AsyncProject", "Client": "AsyncClient"}
HEADER = "# Completed by tools/stubs.py: signatures are written here, docstrings and awaitable twins are copied.\n\n"


def main() -> int:
    written = STUBS.read_text(encoding="utf-8")
    completed = formatted(complete(written))
    if "--check" in sys.argv and completed != written:
        print(f"{STUBS.name} is out of date: run python tools/stubs.py", file=sys.stderr)
        return 1
    STUBS.write_text(completed, encoding="utf-8")
    return 0


def complete(stubs: str) -> str:
    tree = ast.parse(stubs)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for blocking, awaitable in TWINS.items():
        add_twins(classes[blocking], classes[awaitable])
    for node in classes.values():
        add_docstrings(node)
    return HEADER + ast.unparse(tree)


def add_twins(blocking: ast.ClassDef, awaitable: ast.ClassDef) -> None:
    own = [node for node in awaitable.body if not is_twin(node, blocking)]
    awaitable.body = own + [twin(node) for node in blocking.body if is_operation(node)]


def is_operation(node: ast.stmt) -> bool:
    """A public method that asks the service. Both classes write the others themselves."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return False
    return not node.name.startswith("_") and node.name not in {"project", "close"}


def is_twin(node: ast.stmt, blocking: ast.ClassDef) -> bool:
    operations = {other.name for other in blocking.body if isinstance(other, ast.FunctionDef) and is_operation(other)}
    return isinstance(node, ast.FunctionDef) and node.name in operations


def twin(node: ast.stmt) -> ast.FunctionDef:
    copy = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(copy, ast.FunctionDef) and copy.returns is not None
    answer = ast.Tuple([ast.Name("Any"), ast.Name("Any"), copy.returns])
    copy.returns = ast.Subscript(value=ast.Name("Coroutine"), slice=answer)
    return copy


def add_docstrings(node: ast.ClassDef) -> None:
    runtime = getattr(_core, node.name)
    set_docstring(node, runtime.__doc__)
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
            set_docstring(member, getattr(runtime, member.name).__doc__)


def set_docstring(node: ast.ClassDef | ast.FunctionDef, docstring: str | None) -> None:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if docstring is not None:
        depth = 4 if isinstance(node, ast.ClassDef) else 8
        lines = inspect.cleandoc(docstring).splitlines()
        text = ("\n" + " " * depth).join(lines).replace(" " * depth + "\n", "\n")
        if len(lines) > 1:
            text += "\n" + " " * depth
        body = [ast.Expr(ast.Constant(text)), *(statement for statement in body if not is_ellipsis(statement))]
    node.body = body or [ast.Expr(ast.Constant(...))]


def is_ellipsis(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and value.value is ...


def formatted(stubs: str) -> str:
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUBS), "-"]
        stubs = subprocess.run(ruff, input=stubs, capture_output=True, text=True, check=True).stdout
    return stubs


if __name__ == "__main__":
    sys.exit(main())
