"""Results that workers upload: an address under their lease, the check, and their place once the job ends."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import BinaryIO, NamedTuple

from blobforge.domain.endings import Completed
from blobforge.domain.errors import InvalidValue, NotFound, ResultDamaged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import DEFAULT_PROJECT, RecipeId
from blobforge.domain.job import Job, title
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.loose_json import json_in, object_in, text_in, whole_in
from blobforge.domain.recipe import UNRECORDED
from blobforge.domain.result_record import REFUSED
from blobforge.domain.uploads import ResultUpload, attempts_of, parse_recipe_id, parse_upload_id
from blobforge.ports.blob_store import BlobKey, BlobStore
from blobforge.ports.transfers import SignedUrl, Transfers
from blobforge.server.archives import require_result
from blobforge.server.file_urls import UrlMaker
from blobforge.server.multipart_in import MissingParts, MultipartIn
from blobforge.server.project_names import ProjectNames
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wire.queue import UploadedResult

log = LazyLogger(__name__)

PDF = "pdf"
VALID_FOR = timedelta(hours=1)
ZIP = "application/zip"
_CHUNK = 1 << 20
_RECIPE = "recipe"
_SIZE = "output_size"


class GivenUpload(NamedTuple):
    upload: ResultUpload
    url: SignedUrl


class ResultsIn:
    """Threads share it."""

    def __init__(
        self,
        blobs: BlobStore,
        transfers: Transfers,
        urls: UrlMaker,
        multipart: MultipartIn,
        names: ProjectNames,
        *,
        nonce: Callable[[int], str],
    ) -> None:
        self._blobs = blobs
        self._transfers = transfers
        self._urls = urls
        self._multipart = multipart
        self._names = names
        self._nonce = nonce

    def begin(self, job: Job, *, recipe_id: RecipeId = UNRECORDED, size: int | None = None) -> GivenUpload:
        """Of a job whose lease was looked at."""
        upload = ResultUpload(job.id, job.lease_number, recipe_id, self._nonce(8))
        return GivenUpload(upload, self._urls.signed(BlobKey(upload.key), method="PUT", valid_for=VALID_FOR, size=size))

    def missing(self, job: Job, *, recipe_id: RecipeId, size: int, sha256: str) -> tuple[ResultUpload, MissingParts]:
        """Of the result of a job whose lease was looked at. Raises SourceTooLarge."""
        upload = self._in_parts(job, recipe_id, size=size, sha256=sha256)
        return upload, self._multipart.missing(BlobKey(upload.key), size=size)

    def accepted(self, ending: Completed, told: UploadedResult | None) -> Completed:
        """With the result in its place, named by the server: what a worker says of keys is not believed.

        Raises ResultDamaged, InvalidValue.
        """
        job, said = ending.job, object_in(json_in(ending.result))
        if told is None:
            return ending._replace(result=canonical_json(self._with_found(job, said)), files=())
        upload = parse_upload_id(told.id, job_id=job.id)
        if upload.lease_number != job.lease_number:
            raise InvalidValue(f"{title(job)}: upload {told.id} was begun under another lease")
        self._join(BlobKey(upload.key), told)
        final = self._names.result(job.project, job.source_hash, upload.recipe_id)
        # Looked at in a copy of the server's own: whoever has the address of what came could write it again meanwhile.
        own = BlobKey(upload._replace(nonce=self._nonce(8)).key)
        try:
            record = self._checked(own, job, upload, told)
            self._transfers.copy(own, final)
        finally:
            self._blobs.delete(own)
        if not told.publish:
            # The published result stays, with a word on this one, which is kept by its recipe for who asked for it.
            stays = {**object_in(json_in(job.result)), REFUSED: text_in(said.get(REFUSED)) or ""}
            return ending._replace(result=canonical_json(stays), files=())
        named = {**said, "key": final, _RECIPE: upload.recipe_id, _SIZE: record.size}
        return ending._replace(result=canonical_json(named), files=(record._replace(key=final),))

    def accepted_by_name(self, ending: Completed) -> Completed:
        """Of a worker that names no upload, as one of the published API: the newest under its lease is meant. Without
        one, a job would be completed whose result nobody can fetch. Raises ResultDamaged, InvalidValue."""
        job, newest = ending.job, self.newest(ending.job)
        said = whole_in(object_in(json_in(ending.result)).get(_SIZE))
        if newest is not None and said is not None and said != newest.size:
            raise InvalidValue(
                f"{title(job)}: what was uploaded has {newest.size} bytes, and `{_SIZE}` says {said}; upload it again, "
                "and complete the job then"
            )
        accepted = self.accepted(ending, newest)
        if object_in(json_in(accepted.result)).get("key") is None:
            raise InvalidValue(
                f"{title(job)}: nothing was uploaded to its `upload_url`; upload the result, and complete the job then"
            )
        return accepted

    def _with_found(self, job: Job, said: JsonObject) -> JsonObject:
        """A run that found the result of its recipe uploads nothing: then that is looked for here."""
        without = {name: value for name, value in said.items() if name != "key"}
        if (recipe_id := text_in(said.get(_RECIPE))) is None:
            return without
        key = self._names.result(job.project, job.source_hash, parse_recipe_id(recipe_id))
        return without if self._blobs.renew(key) is None else {**without, "key": key}

    def published(self, job: Job) -> None:
        """After the job was completed: under the name by which others look for it, and by the winner alone."""
        key = object_in(json_in(job.result)).get("key")
        with suppress(NotFound):
            if isinstance(key, str):
                self._transfers.copy(BlobKey(key), published_key(job))
        self._clear(job)

    def _clear(self, job: Job) -> None:
        """What was uploaded under this lease and those before it: it has its place, or never will. Another worker may
        have the job again already."""
        before = attempts_of(job.id)
        for blob in list(self._blobs.list(before)):
            number = blob.key.removeprefix(before).partition("-")[0]
            if not number.isdecimal() or int(number) <= job.lease_number:
                self._blobs.delete(blob.key)

    def newest(self, job: Job) -> UploadedResult | None:
        """What a client uploaded that names no upload when it is done; None where there is nothing."""
        before = attempts_of(job.id)
        found = sorted(self._blobs.list(f"{before}{job.lease_number}-"), key=lambda blob: blob.modified)
        if not found:
            return None
        name = found[-1].key.removeprefix(before).removesuffix(".zip")
        return UploadedResult(id=name, size=found[-1].size)

    def _checked(self, own: BlobKey, job: Job, upload: ResultUpload, told: UploadedResult) -> FileRecord:
        """Raises ResultDamaged."""
        try:
            self._transfers.copy(BlobKey(upload.key), own)
            there = self._blobs.stat(own)
        except NotFound:
            there = None
        if there is None:
            raise ResultDamaged(f"{title(job)}: nothing was uploaded as {upload.id}; upload it again")
        if told.size is not None and there.size != told.size:
            raise ResultDamaged(
                f"{title(job)}: upload {upload.id} has {there.size} bytes, and its worker says {told.size}"
            )
        with self._blobs.open(own) as stream:
            return self._looked_at(stream, there.size, job, upload, told)

    def _looked_at(
        self, stream: BinaryIO, size: int, job: Job, upload: ResultUpload, told: UploadedResult
    ) -> FileRecord:
        """Raises ResultDamaged."""
        key, checksum = BlobKey(upload.key), _hash_of(stream)
        if told.sha256 is not None and checksum != told.sha256:
            if upload == self._in_parts(job, upload.recipe_id, size=size, sha256=told.sha256):
                # One of its parts is wrong: who sends it again begins anew.
                self._blobs.delete(key)
            raise ResultDamaged(f"{title(job)}: upload {upload.id} has another SHA-256 than its worker says")
        stream.seek(0)
        require_result(stream, f"upload {upload.id} of {title(job)}", is_recorded=upload.recipe_id != UNRECORDED)
        return FileRecord(FileRole.OUTPUT, key, size, ZIP, checksum)

    def _in_parts(self, job: Job, recipe_id: RecipeId, *, size: int, sha256: str) -> ResultUpload:
        nonce = self._multipart.nonce("result", job.id, job.lease_number, recipe_id, size, sha256)
        return ResultUpload(job.id, job.lease_number, recipe_id, nonce)

    def _join(self, key: BlobKey, told: UploadedResult) -> None:
        """What was sent in parts; what came whole is there."""
        if told.size:
            with suppress(NotFound):
                self._multipart.join(key, size=told.size)


def _hash_of(stream: BinaryIO) -> str:
    found = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        found.update(chunk)
    return found.hexdigest()


def published_key(job: Job) -> BlobKey:
    """Where the published result of a document is found by its hash alone."""
    is_first = (job.project, job.type) == (DEFAULT_PROJECT, PDF)
    lane = "" if is_first else f"{job.project}/{job.type}/"
    return BlobKey(f"outputs/{lane}{job.source_hash}.zip")


def found_recipe(result: str) -> str | None:
    """By what a worker that uploads nothing names the result that it found, in what it says of its run."""
    return text_in(object_in(json_in(result)).get(_RECIPE))
