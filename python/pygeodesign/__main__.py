"""The command line: `pygeodesign`, or `python -m pygeodesign`."""

import signal
import sys
import warnings

from pygeodesign import _core

INTERRUPTED = 130


def main() -> int:
    """Run the command in `sys.argv`."""
    # SIGTERM ends a command like Ctrl-C: a service completes the requests in progress.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A warning is a line for the user, who does not know the file that it comes from.
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
    try:
        return _core._run(["pygeodesign", *sys.argv[1:]])
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
