"""The manifest as files in the folder of a store, replaced by renames under a lock."""

import errno
import fcntl
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from blobforge import durable_files
from blobforge.domain.errors import BlobForgeError, DiskFull, StoreUnavailable
from blobforge.domain.file_rights import FileRights
from blobforge.ports.shards import MANIFEST, PENDING, Shard, ShardFacts
from blobforge.store_folder import StoreFolder

_LOCK = "registry/.lock"


class FolderShards:
    def __init__(self, root: Path, *, durable: bool = True, rights: FileRights = FileRights.PRIVATE) -> None:
        self._root = root
        self._durable = durable
        self._rights = rights
        self._pending = root / PENDING
        with self._translated_errors():
            self._folder = StoreFolder(root, rights=rights, durable=durable)

    def address(self, name: str) -> str:
        return str(self._root / name)

    def get(self, name: str) -> Shard | None:
        with self._translated_errors():
            return self._read(name)

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        with self._translated_errors():
            self._folder.require()
            durable_files.make_folders(self._pending, rights=self._rights, durable=self._durable)
        with self._translated_errors(), self._locked():
            there = self._read(name)
            if (None if there is None else there.version) != seen:
                return False
            self._replace(self._root / name, body)
            return True

    def facts(self) -> dict[str, ShardFacts]:
        with self._translated_errors():
            return {name: facts for name in self._names() if (facts := self._facts(name)) is not None}

    def delete(self, names: Sequence[str]) -> None:
        with self._translated_errors():
            for name in names:
                (self._root / name).unlink(missing_ok=True)

    def _read(self, name: str) -> Shard | None:
        try:
            with durable_files.open_regular(self._root / name) as file:
                body = file.read()
        except FileNotFoundError:
            # A disk that is not mounted has lost nothing.
            if self._folder.is_gone():
                raise
            return None
        return Shard(body, hashlib.sha256(body).hexdigest())

    def _names(self) -> list[str]:
        """A folder that changes during a listing may show neither the old nor the new file: lists until two listings
        agree."""
        if not self._folder.is_gone() and not self._pending.exists():
            return [MANIFEST]
        before, now = None, sorted(path.name for path in self._pending.iterdir())
        while now != before:
            before, now = now, sorted(path.name for path in self._pending.iterdir())
        return [MANIFEST, *(PENDING + name for name in now)]

    def _facts(self, name: str) -> ShardFacts | None:
        try:
            stat = (self._root / name).stat()
        except FileNotFoundError:
            # It may be deleted during the listing.
            return None
        return ShardFacts(stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))

    def _replace(self, target: Path, body: bytes) -> None:
        incoming = self._root / "registry" / f".{token_hex(8)}"
        try:
            incoming.write_bytes(body)
            durable_files.give_rights(incoming, self._rights)
            if self._durable:
                durable_files.sync_file(incoming)
            incoming.replace(target)
        finally:
            incoming.unlink(missing_ok=True)
        if self._durable:
            durable_files.sync_folder(target.parent)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The system releases the lock of a process that ends, however it ends."""
        durable_files.make_file(self._root / _LOCK, self._rights)
        with (self._root / _LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._translated(error) from error

    def _translated(self, error: OSError) -> BlobForgeError:
        where = self._root / "registry"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(f"no space left for the manifest in {where}")
        return StoreUnavailable(f"the manifest in {where} cannot be reached: {error.strerror or error}")
