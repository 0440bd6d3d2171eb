"""The catalogue in a SQLite file of its own. It is a cache: whoever deletes it loses time, not documents.

It uses the driver directly and loads nothing else, so that a run with nothing to do is over at once.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from blobforge import durable_files
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import SourceHash
from blobforge.domain.loose_json import json_in, list_in
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.ports.output_ledger import Output, WrittenFile
from blobforge.sqlite_files import give_rights_back, is_damaged, meaning, use_log

BUSY_SECONDS = 30

# Paths are bytes: a file name need not be valid text.
_SCHEMA = (
    "DROP TABLE IF EXISTS sources",
    "DROP TABLE IF EXISTS outputs",
    """
    CREATE TABLE sources (
        path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, source_hash TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX sources_by_hash ON sources (source_hash)",
    """
    CREATE TABLE outputs (
        path BLOB PRIMARY KEY, source_hash TEXT NOT NULL, recipe_id TEXT NOT NULL, pages INTEGER NOT NULL,
        pages_failed INTEGER NOT NULL, codes TEXT NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, checksum TEXT NOT NULL, more_files TEXT NOT NULL, source BLOB NOT NULL DEFAULT x'',
        doubts TEXT NOT NULL DEFAULT '', result_size INTEGER NOT NULL DEFAULT 0, warnings TEXT NOT NULL DEFAULT '[]'
    ) WITHOUT ROWID
    """,
)
_OUTPUT_COLUMNS = (
    "source_hash, recipe_id, pages, pages_failed, codes, name, size, mtime_ns, checksum, more_files, source, doubts, "
    "result_size, warnings"
)
_SINCE = {
    2: "ALTER TABLE outputs ADD COLUMN source BLOB NOT NULL DEFAULT x''",
    3: "ALTER TABLE outputs ADD COLUMN doubts TEXT NOT NULL DEFAULT ''",
    4: "ALTER TABLE outputs ADD COLUMN result_size INTEGER NOT NULL DEFAULT 0",
    5: "ALTER TABLE outputs ADD COLUMN warnings TEXT NOT NULL DEFAULT '[]'",
}
"""By the version that lacks it: what brings a catalogue to the next one, with its entries."""
_VERSION = 6
# Below so many, asking for each path is quicker than reading the whole folder's range.
_FEW = 200


class SqliteCatalog:
    """A HashCache and an OutputLedger. Threads may share it."""

    def __init__(self, path: Path, *, rights: FileRights = FileRights.PRIVATE) -> None:
        self._lock = threading.Lock()
        self._path = path
        try:
            durable_files.make_folders(path.parent, rights=rights)
            # The files that SQLite makes beside it have its rights.
            durable_files.make_file(path, rights)
            give_rights_back(path)
            self._connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailable(_unusable(path, error)) from error
        try:
            self._prepare()
        except (StoreUnavailable, sqlite3.Error) as error:
            self._connection.close()
            raise StoreUnavailable(_unusable(path, error)) from error

    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:
        keys = [_encoded(file.path) for file in files]
        stored = {row[0]: row for row in self._rows("sources", "size, mtime_ns, source_hash", keys)}
        return {
            file.path: row[3]
            for file, key in zip(files, keys, strict=True)
            if (row := stored.get(key)) is not None and row[1] == file.size and row[2] == file.mtime_ns
        }

    def remember(self, files: Iterable[HashedFile]) -> None:
        rows = [(os.fsencode(stat.path), stat.size, stat.mtime_ns, source_hash) for stat, source_hash in files]
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)", rows)

    def paths_of(self, source_hash: SourceHash) -> list[str]:
        with self._reading() as connection:
            rows = connection.execute("SELECT path FROM sources WHERE source_hash = ? ORDER BY path", (source_hash,))
            return [os.fsdecode(path) for (path,) in rows.fetchall()]

    def written(self, paths: Sequence[str]) -> dict[str, Output]:
        wanted = {_encoded(path): path for path in paths}
        rows = self._rows("outputs", _OUTPUT_COLUMNS, wanted)
        return {wanted[key]: _output(wanted[key], row) for key, *row in rows if key in wanted}

    def write(self, outputs: Iterable[Output]) -> None:
        rows = [
            (
                *(os.fsencode(out.path), *out[1:5], json.dumps(out.codes)),
                *(*_encoded_files(out.files), os.fsencode(out.source), out.doubts, out.result_size),
                json.dumps(out.warnings),
            )
            for out in outputs
        ]
        with self._writing() as connection:
            marks = ", ".join("?" * 15)
            connection.executemany(f"INSERT OR REPLACE INTO outputs VALUES ({marks})", rows)  # noqa: S608

    def sources_below(self, folder: str) -> dict[str, str]:
        # The sign after the slash: between the two is all that begins with the folder and a slash.
        first, end = _encoded(f"{folder}/"), _encoded(f"{folder}0")
        query = "SELECT path, source FROM outputs WHERE path > ? AND path < ? AND source <> x''"
        with self._reading() as connection:
            rows = connection.execute(query, (first, end)).fetchall()
        return {os.fsdecode(path): os.fsdecode(source) for path, source in rows}

    def forget(self, paths: Iterable[str]) -> None:
        with self._writing() as connection:
            connection.executemany("DELETE FROM outputs WHERE path = ?", [(_encoded(path),) for path in paths])

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _prepare(self) -> None:
        use_log(self._connection, busy_seconds=BUSY_SECONDS)
        # NORMAL: after a power cut the last entries may be missing, and are then made again.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if self._version() == _VERSION:
            return
        with self._writing() as connection:
            # Asked again behind the lock: whoever comes second finds the work done, and entries to keep.
            version = self._version()
            if version != _VERSION:
                missing = [statement for lacking, statement in _SINCE.items() if lacking >= version]
                for statement in missing if version in _SINCE else _SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_VERSION}")

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _rows(self, table: str, columns: str, keys: Collection[bytes]) -> list[tuple[Any, ...]]:
        """The rows of these paths and perhaps of others, each with its path before it.

        Many paths are read as one range of keys, which costs a tenth of a look-up each.
        """
        if not keys:
            return []
        with self._reading() as connection:
            if len(keys) < _FEW:
                query = f"SELECT path, {columns} FROM {table} WHERE path = ?"  # noqa: S608 - our own names only
                return [row for key in keys for row in connection.execute(query, (key,))]
            query = f"SELECT path, {columns} FROM {table} WHERE path BETWEEN ? AND ?"  # noqa: S608
            return connection.execute(query, (min(keys), max(keys))).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the catalogue did not answer: {meaning(error, self._path)}") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already; a failed commit has not.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


def _encoded(path: str) -> bytes:
    """As os.fsencode does it, in a third of the time where there is nothing to it."""
    return path.encode() if path.isascii() else os.fsencode(path)


def _encoded_files(files: Sequence[WrittenFile]) -> tuple[object, ...]:
    """The Markdown in columns of its own: most documents have no other file, and nothing is to be parsed."""
    main, *more = files
    return os.fsencode(main.name), main.size, main.mtime_ns, main.checksum, json.dumps(more)


def _files_in(text: str) -> Iterator[WrittenFile]:
    for row in list_in(json_in(text)):
        match row:
            case [str(name), int(size), int(mtime_ns), str(checksum)]:
                yield WrittenFile(name, size, mtime_ns, checksum)


def _output(path: str, row: Sequence[Any]) -> Output:
    source_hash, recipe_id, pages, pages_failed, codes, name, size, mtime_ns, checksum, more, *rest = row
    source, doubts, result_size, warnings = rest
    main = WrittenFile(os.fsdecode(name), size, mtime_ns, checksum)
    files = (main,) if more == "[]" else (main, *_files_in(more))
    return Output(
        *(path, source_hash, recipe_id, pages, pages_failed, _codes_in(codes), files, os.fsdecode(source)),
        doubts=doubts,
        result_size=result_size,
        warnings=_codes_in(warnings),
    )


def _codes_in(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(code for code in list_in(json_in(text)) if isinstance(code, str))


def _unusable(path: Path, error: Exception) -> str:
    if is_damaged(error):
        return (
            f"the catalogue {path} is damaged ({error}). It only remembers what was hashed and written: move it "
            "away, with its -wal and -shm; the next run makes a new one, hashes the files again and converts none anew"
        )
    if isinstance(error, PermissionError):
        hint = "BLOBFORGE_HOME names a folder that this user may write"
        return f"the catalogue {path} cannot be opened: {error.strerror}: {error.filename}; {hint}"
    return f"the catalogue {path} cannot be opened: {meaning(error, path)}"
