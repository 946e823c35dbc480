"""A store of obstore as a filesystem of fsspec, so that DuckDB and pyarrow can read it too."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.spec import AbstractBufferedFile


class ObstoreFiles(AbstractFileSystem):
    """The files of a store of obstore, below its prefix."""

    protocol = "obstore"
    # Two stores are never the same filesystem, although their arguments may look alike.
    cachable = False

    def __init__(self, store: Any) -> None:
        """Keeps the store, and not its credentials, which its owner may renew."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.store = store

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles with the store."""
        return (ObstoreFiles, (self.store,))

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        path = self._strip_protocol(path)
        if start is None and end is None:
            return bytes(self.store.get(path).bytes())
        size = self.info(path)["size"]
        start, end, _step = slice(start, end).indices(size)
        return bytes(self.store.get_range(path, start=start, end=end)) if start < end else b""

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        self.store.put(self._strip_protocol(path), value)

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        self.store.copy(self._strip_protocol(path1), self._strip_protocol(path2))

    def rm_file(self, path: str) -> None:
        self.store.delete(self._strip_protocol(path))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        found = self.store.head(self._strip_protocol(path))
        return {"name": found["path"], "size": found["size"], "type": "file"}

    def modified(self, path: str) -> datetime:
        modified: datetime = self.store.head(self._strip_protocol(path))["last_modified"]
        return modified

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        listed = self.store.list_with_delimiter(self._strip_protocol(path) or None)
        files = [{"name": file["path"], "size": file["size"], "type": "file"} for file in listed["objects"]]
        folders = [{"name": name, "size": 0, "type": "directory"} for name in listed["common_prefixes"]]
        return files + folders if detail else [entry["name"] for entry in files + folders]

    def _open(self, path: str, mode: str = "rb", block_size: Any = None, *_: Any, **__: Any) -> _ObstoreFile:
        return _ObstoreFile(self, path, mode, block_size or "default")


class _ObstoreFile(AbstractBufferedFile):
    """A file that is read range by range."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        content: bytes = self.fs.cat_file(self.path, start, end)
        return content
