"""Finished results, kept by content and recipe, so that nothing is converted twice."""

import json
import zipfile
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from blobforge.domain.errors import ResultDamaged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.json_value import JsonObject
from blobforge.ports.blob_store import BlobKey, BlobStore, result_key
from blobforge.worker.messages import Produced

INFO_NAME = "info.json"


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

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def put(self, source_hash: SourceHash, recipe_id: RecipeId, made: Produced) -> FileRecord:
        key = result_key(source_hash, recipe_id)
        self._blobs.adopt(key, made.product.archive)
        return FileRecord(FileRole.OUTPUT, key, made.size, "application/zip", made.checksum)

    def find(self, source_hash: SourceHash, recipe_id: RecipeId) -> StoredResult | None:
        """None when there is none, or when what is there cannot be read: then it is made again."""
        key = result_key(source_hash, recipe_id)
        if self._blobs.stat(key) is None:
            return None
        try:
            return StoredResult(key=key, summary=summary_of(self.info(key)))
        except ResultDamaged:
            return None

    def discard(self, key: BlobKey) -> None:
        self._blobs.delete(key)

    def info(self, key: BlobKey) -> JsonObject:
        """A result's own account of itself. Raises NotFound, ResultDamaged."""
        with self.open(key) as archive:
            try:
                said: Any = json.loads(archive.read(INFO_NAME))
            except (KeyError, ValueError, zipfile.BadZipFile) as error:
                raise ResultDamaged(f"the result {key} has no readable {INFO_NAME}: {error}") from error
        if not isinstance(said, dict):
            raise ResultDamaged(f"the {INFO_NAME} of the result {key} is no object")
        return said

    def open(self, key: BlobKey) -> zipfile.ZipFile:
        """Raises NotFound, ResultDamaged."""
        stream = self._blobs.open(key)
        try:
            return zipfile.ZipFile(stream)
        except zipfile.BadZipFile as error:
            with closing(stream):
                raise ResultDamaged(f"the result {key} is no zip file: {error}") from error


def summary_of(info: JsonObject) -> JsonObject:
    """What a job's record keeps of a result."""
    summary = info.get("tally")
    return summary if isinstance(summary, dict) else {}
