"""The benchmarks do not run if a peer lacks libraries that its authors recommend."""

import subprocess
import sys
from pathlib import Path

BENCHES = Path(__file__).parents[1] / "benches"


def run_benchmarks_without(*modules: str) -> subprocess.CompletedProcess[str]:
    """Runs the benchmarks in a Python that cannot import these modules."""
    script = (
        f"import runpy, sys\nsys.path.insert(0, {str(BENCHES)!r})\nsys.modules.update(dict.fromkeys({modules!r}))\n"
        f"runpy.run_path({str(BENCHES / 'compare.py')!r}, run_name='__main__')"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)


def test_the_benchmarks_name_missing_extras_of_uvicorn_and_the_command_that_installs_them() -> None:
    ended = run_benchmarks_without("uvloop", "httptools")
    assert ended.returncode == 1
    assert "FastAPI + uvicorn[standard] + SQLite lacks" in ended.stderr
    assert "uvloop" in ended.stderr and "httptools" in ended.stderr
    assert "pip install --group bench" in ended.stderr
