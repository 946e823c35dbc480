"""Pages on paper, as a browser prints them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser


def shares_filled(browser: Browser, page: str, folder: Path, **paper: Any) -> list[float]:
    """The share of each printed page's height, without its margins, between the first and the last ink."""
    if not shutil.which("pdftoppm"):
        pytest.skip("pdftoppm is missing (Debian: apt-get install poppler-utils)")
    made, pdf = folder / "page.html", folder / "page.pdf"
    made.write_text(page, encoding="utf-8")
    tab = browser.new_page()
    tab.goto(made.as_uri())
    tab.pdf(path=str(pdf), **paper)
    tab.close()
    for earlier in folder.glob("printed-*.pgm"):
        earlier.unlink()
    subprocess.run(["pdftoppm", "-r", "30", "-gray", pdf, folder / "printed"], check=True)
    return [_filled(picture) for picture in sorted(folder.glob("printed-*.pgm"))]


def _filled(picture: Path) -> float:
    grey = np.asarray(Image.open(picture))
    inside = grey[round(grey.shape[0] * 0.05) : round(grey.shape[0] * 0.94)]
    rows = np.nonzero((inside < 245).any(axis=1))[0]
    return float(rows[-1] - rows[0] + 1) / len(inside) if len(rows) else 0.0
