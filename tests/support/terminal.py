"""A command at a terminal, with a person who types."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from commands import arguments_of, environment

# The prompts for secrets.
PROMPTS = (b"Token for", b"Link of your card")


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: where a person types and reads, and where a program does."""
    person, program = os.openpty()
    try:
        yield person, program
    finally:
        os.close(person)
        os.close(program)


def type_at_prompt(folder: Path, typed: bytes, *command: object, **variables: str) -> tuple[int, str]:
    """Types something at a command's prompt; returns the exit code and everything that the person sees."""
    with terminal() as (person, program):
        process = subprocess.Popen(
            arguments_of(command),
            env=environment(folder, **variables),
            stdin=program,
            stdout=program,
            stderr=program,
            # Without the terminal of the tests, if there is one.
            start_new_session=True,
        )
        seen = b""
        while not any(prompt in seen for prompt in PROMPTS):
            seen += os.read(person, 4096)
        time.sleep(0.3)
        if typed:
            os.write(person, typed)
        else:
            process.send_signal(signal.SIGINT)
        code = process.wait(timeout=30)
        os.write(program, b"\0")
        while not seen.endswith(b"\0"):
            seen += os.read(person, 4096)
    return code, seen.decode()
