"""The wheel works in an environment without other packages."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT_FROM = [
    "Cargo.toml",
    "Cargo.lock",
    "pyproject.toml",
    "THIRD_PARTY_LICENSES.txt",
    "src",
    "crates",
    "web",
    "python",
]


def try_wheel(wheel: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "try_wheel.py"), str(wheel)]
    run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert run.returncode == 0, run.stderr


def is_newer_than_its_sources(wheel: Path) -> bool:
    """True if `make wheel` has run since a source changed."""
    files = [file for name in BUILT_FROM for file in [ROOT / name, *(ROOT / name).rglob("*")] if file.is_file()]
    compiled = {".pyc", ".pyd", ".so"}
    return wheel.stat().st_mtime > max(file.stat().st_mtime for file in files if file.suffix not in compiled)


@pytest.mark.slow
def test_a_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    # This wheel reuses what `make build` compiled, and takes two seconds. A release that runs on older systems is
    # compiled from scratch, which takes minutes: that is what `make wheel` does.
    build = [sys.executable, "-m", "maturin", "build", "--locked", "--quiet", "--features", "checks"]
    build += ["--interpreter", sys.executable, "--out", str(tmp_path)]
    run = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (wheel,) = tmp_path.glob("*.whl")
    try_wheel(wheel)


WHEELS_OF_THIS_SOURCE = [wheel for wheel in ROOT.glob("dist/*.whl") if is_newer_than_its_sources(wheel)]


@pytest.mark.slow
@pytest.mark.skipif(not WHEELS_OF_THIS_SOURCE, reason="make wheel has not run since the sources changed")
def test_the_wheels_in_dist_work_in_an_empty_environment() -> None:
    for wheel in WHEELS_OF_THIS_SOURCE:
        try_wheel(wheel)
