"""The documentation site, built once for all its tests, and the notebooks that it shows."""

import os
import subprocess
import sys
from pathlib import Path

from documents import ROOT

# These modules are programs outside of the package.
sys.path.insert(0, str(ROOT / "tools"))
import make_pictures
import notebook_pages
import reference_pages

NOTEBOOKS = notebook_pages.NOTEBOOKS
draw_all = make_pictures.draw_all
execute = notebook_pages.execute
not_shown = reference_pages.not_shown


def build(site: Path, executed: Path, docs: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the same as `make docs`. `docs` is a folder of pages instead of docs/."""
    settings = ROOT / "mkdocs.yml"
    if docs:
        text = settings.read_text(encoding="utf-8").replace("docs_dir: docs", f"docs_dir: {docs}")
        settings = docs.parent / "mkdocs.yml"
        text = text.replace("tools/", f"{ROOT}/tools/").replace("paths: [python]", f"paths: [{ROOT}/python]")
        settings.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", settings, "--site-dir", site]
    environment = os.environ | {
        "NO_MKDOCS_2_WARNING": "1",
        "PYGEODESIGN_EXECUTED_NOTEBOOKS": str(executed),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240
    )
