"""Finished results, kept by content and recipe, so that nothing is converted twice."""

import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from blobforge.domain.endings import Completed
from blobforge.domain.errors import NotFound, ResultDamaged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.loose_json import json_in, list_in, object_in
from blobforge.domain.page import Page, PageOutcome, doubts
from blobforge.domain.recipe import Recipe
from blobforge.domain.result_record import FOUND, HAS_ATTACHMENTS, XFA_FORM, record_in, result_that_stays
from blobforge.ports.blob_store import BlobKey, BlobStore, result_key, source_key
from blobforge.worker.bounded_archive import open_archive
from blobforge.worker.storable_text import storable

INFO_NAME = "info.json"
ASSETS = "assets/"

DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, LookupError, OverflowError, RuntimeError, NotImplementedError),
)
"""What the standard library raises for a zip file with some bytes wrong."""


class AcceptedResult(NamedTuple):
    """What a child made and its parent has looked at. `checksum` is the SHA-256 of the archive."""

    archive: Path
    summary: JsonObject
    size: int
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """A result of this recipe that an earlier run left."""

    key: BlobKey
    summary: JsonObject

    @property
    def flaws(self) -> tuple[str, ...]:
        """Why units of it failed or are doubtful, if any are."""
        record = record_in(self.summary)
        return (*record.codes, *record.warnings)


class ResultStore:
    """A result in the result store is whole: it was moved there in one step."""

    def __init__(
        self,
        blobs: BlobStore,
        *,
        is_shared: bool = True,
        unpublished: BlobStore | None = None,
        require_pair: Callable[[], None] = lambda: None,
        for_job: Callable[[Job], BlobStore] | None = None,
        unpublished_for_job: Callable[[Job], BlobStore] | None = None,
    ) -> None:
        """`is_shared`: results may come from elsewhere than the jobs of one queue. `unpublished`: for results that no
        queue will publish, where that is another place. `require_pair` raises StoreUnavailable where the store is not
        that of the queue any more: a job must not be completed by a result there. `for_job`, `unpublished_for_job`: the
        stores for the result of a job, where it may be stored by the right of its lease alone."""
        self._blobs = blobs
        self._for_job = for_job or (lambda _: blobs)
        self._unpublished_for_job = unpublished_for_job or (lambda _: unpublished or blobs)
        self._is_shared = is_shared
        self._require_pair = require_pair

    def require_store(self, source_hash: SourceHash) -> None:
        """Asks for a source, there or not. Raises StoreUnavailable."""
        self._require_pair()
        self._blobs.stat(source_key(source_hash))

    def put(
        self, source_hash: SourceHash, recipe_id: RecipeId, made: AcceptedResult, *, into: BlobStore | None = None
    ) -> FileRecord:
        key = result_key(source_hash, recipe_id)
        (into or self._blobs).adopt(key, made.archive)
        return FileRecord(FileRole.OUTPUT, key, made.size, "application/zip", made.checksum)

    def completed(self, job: Job, recipe: Recipe, made: AcceptedResult) -> Completed:
        """Stores what a run made. Where the published result stays, it is kept by its recipe for who asked for it."""
        self._require_pair()
        stays = result_that_stays(job, made.summary, recipe.id)
        if stays is not None:
            self._unpublished_for_job(job).adopt(result_key(job.source_hash, recipe.id), made.archive)
            return Completed(job, _stored(stays))
        record = self.put(job.source_hash, recipe.id, made, into=self._for_job(job))
        return Completed(job, _named(made.summary, record.key, recipe), (record,))

    def completed_by(self, found: StoredResult, job: Job, recipe: Recipe) -> Completed | None:
        """A run that found its result, and had nothing to make; None where that is gone by now.

        It is renewed: `gc` may have asked for the jobs before this one was told to run again, and deletes nothing that
        is young. Raises StoreUnavailable.
        """
        stays = result_that_stays(job, found.summary, recipe.id)
        if stays is not None:
            return Completed(job, _stored({**stays, FOUND: True}))
        if self._blobs.renew(found.key) is None:
            return None
        return Completed(job, _named({**found.summary, FOUND: True}, found.key, recipe))

    def find(self, source_hash: SourceHash, recipe_id: RecipeId) -> StoredResult | None:
        """None when there is none, or when some of it cannot be read: then it is made again."""
        key = result_key(source_hash, recipe_id)
        stored = self._blobs.stat(key)
        if stored is None:
            return None
        try:
            with self.open(key) as archive:
                require_whole(archive, key)
                told = summary_of(info_in(archive, key))
                images = sum(name.startswith(ASSETS) and name != ASSETS for name in archive.namelist())
                return StoredResult(key=key, summary={**told, "images": images, "output_size": stored.size})
        except (NotFound, ResultDamaged):
            return None

    def find_for(self, job: Job, recipe_id: RecipeId) -> StoredResult | None:
        """Before a run. Where only this queue publishes, a job that was never completed has none: nobody asks."""
        if job.result is None and not self._is_shared:
            return None
        self._require_pair()
        return self.find(job.source_hash, recipe_id)

    def address(self, key: BlobKey) -> str:
        """Where people find it."""
        return self._blobs.address(key)

    def discard(self, key: BlobKey) -> None:
        self._blobs.delete(key)

    def info(self, key: BlobKey) -> JsonObject:
        """A result's own account of itself. Raises NotFound, ResultDamaged."""
        with self.open(key) as archive:
            return info_in(archive, key)

    @contextmanager
    def open(self, key: BlobKey) -> Iterator[zipfile.ZipFile]:
        """Raises NotFound, ResultDamaged."""
        with self._blobs.open(key) as stream:
            try:
                archive = open_archive(stream)
            except DAMAGE as error:
                raise ResultDamaged(f"the result {self.address(key)} cannot be opened: {error}") from error
            with archive:
                yield archive


def _named(summary: JsonObject, key: str, recipe: Recipe) -> str:
    return _stored({**summary, "key": key, "recipe": recipe.id, "engine": recipe.engine})


def _stored(result: JsonObject) -> str:
    return storable(canonical_json(result), most=None)


def require_whole(archive: zipfile.ZipFile, name: str) -> None:
    """Reads all of it and compares checksums; `name` is for people. Raises ResultDamaged."""
    try:
        broken = archive.testzip()
    except DAMAGE as error:
        raise ResultDamaged(f"the result {name} cannot be read: {error}; run its job again") from error
    if broken is not None:
        raise ResultDamaged(f"the result {name} is damaged in its {broken}; run its job again")


def info_in(archive: zipfile.ZipFile, key: BlobKey) -> JsonObject:
    """What a result says of itself. Raises ResultDamaged."""
    try:
        said: Any = json.loads(archive.read(INFO_NAME))
    except DAMAGE as error:
        raise ResultDamaged(f"the result {key} has no readable {INFO_NAME}: {error}") from error
    if not isinstance(said, dict):
        raise ResultDamaged(f"the {INFO_NAME} of the result {key} is no object")
    return said


def result_of(job: Job) -> JsonObject:
    """What a job's record says of its result. Tolerates what others wrote."""
    return object_in(json_in(job.result))


def summary_of(info: JsonObject) -> JsonObject:
    """What a job's record keeps of a result, with what its pages say: also of one that an older release made."""
    summary = info.get("tally")
    if not isinstance(summary, dict):
        return {}
    warnings = [text for row in list_in(info.get("pages")) for text in list_in(object_in(row).get("warnings"))]
    of_pages = doubts(Page(0, PageOutcome.TEXT, warnings=(text,)) for text in warnings if isinstance(text, str))
    reasons = {**of_pages, **_of_document(info)}
    return {
        **summary,
        **({"warnings": reasons} if reasons else {}),
        **({"repaired": True} if info.get("repaired") is True else {}),
    }


def _of_document(info: JsonObject) -> dict[str, int]:
    """What holds for the document as a whole, each with how often it is found."""
    told, attached = list_in(info.get("warnings")), len(list_in(info.get("attachments")))
    times = {HAS_ATTACHMENTS: max(attached, 1), XFA_FORM: 1}
    return {name: count for name, count in times.items() if name in told}
