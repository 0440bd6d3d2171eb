"""Blobs as files in a folder. A blob appears whole, by a rename, or not at all."""

import errno
import os
import shutil
import uuid
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, NoReturn
from urllib.parse import unquote, urlsplit

from blobforge import durable_files
from blobforge.blobs import set_aside
from blobforge.blobs.keys import is_no_key, parts_of
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    InvalidSettings,
    InvalidValue,
    NotFound,
    OutputUnwritable,
    ResultDamaged,
    SourceChanged,
    SourceMissing,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import SourceHash
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat, DeleteAsSeen, Leftover, StoreOptions
from blobforge.store_folder import INCOMING, StoreFolder, is_leftover

_CHUNK = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)


def open_store(url: str, options: StoreOptions) -> "DirectoryBlobStore":
    """The store of a file:// URL. Raises InvalidSettings, StoreUnavailable."""
    return DirectoryBlobStore(folder_of(url), durable=options.durable, rights=options.rights)


def folder_of(url: str) -> Path:
    """Raises InvalidSettings."""
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/") or parts.path == "/":
        raise InvalidSettings(f"{shown_address(url)!r} names no folder: write file:///path/to/folder")
    return Path(unquote(parts.path))


class DirectoryBlobStore:
    def __init__(self, root: Path, *, durable: bool = True, rights: FileRights = FileRights.PRIVATE) -> None:
        self._root = root
        self._durable = durable
        self._rights = rights
        try:
            self._folder = StoreFolder(root, rights=rights, durable=durable)
        except OSError as error:
            raise StoreUnavailable(f"the store's folder {root} cannot be used: {error.strerror}") from error

    @property
    def incoming(self) -> Path:
        """Where files wait until they are whole: on the same disk, so that a rename places them."""
        return self._folder.incoming

    def address(self, key: BlobKey) -> str:
        return str(self._path(key))

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,  # noqa: ARG002 - a folder has no place for them
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        target = self._path(key)
        incoming = self._folder.incoming / uuid.uuid4().hex
        self.require_folder()
        try:
            if source_hash is None:
                shutil.copyfile(path, incoming)
            else:
                _copy_exactly(path, incoming, source_hash)
            return self._place(key, incoming, target)
        except OSError as error:
            raise self._not_stored(error, key, path) from error
        finally:
            incoming.unlink(missing_ok=True)

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        target = self._path(key)
        self.require_folder()
        try:
            if S_ISREG(path.lstat().st_mode):
                # A rename keeps the mtime of the file, which may be old.
                os.utime(path)
                return self._place(key, path, target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise self._not_stored(error, key, path) from error
        # A rename cannot cross file systems, and would move a link instead of its target: a copy does both.
        stat = self.put(key, path)
        path.unlink(missing_ok=True)
        return stat

    def open(self, key: BlobKey) -> BinaryIO:
        try:
            return durable_files.open_regular(self._path(key))
        except OSError as error:
            raise self._not_read(error, key) from error

    def local_path(self, key: BlobKey) -> Path | None:
        return None if self.stat(key) is None else self._path(key)

    def fetch(self, key: BlobKey, target: Path) -> None:
        try:
            with durable_files.open_regular(self._path(key)) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, _CHUNK)
        except OSError as error:
            if error.errno in _FULL:
                raise DiskFull(f"{target}: no space left on the disk; make room in {target.parent}") from error
            if error.filename == str(target):
                raise OutputUnwritable(f"{target} cannot be written: {error.strerror}") from error
            raise self._not_read(error, key) from error

    def stat(self, key: BlobKey) -> BlobStat | None:
        try:
            facts = self._path(key).stat()
        except OSError as error:
            refusal = self._not_read(error, key)
            if isinstance(refusal, NotFound):
                return None
            raise refusal from error
        return _stat(key, facts) if S_ISREG(facts.st_mode) else None

    def stat_many(self, keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        return {key: found for key in keys if (found := self.stat(key)) is not None}

    def renew(self, key: BlobKey) -> BlobStat | None:
        path = self._path(key)
        try:
            os.utime(path)
            # Whoever sets it aside just now has changed the path, or sees the new time.
            return _stat(key, set_aside.looked_at(path))
        except PermissionError:
            # Another user's, who lets others read alone.
            return None
        except OSError as error:
            refusal = self._not_read(error, key)
            if isinstance(refusal, NotFound):
                return None
            raise refusal from error

    def keep(self, keys: Collection[BlobKey]) -> set[BlobKey]:
        return {key for key in keys if self.renew(key) is None}

    @contextmanager
    def clearing(self, keys: Collection[BlobKey]) -> Iterator[DeleteAsSeen]:  # noqa: ARG002 - what is set aside says it
        yield self._delete_as_seen

    def _delete_as_seen(self, seen: BlobStat) -> bool:
        path = self._path(seen.key)
        try:
            return set_aside.delete_as_seen(path, seen.version, key=seen.key, incoming=self._folder.incoming)
        except OSError as error:
            raise self.unavailable(error, seen.key) from error

    def delete(self, key: BlobKey) -> None:
        if self.stat(key) is None:
            return
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            raise self.unavailable(error, key) from error

    def list(self, prefix: str) -> Iterator[BlobStat]:
        if self._is_empty():
            return
        # Listed at each ending of a job: its own folder is read for that, and not the whole store.
        beginning = self._beginning(prefix)
        if beginning is None or not beginning.is_dir():
            return
        for folder, names, files in os.walk(beginning, onerror=_cannot_list):
            if INCOMING in names:
                names.remove(INCOMING)
            names.sort()
            for name in sorted(files):
                key = BlobKey(Path(folder, name).relative_to(self._root).as_posix())
                # A blob may be deleted during the listing.
                if key.startswith(prefix) and (found := self.stat(key)) is not None:
                    yield found

    def leftovers(self) -> Iterator[Leftover]:
        if self._is_empty():
            return
        try:
            incoming = sorted(self._folder.incoming.iterdir())
            for path in filter(lambda path: set_aside.is_aside(path.name), incoming):
                set_aside.put_back(path, self._root)
        except OSError as error:
            _cannot_list(error)
        for path in filter(lambda path: is_leftover(path.name) and not set_aside.is_aside(path.name), incoming):
            # It may have been completed meanwhile.
            with suppress(FileNotFoundError):
                facts = path.stat()
                yield Leftover(path.name, facts.st_size, _time(facts))

    def clear(self, leftover: Leftover) -> None:
        try:
            (self._folder.incoming / Path(leftover.name).name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"{leftover.name} cannot be removed: {error.strerror or error}") from error

    def name(self, key: BlobKey, link: Path) -> BlobStat:
        """Gives the bytes of a blob another name: `link` is one more name of its file, in `incoming`. They were synced
        when they were stored."""
        target = self._path(key)
        self.require_folder()
        try:
            os.utime(link)
            return self._place(key, link, target, is_synced=True)
        except OSError as error:
            raise self._not_stored(error, key, link) from error

    def _place(self, key: BlobKey, incoming: Path, target: Path, *, is_synced: bool = False) -> BlobStat:
        facts = incoming.stat()
        durable_files.give_rights(incoming, self._rights)
        if self._durable and not is_synced:
            durable_files.sync_file(incoming)
        try:
            incoming.replace(target)
        except FileNotFoundError:
            durable_files.make_folders(target.parent, rights=self._rights, durable=self._durable)
            incoming.replace(target)
        if self._durable:
            durable_files.sync_folder(target.parent)
        return _stat(key, facts)

    def _not_read(self, error: OSError, key: BlobKey) -> BlobForgeError:
        """A blob is absent only if the store itself exists: a disk that is not mounted has lost nothing."""
        if isinstance(error, durable_files.NoRegularFile):
            return ResultDamaged(f"in the place of the blob {key} lies a pipe or a device; remove it")
        if not isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
            return self.unavailable(error, key)
        try:
            return self._folder.unavailable() if self._folder.is_gone() else NotFound(f"there is no blob {key}")
        except OSError as unreadable:
            return self.unavailable(unreadable, key)

    def _not_stored(self, error: OSError, key: BlobKey, path: Path) -> BlobForgeError:
        # An error with two file names comes from the rename.
        if error.filename == str(path) and error.filename2 is None:
            if isinstance(error, PermissionError):
                return SourceUnreadable(f"{path} cannot be read: {error.strerror}")
            return SourceMissing(f"{path} is not there to be stored")
        if isinstance(error, NotADirectoryError | IsADirectoryError):
            return InvalidValue(f"{key!r} cannot be stored: in a folder, no key can be the beginning of another's path")
        return self.unavailable(error, key)

    def unavailable(self, error: OSError, key: BlobKey) -> BlobForgeError:
        """What such an error means for a blob."""
        if error.errno in _FULL:
            return DiskFull(f"no space left in the store's folder {self._root} for {key}; make room there")
        if error.errno == errno.ENAMETOOLONG:
            return InvalidValue(f"{key!r} is too long for a file's name")
        if isinstance(error, PermissionError):
            refusal = f"the store's folder {self._root} does not let this user at {key}: {error.strerror}"
            return StoreUnavailable(f"{refusal}; see to its owner and rights")
        return StoreUnavailable(
            f"{key} in the store's folder {self._root} cannot be reached: {error.strerror or error}"
        )

    def require_folder(self) -> None:
        """Before something is written. Raises StoreUnavailable."""
        try:
            self._folder.require()
        except OSError as error:
            reason = error.strerror or error
            raise StoreUnavailable(f"the store's folder {self._root} cannot be used: {reason}") from error

    def _is_empty(self) -> bool:
        """A store into which nothing was ever put has no folder yet. Raises StoreUnavailable."""
        try:
            if self._folder.is_gone():
                raise self._folder.unavailable()
            return not self._root.exists()
        except OSError as error:
            _cannot_list(error)

    def _beginning(self, prefix: str) -> Path | None:
        """The folder in which all keys lie that begin so; None where there can be none."""
        folders = prefix.split("/")[:-1]
        return None if {"", ".", "..", INCOMING} & set(folders) else self._root.joinpath(*folders)

    def _path(self, key: BlobKey) -> Path:
        parts = parts_of(key)
        if INCOMING in parts:
            raise is_no_key(key)
        return self._root.joinpath(*parts)


def _copy_exactly(path: Path, incoming: Path, source_hash: SourceHash) -> None:
    """Raises OSError, SourceChanged."""
    digest = sha256()
    with durable_files.open_regular(path) as source, incoming.open("wb") as copy:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            copy.write(chunk)
    if digest.hexdigest() != source_hash:
        raise SourceChanged(f"{path} was changed while it was stored; submit it again")


def _stat(key: BlobKey, facts: os.stat_result) -> BlobStat:
    return BlobStat(key, facts.st_size, _time(facts), set_aside.version_of(facts))


def _time(facts: os.stat_result) -> datetime:
    return datetime.fromtimestamp(facts.st_mtime, UTC)


def _cannot_list(error: OSError) -> NoReturn:
    raise StoreUnavailable(f"the folder {error.filename} cannot be listed: {error.strerror}") from error
