"""`Client.archive_all`: writes an archive of many projects, and updates one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from pygeodesign import _core, _progress
from pygeodesign._core import AsyncClient, AsyncProject, Client, Project
from pygeodesign._many.manifest import (
    MAX_COLUMNS,
    NAME,
    OWN_COLUMNS,
    Entry,
    File,
    Manifest,
    is_cell,
    published_path,
    stored_versions,
    version_path,
)
from pygeodesign._many.store import Store, open_store
from pygeodesign._many.tables import tables_of
from pygeodesign.errors import ArchiveError, InputError
from pygeodesign.types import ArchiveAllReport

# Projects asked for their change ids at the same time.
ASKED_AT_ONCE = 16
# Projects downloaded at the same time. Each sends as many requests at once as the client allows, so
# more projects would only take turns.
DOWNLOADED_AT_ONCE = 2
# Threads that make tables and write files.
THREADS = 4
# Seconds between two writes of the manifest while projects come in: a crash may lose that much.
COMMIT_INTERVAL = 5.0
# Time for which unused files stay, for readers who read the manifest before it was replaced.
GRACE = timedelta(hours=1)


def archive_all(client: Client | AsyncClient, store: Any, **options: Any) -> Any:
    """Writes or updates an archive; a warning names the projects that cannot be read. `AsyncClient`: a coroutine."""
    if isinstance(client, AsyncClient):
        return _awaited_archive_all(client, store, **options)
    report = run_archive_all(client, store, **options)
    # The caller's frame is behind the method's frames.
    _warn(report, stacklevel=5)
    return report


async def _awaited_archive_all(client: AsyncClient, store: Any, **options: Any) -> ArchiveAllReport:
    """The same for `AsyncClient`; cancelling its task ends it."""
    report = await _archive_all(client, store, **options)
    _warn(report, stacklevel=3)
    return report


def run_archive_all(client: Client, store: Any, **options: Any) -> ArchiveAllReport:
    """Runs `_archive_all` on its own thread, because the caller's may have an event loop. Ctrl-C ends it."""
    positional, named = client.__getnewargs_ex__()
    outcome: list[Any] = []
    started = threading.Event()
    running: dict[str, Any] = {}

    async def run() -> None:
        running["loop"], running["task"] = asyncio.get_running_loop(), asyncio.current_task()
        started.set()
        async with AsyncClient(*positional, **named) as asynchronous:
            outcome.append(await _archive_all(asynchronous, store, **options))

    def work() -> None:
        try:
            asyncio.run(run())
        except BaseException as problem:
            outcome.append(problem)
        finally:
            started.set()

    thread = threading.Thread(target=work, name="archive_all", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
    except BaseException:
        started.wait()
        if thread.is_alive() and running:
            running["loop"].call_soon_threadsafe(running["task"].cancel)
        thread.join()
        raise
    result = outcome[-1]
    if isinstance(result, BaseException):
        raise result
    return result  # type: ignore[no-any-return]


def archive_all_as_json(client: Client, store: str, projects: list[str] | None) -> str:
    """The report of `pygeodesign archive-all`, with failures as strings."""
    report = run_archive_all(client, store, projects=projects)
    return json.dumps({**report, "failures": {project: str(error) for project, error in report["failures"].items()}})


def _warn(report: ArchiveAllReport, stacklevel: int) -> None:
    failures = report["failures"]
    if failures:
        listed = "; ".join(f"{project}: {error}" for project, error in list(failures.items())[:10])
        more = f"; and {len(failures) - 10} more" if len(failures) > 10 else ""
        message = f"{len(failures)} projects could not be archived and are unchanged: {listed}{more}"
        warnings.warn(message, stacklevel=stacklevel)


async def _archive_all(
    client: AsyncClient,
    store: Any,
    *,
    projects: Any = None,
    storage_options: dict[str, Any] | None = None,
    progress: bool | None = None,
) -> ArchiveAllReport:
    wanted = _wanted(projects)
    place = open_store(store, storage_options)
    executor = ThreadPoolExecutor(THREADS, thread_name_prefix="archive_all")
    try:
        run = _Run(client, place, executor, await _in(executor, lambda: Manifest.read(place) or Manifest()))
        if wanted is None:
            listed = await client.projects()
            wanted = {project["id"]: {} for project in listed}
        return await run.archive(wanted, progress)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _wanted(projects: Any) -> dict[str, dict[str, Any]] | None:
    """The ids of projects with their columns for the manifest."""
    if projects is None:
        return None
    if isinstance(projects, (str, Project, AsyncProject)):
        projects = [projects]
    if not isinstance(projects, Iterable):
        raise InputError(f"projects is {projects!r}; give a list of ids, or a dict from ids to columns")
    columns = projects if isinstance(projects, Mapping) else {}
    wanted: dict[str, dict[str, Any]] = {}
    for project in projects:
        projectid = getattr(project, "id", project)
        if not isinstance(projectid, str):
            raise InputError(f"{project!r} is not a project id")
        given = columns.get(project, {})
        named = {str(name): _of_python(value) for name, value in given.items()} if isinstance(given, Mapping) else None
        if named is None or not all(map(is_cell, [*named, *named.values()])):
            raise InputError(
                f"the columns of project {projectid} are {given!r}; give a dict from names to texts, finite numbers, "
                "booleans or None"
            )
        for name in named:
            if name in OWN_COLUMNS:
                raise InputError(f"{name} is a column already; rename the one of project {projectid}")
        wanted[projectid] = named
    return wanted


def _of_python(value: Any) -> Any:
    """A NumPy number, which rows of tables have, as a Python number."""
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


class _Run:
    """One run over all projects."""

    def __init__(self, client: AsyncClient, store: Store, executor: ThreadPoolExecutor, manifest: Manifest) -> None:
        self.client = client
        self.store = store
        self.executor = executor
        self.manifest = manifest
        # The projects whose entries are from this run. Another process may have newer entries of the others.
        self.own: set[str] = set()
        # The reason why the store takes no files: no further project is downloaded in vain.
        self.unwritable: ArchiveError | None = None
        # The manifest as it is in the store.
        self.written = manifest.to_json() if manifest.projects else b""
        self.committing = asyncio.Lock()
        self.downloading = asyncio.Semaphore(DOWNLOADED_AT_ONCE)
        self.committed_at = time.monotonic()
        self.report = ArchiveAllReport(archived=[], unchanged=[], kept=[], failures={})

    async def archive(self, wanted: dict[str, dict[str, Any]], progress: bool | None) -> ArchiveAllReport:
        self.report["kept"] = sorted(self.manifest.projects.keys() - wanted.keys())
        waiting = iter(wanted.items())

        async def work(advance: Callable[[int], object]) -> None:
            for project, columns in waiting:
                await self._refresh(project, columns)
                advance(1)
                if time.monotonic() > self.committed_at + COMMIT_INTERVAL:
                    await self._commit()

        with _progress.counting("archive_all", len(wanted), progress) as advance:
            workers = [asyncio.ensure_future(work(advance)) for _ in range(ASKED_AT_ONCE)]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                # After Ctrl-C, too: complete projects are kept.
                await self._commit()
        await self._remove_unused()
        return self.report

    async def _in_store(self, work: Callable[[], Any]) -> Any:
        """Does work whose failure fails all projects."""
        try:
            return await self._in(work)
        # Stores raise errors of many classes.
        except Exception as problem:
            raise self._unwritable(problem) from problem

    def _unwritable(self, problem: Exception) -> ArchiveError:
        return ArchiveError(f"the archive in {self.store} cannot be written: {problem}")

    def _in(self, work: Callable[[], Any]) -> Any:
        return _in(self.executor, work)

    async def _refresh(self, projectid: str, columns: dict[str, Any]) -> None:
        """Updates one project. Its failure does not affect other projects."""
        try:
            project = self.client.project(projectid)
            changeid = await project.change_id()
            entry = self.manifest.projects.get(projectid)
            if entry is None or entry.changeid != changeid or entry.source != self.client.base_url:
                entry = await self._read(project, entry, changeid, columns)
                self.manifest.projects[projectid] = entry
                self.own.add(projectid)
                self.report["archived"].append(projectid)
            else:
                self._check_columns(columns)
                entry.columns |= columns
                self.own |= {projectid} if columns else set()
                self.report["unchanged"].append(projectid)
        # Failures are reported at the end.
        except Exception as problem:
            if problem is self.unwritable:
                raise
            self.report["failures"][projectid] = problem

    async def _read(self, project: AsyncProject, entry: Entry | None, changeid: str, columns: dict[str, Any]) -> Entry:
        with tempfile.TemporaryDirectory(prefix="pygeodesign-") as folder:
            path = Path(folder) / "project.zip"
            if entry is not None and entry.source == self.client.base_url:
                await self._in(lambda: self._fetch(entry, path))
            async with self.downloading:
                await _bring_up_to_date(project, path)
            made: Entry = await self._in(lambda: self._store(project.id, path, changeid))
        earlier = entry.columns if entry is not None else {}
        made.columns = {**earlier, **made.columns, **columns}
        self._check_columns(made.columns)
        return made

    def _check_columns(self, columns: dict[str, Any]) -> None:
        """Refuses columns that no reader of the manifest would accept."""
        if len(self.manifest.column_names() | columns.keys()) > MAX_COLUMNS:
            raise InputError(f"all projects of an archive together may have at most {MAX_COLUMNS} columns")

    def _fetch(self, entry: Entry, path: Path) -> None:
        """Fetches the project's own archive in its old state, unless it is damaged."""
        file = entry.files["project"]
        try:
            content = self.store.read(file.path, file.size)
        # Stores raise errors of many classes. An unreadable project is archived again.
        except Exception:
            return
        if content is not None and hashlib.sha256(content).hexdigest() == file.sha256:
            path.write_bytes(content)

    def _store(self, projectid: str, path: Path, changeid: str) -> Entry:
        """Writes a project's files, which nothing reads before the manifest names them."""
        project = _core._open_own(path)
        source, archived_changeid, etags, counts = project._archived_state()
        costs = project.costs()
        tables = tables_of(project, costs)
        bad_rows = sum(row["rate_source"] == "unknown" for row in costs.diagrams)
        contents = {**tables.files, "project": path.read_bytes()}
        info = {name: value for name, value in project.info().items() if name != "id" and is_cell(value)}
        return Entry(
            source=source,
            # The zip's change id was requested last before the project was read.
            changeid=archived_changeid or changeid,
            etags=etags,
            archived_at=datetime.now(UTC).isoformat(),
            columns=info,
            bounds=tables.bounds,
            counts={**counts, "bad_rows": bad_rows},
            files={kind: self._write(projectid, kind, content) for kind, content in contents.items()},
        )

    def _write(self, projectid: str, kind: str, content: bytes) -> File:
        sha256 = hashlib.sha256(content).hexdigest()
        file = File(version_path(projectid, kind, sha256), len(content), sha256)
        old = self.manifest.projects.get(projectid)
        if old is None or old.files[kind] != file:
            try:
                self.store.write(file.path, content)
            # Stores raise errors of many classes.
            except Exception as problem:
                self.unwritable = self._unwritable(problem)
                raise self.unwritable from problem
        return file

    async def _commit(self) -> None:
        """Writes the manifest, which shows the new files to readers, then the names without a version."""
        async with self.committing:
            written = await self._write_manifest()
            unpublished = {projectid: entry for projectid, entry in written.items() if not entry.published}
            publishing = [partial(self._publish, projectid, entry) for projectid, entry in unpublished.items()]
            await asyncio.gather(*map(self._in_store, publishing))
            await self._write_manifest()
            self.committed_at = time.monotonic()

    async def _write_manifest(self) -> dict[str, Entry]:
        """Writes the changes; returns the entries that are in the store then."""
        if self.manifest.to_json() != self.written:
            await self._add_others()
        # Made here and not on the thread, because more projects come in meanwhile.
        content, entries = self.manifest.to_json(), dict(self.manifest.projects)
        if content != self.written:
            await self._in_store(lambda: self.store.write(NAME, content))
            self.written = content
        return entries

    async def _add_others(self) -> None:
        """Takes over projects that another process has archived meanwhile."""
        others = await self._in(lambda: Manifest.read(self.store))
        if others is not None:
            self.manifest.projects |= {key: entry for key, entry in others.projects.items() if key not in self.own}

    def _publish(self, projectid: str, entry: Entry) -> None:
        for kind, file in entry.files.items():
            self.store.copy(file.path, published_path(projectid, kind))
        entry.published = True
        self.own.add(projectid)

    async def _remove_unused(self) -> None:
        """Removes files that no project has, once no reader can still have a manifest that names them."""
        now = datetime.now(UTC)
        unused = await self._in_store(lambda: stored_versions(self.store)) - self.manifest.current_paths()
        since = {path: self.manifest.unused.get(path, now.isoformat()) for path in sorted(unused)}
        expired = {path for path, time in since.items() if now - datetime.fromisoformat(time) >= GRACE}
        self.manifest.unused = {path: time for path, time in since.items() if path not in expired}
        await self._write_manifest()
        await self._in_store(lambda: self.store.remove(expired))


async def _bring_up_to_date(project: AsyncProject, path: Path) -> None:
    """Archives a project. An existing file that is not a readable archive is ignored."""
    if path.exists():
        try:
            await project.sync(path, progress=False)
            return
        except ArchiveError:
            path.unlink()
    await project.archive(path, progress=False)


def _in(executor: ThreadPoolExecutor, work: Callable[[], Any]) -> Any:
    return asyncio.get_running_loop().run_in_executor(executor, work)
