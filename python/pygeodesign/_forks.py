"""Closes the sockets of running sandboxes in forked children, which inherit them.

Otherwise a stopped sandbox would seem to run while a child lives: the system would accept connections that nothing
answers, and the port would stay in use. Rust cannot close a file by its number without `unsafe`; Python can.
"""

import os

from pygeodesign import _core

_addresses: list[tuple[str, int]] = []


def _before() -> None:
    # In the child, other threads of the parent may have held the services' lock or an import lock for ever.
    _addresses[:] = _core._service_addresses()
    if _addresses:
        import pathlib  # noqa: F401
        import socket  # noqa: F401


def _in_child() -> None:
    if not _addresses:
        return
    import socket
    from pathlib import Path

    # The complete list first: reading it opens a file, too.
    for file in [*Path("/dev/fd").iterdir()]:
        try:
            inherited = socket.socket(fileno=int(file.name))
        except OSError:
            # Not a socket.
            continue
        # Listening sockets, and those accepted from them.
        if inherited.family in (socket.AF_INET, socket.AF_INET6) and inherited.getsockname()[:2] in _addresses:
            inherited.close()
        else:
            inherited.detach()


_guarded = False


def guard() -> None:
    """Closes them in all children forked from now on. A second call changes nothing."""
    global _guarded
    if not _guarded and hasattr(os, "register_at_fork"):
        _guarded = True
        os.register_at_fork(before=_before, after_in_child=_in_child)
