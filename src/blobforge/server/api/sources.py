"""The queue protocol for those who bring documents: an address for the bytes, and then a receipt for them."""

from starlette.responses import Response

from blobforge.domain.ids import parse_source_hash
from blobforge.domain.uploads import SourceUpload, parse_source_upload
from blobforge.server.bodies import json_router
from blobforge.server.parts_answer import parts_answer
from blobforge.server.routing import Parts, Submitter, answer, says
from blobforge.wire import paths
from blobforge.wire.multipart import PartsAnswer, SourcePartsRequest
from blobforge.wire.stored import SourcePlaced, SourceReceipt, SourceUploadAnswer, SourceUploadRequest
from blobforge.wire.transfers import SignedUrlMessage

router = json_router("queue protocol")


@router.post(paths.SOURCE_UPLOAD, **says(SourceUploadAnswer))
async def source_upload(request: SourceUploadRequest, asker: Submitter, parts: Parts) -> Response:
    """An address for the bytes of a document, exactly so many."""
    asker.project_of(request.project)
    parts.require_size(request.size)
    upload = SourceUpload(parse_source_hash(request.source_hash), parts.nonce(8))
    to = parts.files.sources.address_for(upload, size=request.size)
    return answer(SourceUploadAnswer(upload=upload.nonce, to=SignedUrlMessage.of(to)))


@router.post(paths.SOURCE_PARTS, **says(PartsAnswer))
async def source_parts(request: SourcePartsRequest, asker: Submitter, parts: Parts) -> Response:
    """Addresses for the parts of a document that are missing, the next ones; asked again, it goes on where an earlier
    upload of the same document for the same project was interrupted."""
    project, source_hash = asker.project_of(request.project), parse_source_hash(request.source_hash)
    parts.require_size(request.size)
    upload, missing = await parts.crossing.read(
        lambda: parts.files.sources.missing(project, source_hash, size=request.size)
    )
    return answer(parts_answer(upload.nonce, missing))


@router.post(paths.SOURCE_PLACED, **says(SourceReceipt))
async def source_placed(request: SourcePlaced, asker: Submitter, parts: Parts) -> Response:
    """Looks at what was uploaded, and brings it to its place. The receipt says that the sender had the bytes; a job
    that names the document is ready by it at once."""
    project, source_hash = asker.project_of(request.project), parse_source_hash(request.source_hash)
    upload = parse_source_upload(request.upload, source_hash=source_hash)
    size = await parts.crossing.transfer(lambda: parts.files.sources.place(upload, size=request.size))
    return answer(SourceReceipt(receipt=parts.files.receipts.made(project, source_hash), size=size))
