"""Ctrl-C at a given moment."""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def ctrl_c(condition: Callable[[], bool]) -> Iterator[list[float]]:
    """Sends SIGINT to this process once the condition holds; the list gets the time of the signal."""
    signal_times: list[float] = []
    block_ended = threading.Event()

    def send_signal() -> None:
        while not condition() and not block_ended.is_set():
            time.sleep(0.01)
        time.sleep(0.05)
        signal_times.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send_signal)
    # The exception would be lost in a callback of the garbage collector, such as hypothesis has.
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    thread.start()
    try:
        yield signal_times
    finally:
        gc.callbacks[:] = callbacks
        block_ended.set()
        thread.join()


def seconds_until_interrupt(condition: Callable[[], bool], call: Callable[[], Any]) -> float:
    """Seconds from Ctrl-C to the exception."""
    with ctrl_c(condition) as signal_times, pytest.raises(KeyboardInterrupt):
        call()
    return time.monotonic() - signal_times[0]
