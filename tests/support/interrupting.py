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

# Seconds. A signal without effect makes the test fail instead of running for ever.
REPEAT_AFTER = 20.0
MAX_SIGNALS = 3


@contextmanager
def ctrl_c(condition: Callable[[], bool]) -> Iterator[list[float]]:
    """Sends SIGINT to this process once the condition holds, and again if it has no effect; the list gets the times."""
    signal_times: list[float] = []
    block_ended = threading.Event()

    def send_signal() -> None:
        while not condition() and not block_ended.is_set():
            time.sleep(0.01)
        time.sleep(0.05)
        for _ in range(MAX_SIGNALS):
            signal_times.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
            if block_ended.wait(REPEAT_AFTER):
                return

    thread = threading.Thread(target=send_signal)
    # The exception would be lost in code called by the garbage collector: callbacks, such as hypothesis's, and
    # finalizers of objects from other tests.
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    gc.collect()
    gc.freeze()
    thread.start()
    try:
        yield signal_times
    finally:
        gc.unfreeze()
        gc.callbacks[:] = callbacks
        block_ended.set()
        thread.join()


def seconds_until_interrupt(condition: Callable[[], bool], call: Callable[[], Any]) -> float:
    """Seconds from Ctrl-C to the exception."""
    with ctrl_c(condition) as signal_times, pytest.raises(KeyboardInterrupt):
        call()
    return time.monotonic() - signal_times[0]
