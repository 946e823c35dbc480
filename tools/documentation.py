"""Pages that MkDocs adds to docs/: the notebooks of examples/, the reference, and the files next to the README.

MkDocs calls these functions (`hooks` in mkdocs.yml). A notebook that is added later needs no line here.
"""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

import notebook_pages
import reference_pages

ROOT = Path(__file__).resolve().parent.parent
# Pages made from files next to the README, by the file's name.
TEXTS = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
TEXTS |= {"CODE_OF_CONDUCT.md": "conduct.md", "crates/service/src/demo/SOURCES.md": "demo-sources.md"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Completes the navigation: notebooks after the analysis, the reference after the connections, and About."""
    notebooks = [f"notebooks/{path.stem}.md" for path in notebook_pages.NOTEBOOKS]
    reference = [{page.title: page.uri} for page in reference_pages.PAGES]
    about = [{"Changelog": "changelog.md"}, {"Contributing": "contributing.md"}, {"Security": "security.md"}]
    following: dict[str, Any] = {"Analyse": {"Notebooks": notebooks}, "Connect": {"Reference": reference}}
    nav: list[Any] = []
    for section in config.nav or []:
        nav += [section, *(following[name] for name in section if name in following)]
    config.nav = [*nav, {"About": about}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    # Tests that have already run the notebooks say where the results are.
    given = os.environ.get("PYGEODESIGN_EXECUTED_NOTEBOOKS")
    with tempfile.TemporaryDirectory() as made:
        for notebook in notebook_pages.NOTEBOOKS:
            page = notebook_pages.page(notebook, Path(given or made))
            files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=page.markdown))
            for name, picture in page.pictures.items():
                files.append(File.generated(config, f"notebooks/{name}", content=picture))
    for task in reference_pages.PAGES:
        files.append(File.generated(config, task.uri, content=reference_pages.markdown(task)))
    for text, uri in TEXTS.items():
        files.append(File.generated(config, uri, content=(ROOT / text).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turns links between files of the repository into links between pages of the site."""
    if "/" in page.file.src_uri:
        return markdown
    markdown = re.sub(r"\]\(\.\./examples/(\w+)\.ipynb", r"](notebooks/\1.md", markdown)
    markdown = re.sub(r"\]\((?:\.\./)?docs/", "](", markdown)
    for text, uri in TEXTS.items():
        markdown = re.sub(rf"\]\((?:\.\./)?{re.escape(text)}", f"]({uri}", markdown)
    return markdown


def on_post_build(config: MkDocsConfig) -> None:
    # It is for servers: its links are absolute.
    (Path(config.site_dir) / "404.html").unlink(missing_ok=True)
    missing = reference_pages.not_shown(Path(config.site_dir))
    if missing:
        raise PluginError(f"the reference does not show {', '.join(missing)}")


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Takes the script for searching from a disk from the site, not from a server."""
    depth = "../" * page.file.dest_uri.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{depth}site/iframe-worker.js")
