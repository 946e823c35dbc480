"""The benchmarks run to the end, and only with peers that have everything that their authors recommend."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHES = ROOT / "benches"


def run_benchmarks_without(*modules: str) -> subprocess.CompletedProcess[str]:
    """Runs the benchmarks in a Python that cannot import these modules."""
    script = (
        f"import runpy, sys\nsys.path.insert(0, {str(BENCHES)!r})\nsys.modules.update(dict.fromkeys({modules!r}))\n"
        f"runpy.run_path({str(BENCHES / 'compare.py')!r}, run_name='__main__')"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)


def test_the_benchmarks_name_uvicorns_missing_extras_and_the_command_to_install_them() -> None:
    ended = run_benchmarks_without("uvloop", "httptools")
    assert ended.returncode == 1
    assert "FastAPI + uvicorn[standard] + SQLite lacks" in ended.stderr
    assert "uvloop" in ended.stderr and "httptools" in ended.stderr
    assert "pip install --group bench" in ended.stderr


def rows_of(table: str) -> set[tuple[str, str]]:
    """The subject and the peer of each row, without sizes."""
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return {(without_sizes(what), without_sizes(beside)) for what, beside, *_ in rows}


def without_sizes(text: str) -> str:
    return re.sub(r"\d[\d., ]*", "# ", text.strip("| "))


@pytest.mark.slow
def test_a_small_run_measures_each_published_row_unless_its_peer_is_missing() -> None:
    command = [sys.executable, str(BENCHES / "compare.py"), "--small"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    left_out = {without_sizes(peer) for peer in re.findall(r"^left out: (.*), because", ended.stdout, re.MULTILINE)}
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    _, _, table = page.partition("## The table")
    table, _, _ = table.partition("\n## ")
    missing = rows_of(table) - rows_of(ended.stdout)
    assert {row for row in missing if row[1] not in left_out} == set()
