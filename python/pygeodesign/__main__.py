"""The command line: `pygeodesign`, or `python -m pygeodesign`."""

import os
import signal
import sys
import threading
import time
import warnings

from pygeodesign import _core

INTERRUPTED = 130
SECONDS_BETWEEN_TRIMS = 60.0
ARENAS_PER_PROCESSOR = 1
# Larger blocks have pages of their own, which are freed at once. By default, glibc's threshold grows to the largest
# block ever freed, and free space between smaller blocks stays.
OWN_PAGES_FROM = 128 * 1024
# From malloc.h.
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8


def return_free_memory() -> None:
    """Returns free memory to the operating system each minute while a service runs.

    glibc makes eight arenas per processor. Each keeps the memory that was free after its largest response, in pieces
    between blocks in use. A service that runs for hours would keep all of that in every arena.
    """
    # Only here: other commands end before it matters.
    import ctypes

    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt") or not hasattr(library, "malloc_trim"):
        return

    def trim_repeatedly() -> None:
        while True:
            time.sleep(SECONDS_BETWEEN_TRIMS)
            library.malloc_trim(0)

    # Before the service's threads take arenas.
    library.mallopt(M_MMAP_THRESHOLD, OWN_PAGES_FROM)
    library.mallopt(M_ARENA_MAX, ARENAS_PER_PROCESSOR * (os.cpu_count() or 1))
    threading.Thread(target=trim_repeatedly, daemon=True).start()


def main() -> int:
    """Runs the command in `sys.argv`."""
    # SIGTERM ends a command like Ctrl-C: a service completes the requests in progress.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A warning is a line for the user, who does not know the file that it comes from.
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
    if sys.platform == "linux" and sys.argv[1:2] == ["serve"]:
        return_free_memory()
    try:
        return _core._run(["pygeodesign", *sys.argv[1:]])
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
