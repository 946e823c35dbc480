"""Makes pages from the notebooks of examples/: runs them, and writes text, code and results as Markdown."""

import base64
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# In reading order; others come last.
ORDER = [
    "first_look",
    "costs_per_system",
    "comparing_designs",
    "suitability_and_conflicts",
    "uploading_from_geopandas",
    "offline_and_live",
    "optimum_under_a_budget",
    "a_planners_hour",
]
NOTEBOOKS = sorted(
    EXAMPLES.glob("*.ipynb"), key=lambda path: (ORDER.index(path.stem) if path.stem in ORDER else len(ORDER), path.stem)
)


class Page(NamedTuple):
    markdown: str
    pictures: dict[str, bytes]


def execute(notebook: Path, folder: Path) -> Path:
    """Runs a notebook from top to bottom, unless its result is in the folder already, and writes it there.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed.
    """
    written = folder / notebook.name
    if not written.exists():
        content = nbformat.read(notebook, as_version=4)
        # Files that a notebook writes belong in the folder, too.
        NotebookClient(content, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
        nbformat.write(content, written)
    return written


def page(notebook: Path, folder: Path) -> Page:
    """The notebook with its results; `folder` keeps the executed notebook."""
    pictures: dict[str, bytes] = {}
    parts = []
    for cell in nbformat.read(execute(notebook, folder), as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"```python\n{cell.source}\n```")
            parts += [_result(output, notebook.stem, pictures) for output in cell.outputs]
    download = (
        f"*This page is the notebook `examples/{notebook.name}`, run from top to bottom when the site was built.*"
    )
    title, *rest = [part for part in parts if part]
    return Page("\n\n".join([title, download, *rest]) + "\n", pictures)


def _result(output: Any, name: str, pictures: dict[str, bytes]) -> str:
    """One result of a cell as Markdown. Progress bars are left out: they are for a waiting user."""
    if output.output_type == "stream":
        return _text(output.text) if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![{_description(name, len(pictures))}]({file})"
    if "text/html" in data:
        # Empty lines would end the HTML for Markdown.
        lines = [line for line in str(data["text/html"]).splitlines() if line.strip()]
        return "\n".join(['<div class="notebook-result">', *lines, "</div>"])
    if "application/vnd.jupyter.widget-view+json" in data:
        return ""
    return _text(data.get("text/plain", ""))


def _text(text: str) -> str:
    return f"```text\n{textwrap.dedent(text).rstrip()}\n```" if text.strip() else ""


def _description(name: str, number: int) -> str:
    return f"Picture {number} of the notebook {name.replace('_', ' ')}"
