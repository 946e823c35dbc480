"""Refuses to be imported in a sub-interpreter.

The extension module keeps Python objects for the complete process, which belong to one interpreter. Newer versions of
Python refuse to load it into a second one, older ones load it and hang when they exit.
"""


def _interpreter_id() -> int:
    """The number of the current interpreter; 0 is the main one. Also 0 if Python has no module to ask."""
    # The module's names in Python 3.13 and newer, and before.
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            current = __import__(name).get_current()
        except ImportError:
            continue
        # Newer versions add the creator of the interpreter.
        return int(current[0] if isinstance(current, tuple) else current)
    return 0


if _interpreter_id() != 0:
    raise ImportError(
        "pygeodesign cannot be imported in a sub-interpreter, only in the main interpreter of a process; use threads, "
        "or processes by multiprocessing or concurrent.futures.ProcessPoolExecutor",
        name="pygeodesign",
    )
