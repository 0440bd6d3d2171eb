"""Finished results, kept by content and recipe, so that nothing is converted twice."""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from blobforge.domain.errors import NotFound, ResultDamaged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject
from blobforge.ports.blob_store import BlobKey, BlobStore, result_key
from blobforge.worker.messages import Produced

INFO_NAME = "info.json"

DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, LookupError, OverflowError, RuntimeError, NotImplementedError),
)
"""What the standard library raises for a zip file with some bytes wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    key: BlobKey
    summary: JsonObject

    @property
    def codes(self) -> tuple[str, ...]:
        """Why units of it failed, if any did."""
        codes = self.summary.get("codes")
        return tuple(codes) if isinstance(codes, dict) else ()


class ResultShelf:
    """A result on the shelf is whole: it was moved there in one step."""

    def __init__(self, blobs: BlobStore, *, is_shared: bool = True) -> None:
        """`is_shared`: results may come from elsewhere than the jobs of one queue."""
        self._blobs = blobs
        self._is_shared = is_shared

    def put(self, source_hash: SourceHash, recipe_id: RecipeId, made: Produced) -> FileRecord:
        key = result_key(source_hash, recipe_id)
        self._blobs.adopt(key, made.product.archive)
        return FileRecord(FileRole.OUTPUT, key, made.size, "application/zip", made.checksum)

    def find(self, source_hash: SourceHash, recipe_id: RecipeId) -> StoredResult | None:
        """None when there is none, or when some of it cannot be read: then it is made again."""
        key = result_key(source_hash, recipe_id)
        if self._blobs.stat(key) is None:
            return None
        try:
            with self.open(key) as archive:
                require_whole(archive, key)
                return StoredResult(key=key, summary=summary_of(_info_in(archive, key)))
        except (NotFound, ResultDamaged):
            return None

    def find_for(self, job: Job, recipe_id: RecipeId) -> StoredResult | None:
        """Before a run. Where only this queue publishes, a job that was never completed has none: nobody asks."""
        if job.result is None and not self._is_shared:
            return None
        return self.find(job.source_hash, recipe_id)

    def discard(self, key: BlobKey) -> None:
        self._blobs.delete(key)

    def info(self, key: BlobKey) -> JsonObject:
        """A result's own account of itself. Raises NotFound, ResultDamaged."""
        with self.open(key) as archive:
            return _info_in(archive, key)

    @contextmanager
    def open(self, key: BlobKey) -> Iterator[zipfile.ZipFile]:
        """Raises NotFound, ResultDamaged."""
        with self._blobs.open(key) as stream:
            try:
                archive = zipfile.ZipFile(stream)
            except DAMAGE as error:
                raise ResultDamaged(f"the result {key} is no zip file: {error}") from error
            with archive:
                yield archive


def require_whole(archive: zipfile.ZipFile, key: BlobKey) -> None:
    """Reads all of it and compares checksums. Raises ResultDamaged."""
    try:
        broken = archive.testzip()
    except DAMAGE as error:
        raise ResultDamaged(f"the result {key} cannot be read: {error}; run its job again") from error
    if broken is not None:
        raise ResultDamaged(f"the result {key} is damaged in its {broken}; run its job again")


def _info_in(archive: zipfile.ZipFile, key: BlobKey) -> JsonObject:
    try:
        said: Any = json.loads(archive.read(INFO_NAME))
    except DAMAGE as error:
        raise ResultDamaged(f"the result {key} has no readable {INFO_NAME}: {error}") from error
    if not isinstance(said, dict):
        raise ResultDamaged(f"the {INFO_NAME} of the result {key} is no object")
    return said


def result_of(job: Job) -> JsonObject:
    """What a job's record says of its result. Tolerates what others wrote."""
    try:
        said = json.loads(job.result) if job.result else {}
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def summary_of(info: JsonObject) -> JsonObject:
    """What a job's record keeps of a result."""
    summary = info.get("tally")
    return summary if isinstance(summary, dict) else {}
