"""Opening a page in a browser of this machine, for the command line."""

import contextlib
import threading
import webbrowser
from pathlib import Path


def open_in_browser(page: Path) -> None:
    """Opens a file in the user's browser, on a thread of its own: a browser may take seconds to answer."""

    def open_page() -> None:
        with contextlib.suppress(OSError, webbrowser.Error):
            webbrowser.open(page.as_uri())

    threading.Thread(target=open_page, daemon=True).start()
