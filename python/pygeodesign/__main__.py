"""The command line: `pygeodesign serve`, or `python -m pygeodesign serve`."""

import signal
import sys

from pygeodesign import _core


def main() -> int:
    """Run the command that the process was started with."""
    # A terminated service finishes its answers, as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _core._run(["pygeodesign", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
