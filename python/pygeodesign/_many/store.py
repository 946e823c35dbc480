"""The place where an archive of many projects is kept: a folder, or any place that fsspec or obstore reaches."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from pygeodesign._core import _missing_extra
from pygeodesign._wrong_arguments import with_article
from pygeodesign.errors import InputError

# There, one request writes an object in one step. Elsewhere a file is written under another name and renamed.
OBJECT_STORES = {"abfs", "abfss", "adl", "az", "gcs", "gs", "memory", "obstore", "oci", "oss", "r2", "s3", "s3a"}

# Bytes requested at a time; fewer may come.
BYTES_OF_A_STREAM = 1024 * 1024


class Store(Protocol):
    """Files by name. Names are relative and have slashes. You may call all methods from any thread."""

    # The filesystem for pyarrow and DuckDB; None for this machine's.
    filesystem: Any

    def address(self, name: str) -> str:
        """The path or URL of a file, for libraries that read it themselves."""

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """The content of a file; None if there is none. A file that is larger may be cut to its start."""

    def write(self, name: str, content: bytes) -> None:
        """Writes a file in one step: readers never see a part of it."""

    def copy(self, source: str, name: str) -> None:
        """Gives a file a second name, or copies it where it can have only one."""

    def remove(self, names: Iterable[str]) -> None:
        """Removes files; a missing one is not an error."""

    def names(self, folder: str) -> set[str]:
        """The names of all files below a folder."""


def open_store(store: Any, storage_options: dict[str, Any] | None = None) -> Store:
    """The store for a caller's path, URL, or object of fsspec or obstore."""
    if isinstance(store, (str, os.PathLike)) and not hasattr(store, "fs"):
        text = os.fspath(store)
        if not text:
            raise InputError('the archive\'s place is an empty string; give a folder, such as ".", or a URL')
        if isinstance(text, str) and ("://" in text or "::" in text):
            return _open_url(text, storage_options or {})
        if isinstance(text, str):
            _refuse_options(storage_options, "a folder")
            return Folder(_expanded(text))
    _refuse_options(storage_options, "an object that has its own")
    if type(store).__module__.partition(".")[0] == "obstore" and hasattr(store, "prefix"):
        from pygeodesign._many.obstore_files import ObstoreFiles

        return _open_files(ObstoreFiles(store), "")
    if hasattr(store, "fs") and (hasattr(store, "root") or hasattr(store, "path")):
        # A mapping of fsspec, or a path of universal_pathlib.
        return _open_files(store.fs, str(store.root if hasattr(store, "root") else store.path))
    if hasattr(store, "cat_file") and hasattr(store, "pipe_file"):
        return _open_files(store, "")
    raise InputError(
        f"no archive can be kept in {with_article(type(store).__name__)}; give a folder, a URL such as "
        "s3://bucket/archive, a filesystem of fsspec, or a store of obstore"
    )


def _expanded(path: str) -> Path:
    """The path with `~` expanded: shells do not expand it within quotes, and programs do not at all."""
    try:
        return Path(path).expanduser()
    except RuntimeError as problem:
        raise InputError(f"the folder {path} cannot be found: {problem}") from problem


def _refuse_options(storage_options: dict[str, Any] | None, where: str) -> None:
    if storage_options:
        raise InputError(f"storage_options= are for URLs such as s3://bucket/archive, not for {where}")


def _open_url(url: str, storage_options: dict[str, Any]) -> Store:
    try:
        from fsspec.core import url_to_fs
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    try:
        filesystem, root = url_to_fs(url, **storage_options)
    except ValueError as problem:
        raise InputError(f"{_without_password(url)} cannot be used: {problem}") from problem
    return _open_files(filesystem, root)


def _open_files(filesystem: Any, root: str) -> Store:
    while hasattr(filesystem, "fs") and type(filesystem).__name__ == "DirFileSystem":
        filesystem, root = filesystem.fs, f"{filesystem.path}/{root}".rstrip("/")
    if "file" in _protocols(filesystem):
        # Its own writes are not safe against interruptions.
        return Folder(Path(root))
    return Files(filesystem, root.rstrip("/"))


def _protocols(filesystem: Any) -> tuple[str, ...]:
    protocol = filesystem.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)


def _without_password(url: str) -> str:
    return re.sub(r"(?<=://)[^/@]*@", "", url)


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class Folder:
    """A folder on this machine or on a network drive."""

    filesystem = None

    def __init__(self, path: Path) -> None:
        """Keeps the absolute path, because the working directory may change."""
        self.path = path.absolute()

    def __str__(self) -> str:
        """The path."""
        return str(self.path)

    def address(self, name: str) -> str:
        return str(self.path / name)

    def read(self, name: str, max_bytes: int) -> bytes | None:
        try:
            # Opening a pipe in place of the file would block.
            with open(self.path / name, "rb", opener=_open_without_waiting) as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise OSError(f"{self.path / name} is not a regular file")
                # Python allocates memory for all bytes that it is asked to read.
                return file.read(min(max_bytes, found.st_size) + 1)
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        draft = self._draft(name)
        try:
            with draft.open("xb") as file:
                file.write(content)
                file.flush()
                # Otherwise the name could reach the disk before the content.
                os.fsync(file.fileno())
            draft.replace(self.path / name)
        finally:
            draft.unlink(missing_ok=True)

    def copy(self, source: str, name: str) -> None:
        draft = self._draft(name)
        if self._own(source).is_symlink():
            raise OSError(f"{self.path / source} is a link to another file")
        try:
            try:
                os.link(self.path / source, draft)
            except OSError:
                # Some filesystems have no hard links.
                shutil.copyfile(self.path / source, draft)
            draft.replace(self.path / name)
        finally:
            # If both names are already the same file, the replacement does nothing and leaves the draft.
            draft.unlink(missing_ok=True)

    def _own(self, name: str) -> Path:
        """The path of a file to write or to remove. In a foreign archive, a folder may be a link to another place."""
        path = self.path / name
        for folder in path.parents:
            if folder == self.path:
                return path
            if folder.is_symlink():
                raise OSError(f"{folder} is a link to another folder")
        raise OSError(f"{path} is not in {self.path}")

    def _draft(self, name: str) -> Path:
        path = self._own(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.with_name(f".draft-{secrets.token_hex(8)}")

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self._own(name).unlink(missing_ok=True)

    def names(self, folder: str) -> set[str]:
        root = self._own(f"{folder}/any").parent
        return {
            (Path(where) / file).relative_to(self.path).as_posix()
            for where, _, files in os.walk(root)
            for file in files
        }


class Files:
    """A place that fsspec reaches, such as a bucket."""

    def __init__(self, filesystem: Any, root: str) -> None:
        """A filesystem of fsspec, and the path of the archive in it."""
        self.filesystem = filesystem
        self.root = root
        self.protocol = _protocols(filesystem)[0]
        self.puts_whole = bool(OBJECT_STORES.intersection(_protocols(filesystem)))

    def __str__(self) -> str:
        """The URL, without any password."""
        return self._url(self.root)

    def address(self, name: str) -> str:
        return self._url(self._path(name))

    def _url(self, path: str) -> str:
        # Some filesystems, such as HTTP, use complete URLs as paths.
        return path if "://" in path else f"{self.protocol}://{path}"

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}" if self.root else name

    def read(self, name: str, max_bytes: int) -> bytes | None:
        path = self._path(name)
        # One byte more, to notice larger files.
        end = max_bytes + 1
        try:
            if self.protocol in ("http", "https"):
                return self._start_of(path, end)
            content: bytes = self.filesystem.cat_file(path, start=0, end=end)
        except FileNotFoundError:
            return None
        return content

    def _start_of(self, path: str, end: int) -> bytes:
        """The first bytes of a web server's response, which may be all of a larger file, whatever the request says."""
        parts = []
        # Without blocks, it comes as one stream; with a size, no request asks for it first.
        with self.filesystem.open(path, "rb", block_size=0, size=end) as file:
            while end > 0 and (part := file.read(min(end, BYTES_OF_A_STREAM))):
                parts.append(part)
                end -= len(part)
        return b"".join(parts)

    def write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        if self.puts_whole:
            self.filesystem.pipe_file(path, content)
            return
        draft = self._draft(path)
        self.filesystem.pipe_file(draft, content)
        self.filesystem.mv(draft, path)

    def copy(self, source: str, name: str) -> None:
        path = self._path(name)
        if self.puts_whole:
            self.filesystem.cp_file(self._path(source), path)
            return
        draft = self._draft(path)
        self.filesystem.cp_file(self._path(source), draft)
        self.filesystem.mv(draft, path)

    def _draft(self, path: str) -> str:
        folder = path.rpartition("/")[0]
        self.filesystem.makedirs(folder, exist_ok=True)
        return f"{folder}/.draft-{secrets.token_hex(8)}"

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            try:
                self.filesystem.rm_file(self._path(name))
            except FileNotFoundError:
                continue

    def names(self, folder: str) -> set[str]:
        # Other processes write there, too.
        self.filesystem.invalidate_cache()
        try:
            found = self.filesystem.find(self._path(folder))
        except FileNotFoundError:
            return set()
        skipped = len(self.filesystem._strip_protocol(self.root).strip("/")) + 1 if self.root else 0
        return {self.filesystem._strip_protocol(path).lstrip("/")[skipped:] for path in found}
