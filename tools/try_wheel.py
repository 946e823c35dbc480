"""Installs each wheel in an empty environment, and runs `tools/smoke.py` there.

    python tools/try_wheel.py dist/*.whl

The environment has the Python that runs this program. A wheel for another Python or platform is an error.
"""

import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

SMOKE = Path(__file__).with_name("smoke.py")


def main() -> int:
    if len(sys.argv) < 2:
        print("name the wheels to try: python tools/try_wheel.py dist/*.whl", file=sys.stderr)
        return 2
    for wheel in sys.argv[1:]:
        print(f"Trying {wheel}", flush=True)
        try_wheel(Path(wheel))
    return 0


def try_wheel(wheel: Path) -> None:
    """Raises `CalledProcessError` if the wheel cannot be installed or does not work."""
    with TemporaryDirectory() as folder:
        environment = Path(folder)
        venv.create(environment, with_pip=False)
        python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        # --no-index, so that the installation fails if the package needs another one.
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", str(python)]
        subprocess.run([*pip, "install", "--no-index", str(wheel)], check=True)
        subprocess.run([str(python), "-W", "error", "-I", str(SMOKE)], cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main())
