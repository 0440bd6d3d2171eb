"""Files that a program sends: whole, or in parts where they are large. Written down once, as steps."""

from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from blobforge.client.steps import Ask, Delay, Steps, Upload, surely
from blobforge.domain.errors import AccessError, InvalidValue, NotFound, SourceDamaged, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.domain.uploads import PART_SIZE, FilePart
from blobforge.wire import paths
from blobforge.wire.multipart import PartMessage, PartsAnswer, ResultPartsRequest, SourcePartsRequest
from blobforge.wire.queue import Lease
from blobforge.wire.stored import SourcePlaced, SourceReceipt, SourceUploadAnswer, SourceUploadRequest
from blobforge.wire.transfers import SignedUrlMessage, UploadAnswer, UploadRequest

PLACING_SECONDS = 600.0
"""The server reads the whole document before it answers."""
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Between tries by which nothing more has come: a server may be started again meanwhile."""


class SentParts(NamedTuple):
    """`went_on`: some had come before."""

    upload: str
    went_on: bool


def brought(source: Path | bytes, *, project: str, source_hash: SourceHash, size: int) -> Steps[SourceReceipt]:
    """The bytes of a document, and the receipt for them. Raises StoreUnavailable, SourceDamaged, SourceChanged."""
    if size <= PART_SIZE:
        return (yield from surely(lambda: _brought_whole(source, project, source_hash, size)))
    sent = yield from _sent_source(source, project, source_hash, size)
    told = SourcePlaced(project=project, source_hash=source_hash, upload=sent.upload, size=size)
    try:
        return (yield from surely(lambda: _placed(told)))
    except (SourceDamaged, NotFound) as error:
        if isinstance(error, SourceDamaged) and not sent.went_on:
            raise
    # What an earlier run had sent was wrong, or is gone: once more from the beginning.
    yield from _sent_source(source, project, source_hash, size)
    return (yield from surely(lambda: _placed(told)))


def sent_result(path: Path, *, lease: Lease, recipe: str, size: int, sha256: str) -> Steps[str]:
    """The archive of a result, and the id of its upload. Raises StoreUnavailable, LeaseLost."""
    if size > PART_SIZE:
        request = ResultPartsRequest(lease=lease, recipe=recipe, size=size, sha256=sha256)
        return (yield from _sent_in_parts(paths.RESULT_PARTS, request, path)).upload
    asked = UploadRequest(lease=lease, recipe=recipe, size=size)
    given: UploadAnswer = yield Ask(method="POST", path=paths.UPLOAD_URL, kind=UploadAnswer, message=asked)
    yield from _sent(given.to, path)
    return given.upload


def _brought_whole(source: Path | bytes, project: str, source_hash: SourceHash, size: int) -> Steps[SourceReceipt]:
    asked = SourceUploadRequest(project=project, source_hash=source_hash, size=size)
    given: SourceUploadAnswer = yield Ask(
        method="POST", path=paths.SOURCE_UPLOAD, kind=SourceUploadAnswer, message=asked
    )
    yield from _sent(given.to, source)
    return (yield from _placed(SourcePlaced(project=project, source_hash=source_hash, upload=given.upload)))


def _sent_source(source: Path | bytes, project: str, source_hash: SourceHash, size: int) -> Steps[SentParts]:
    request = SourcePartsRequest(project=project, source_hash=source_hash, size=size)
    return (yield from _sent_in_parts(paths.SOURCE_PARTS, request, source))


def _placed(told: SourcePlaced) -> Steps[SourceReceipt]:
    receipt: SourceReceipt = yield Ask(
        method="POST", path=paths.SOURCE_PLACED, kind=SourceReceipt, message=told, seconds=PLACING_SECONDS
    )
    return receipt


def _sent(to: SignedUrlMessage, source: Path | bytes, part: FilePart | None = None) -> Steps[None]:
    """An address that is refused, perhaps as one that is no longer valid, says nothing of the file: whoever tries again
    gets another one. Raises StoreUnavailable, SourceChanged."""
    try:
        yield Upload(to=to, source=source, part=part)
    except (AccessError, InvalidValue, NotFound) as error:
        raise StoreUnavailable(str(error)) from error


def _sent_in_parts(path: str, request: BaseModel, source: Path | bytes) -> Steps[SentParts]:
    """Those that are missing, in whatever upload of this file was begun. After a break the server says what is missing
    by then, with new addresses. Raises StoreUnavailable when nothing more comes through."""
    went_on: bool | None = None
    least, tries = None, 0
    while True:
        try:
            given: PartsAnswer = yield Ask(method="POST", path=path, kind=PartsAnswer, message=request)
            if went_on is None:
                went_on = given.missing < given.total
            if least is None or given.missing < least:
                least, tries = given.missing, 0
            for part in given.parts:
                yield from _sent(part.to, source, _of_file(part))
            if len(given.parts) == given.missing:
                return SentParts(given.upload, went_on)
        except StoreUnavailable:
            if tries == len(PAUSES):
                raise
            yield Delay(seconds=PAUSES[tries])
            tries += 1


def _of_file(part: PartMessage) -> FilePart:
    return FilePart(part.number, part.offset, part.size)
