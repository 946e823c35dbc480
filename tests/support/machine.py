"""The machine's other load while a test measures a time, and its limits."""

import os


def slowed_down() -> float:
    """Factor by which a program may take longer while others wait for the processors, too; 1 on an idle machine."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def allow_many_files() -> None:
    """Raises this process's limit of open files to the system's maximum."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
