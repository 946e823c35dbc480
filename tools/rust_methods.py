"""Reads the methods of the extension module's classes, with their Rust types, from the Rust sources."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "api"
OPERATIONS = Path("operations")
# The tables of operations, whose rows are methods too.
TABLES = ROOT / "crates" / "core" / "src" / "model" / "operations"


@dataclass
class Method:
    """A method in the sources, with the Python types of its `#[pyo3(signature = …)]` as `annotations`."""

    name: str
    attributes: str
    arguments: dict[str, str]
    result: str
    annotations: dict[str, str] = field(default_factory=dict)
    is_awaited: bool = False


def methods() -> dict[str, dict[str, Method]]:
    """The methods of each class in source order; rows come before the other operations of their group."""
    classes: dict[str, dict[str, Method]] = {}
    groups = {path.relative_to(SOURCES) for path in SOURCES.rglob("*.rs")}
    groups |= {OPERATIONS / path.name for path in TABLES.glob("*.rs")}
    # A folder's `mod.rs` first.
    for group in sorted(groups, key=lambda group: str(group).replace("mod.rs", "")):
        rows = _rows(_source(TABLES / group.name)) if group.parent == OPERATIONS else ()
        source = _with_macros_expanded(_source(SOURCES / group))
        for name, method in [*rows, *_methods_of_classes(source), *_operations(source)]:
            classes.setdefault(name, {})[method.name] = method
    return classes


def _source(path: Path) -> str:
    """A file's text without comments; empty if there is no such file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return re.sub(r"^\s*//.*\n", "", text, flags=re.MULTILINE)


# The handle that has the methods of a row below these ids, and the class of a side of the project.
HANDLES = {"InDiagram": "Diagram", "OfMember": "Member", "InTeam": "Team", "InDesign": "Design", "InSystem": "System"}
SIDES = {"workshop": "Workshop", "study_area": "StudyArea"}


def _rows(source: str) -> Iterator[tuple[str, Method]]:
    """The methods in the rows of a table, each with its twin: `get name(id: Id; body: Type, "…") -> Type = …;`, where
    `as short` is the name of a handle's method, and `in side` names the side of the project that has the method.
    """
    row = re.compile(
        r'\((?P<ids>\w+)[^()]*\)\s+"[^"]*" \{(?P<attributes>[^{}]*?)\n\s+(?P<how>\w+) (?P<name>\w+)'
        r"(?: as (?P<short>\w+))?(?: in (?P<side>\w+))?\((?P<arguments>.*?)\)(?: -> (?P<result>[\w<>]+)|;)"
    )
    for section in re.finditer(r"^(Client|Project) \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL):
        for found in row.finditer(section[2]):
            handle = found["short"] and HANDLES[found["ids"]]
            if found["ids"] in HANDLES | {"InDesignSystem": ""} and not handle and not found["side"]:
                continue
            class_name = handle or SIDES.get(found["side"], section[1])
            ids, _, body = found["arguments"].partition("; ")
            # The argument to send is a slice of a list.
            listed = split(re.sub(r"\[(\w+)\]", r"Vec<\1>", body))[:1]
            typed = (argument.split(": ") for argument in [*split("" if handle else ids), *listed])
            attributes = found["attributes"]
            result = "()" if found["how"] in ("post", "send") else found["result"] or "()"
            name = found["short"] or found["name"]
            method = Method(name, attributes, dict(typed), result, _annotations(attributes))
            yield class_name, method
            yield f"Async{class_name}", Method(**{**vars(method), "is_awaited": True})


def _with_macros_expanded(source: str) -> str:
    """The source and the expansions of its macros whose parameters are identifiers."""
    for macro in list(re.finditer(r"macro_rules! (\w+) \{\s*\((.*?)\) => (?=\{)", source)):
        body = _balanced(source, macro.end())
        parameters = re.findall(r"\$(\w+):ident", macro[2])
        call = re.sub(r"\\\$\w+:ident", r"(\\w+)", re.escape(macro[2]))
        for names in re.finditer(rf"^{macro[1]}! {{ {call} }}", source, re.MULTILINE):
            values = dict(zip(parameters, names.groups(), strict=True))
            source += re.sub(r"\$(\w+)", lambda name, values=values: values[name[1]], body)  # type: ignore[misc]
    return source


def _methods_of_classes(source: str) -> Iterator[tuple[str, Method]]:
    for block in re.finditer(r"#\[pymethods\]\s*impl (\w+) \{", source):
        yield from ((block[1], method) for method in _functions(_balanced(source, block.end() - 1)))


def _operations(source: str) -> Iterator[tuple[str, Method]]:
    for block in re.finditer(r"^(?:operations|making)! \{ (\w+) / (\w+) of [^{}\n]*:\n", source, re.MULTILINE):
        body = _balanced(source, source.index("{", block.start()))
        for method in _functions(body.partition(":\n")[2]):
            yield block[1], Method(**{**vars(method), "result": _made(method.result, 1)})
            yield block[2], Method(**{**vars(method), "result": _made(method.result, 2), "is_awaited": True})


def _made(result: str, twin: int) -> str:
    """Resolves the result for one of the two classes: `one Team / AsyncTeam`, or `each …` for a list of them."""
    if made := re.fullmatch(r"(one|each) (\w+) / (\w+)", result):
        return f"Vec<{made[twin + 1]}>" if made[1] == "each" else made[twin + 1]
    return result


def _functions(body: str) -> Iterator[Method]:
    """The functions of a block, without nested functions."""
    start = 0
    for match in re.finditer(r"(?:pub(?:\(\w+\))? )?fn (\w+)(?:<[^>(]*>)?\(", body):
        if match.start() < start:
            continue
        attributes = body[start : match.start()]
        arguments = _balanced(body, match.end() - 1)
        rest = body[match.end() + len(arguments) + 1 :]
        result = re.match(r"\s*(?:->\s*(.*?))?\s*(=\s\|\w+\||\{)", rest, re.DOTALL)
        assert result, f"{match[1]}: no end of its signature"
        typed = (argument.partition(":") for argument in split(arguments))
        yield Method(
            match[1],
            attributes,
            {name.strip(): _without_wrapper(type_.strip()) for name, _, type_ in typed if type_},
            result[1] or "()",
            _annotations(attributes),
        )
        start = match.end() + len(arguments) + 1 + _end(rest, result)


def _without_wrapper(type_: str) -> str:
    """The type of an argument that arrives as an `Arg` of it."""
    return re.sub(r"\bArg<([\w<>]+)>", r"\1", type_)


def _end(rest: str, signature: re.Match[str]) -> int:
    """The end of the function's body: a semicolon for an operation, a closing brace for any other method."""
    if signature[2] == "{":
        return signature.end() + len(_balanced(rest, signature.end() - 1)) + 1
    return signature.end() + len(split(rest[signature.end() :], ";")[0])


def _annotations(attributes: str) -> dict[str, str]:
    """The types in `signature = (argument: "type" = default) -> "type"`; that of the result has the name `return`."""
    at = re.search(r"\bsignature = \(", attributes)
    if at is None:
        return {}
    signature = _balanced(attributes, at.end() - 1)
    result = re.match(r'\s*->\s*"([^"]*)"', attributes[at.end() + len(signature) + 1 :])
    return dict(re.findall(r'(\w+): "([^"]*)"', signature)) | ({"return": result[1]} if result else {})


def _balanced(text: str, opening: int) -> str:
    """The text between the bracket at `opening` and its closing bracket."""
    depth = 0
    for at, _ in _brackets(text, opening):
        depth += 1 if text[at] in "([{" else -1
        if depth == 0:
            return text[opening + 1 : at]
    raise ValueError(f"no end of {text[opening : opening + 60]!r}")


def split(text: str, separator: str = ",") -> list[str]:
    """Splits a string at separators outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, character in _brackets(text, 0, f"<>{separator}"):
        if character == separator and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        elif character != separator and not (character == ">" and text[at - 1] in "-="):
            depth += 1 if character in "([{<" else -1
    return [*parts, text[start:].strip()] if text[start:].strip() else parts


def _brackets(text: str, start: int, more: str = "") -> Iterator[tuple[int, str]]:
    """The positions of brackets and of `more` characters that are not in a string literal."""
    for match in re.finditer(rf'"(?:[^"\\]|\\.)*"|[()\[\]{{}}{re.escape(more)}]', text[start:]):
        if not match[0].startswith('"'):
            yield start + match.start(), match[0]
