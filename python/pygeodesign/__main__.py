"""The command line: `pygeodesign serve`, or `python -m pygeodesign serve`."""

import signal
import sys

from pygeodesign import _core


def main() -> int:
    """Run the command in `sys.argv`."""
    # SIGTERM stops the service like Ctrl-C: it completes the requests in progress.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _core._run(["pygeodesign", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
