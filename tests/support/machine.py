"""What else the machine does while a test measures a time."""

import os


def slowed_down() -> float:
    """How many times longer a program may take where others wait for the processors too; 1 on an idle machine."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def allow_many_files() -> None:
    """As many open files as the system allows this process."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
