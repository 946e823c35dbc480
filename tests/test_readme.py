"""What the README shows first is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
EXAMPLE = re.compile(r"^```python\n(?P<code>.*?)^```$.*?^```text\n(?P<shown>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_first_example_prints_what_it_shows(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    if "```python" not in text:
        pytest.skip("the README has no example")
    example = EXAMPLE.search(text)
    assert example, "no ```text block follows the first ```python block"
    run = subprocess.run([sys.executable, "-c", example["code"]], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == example["shown"].strip()
