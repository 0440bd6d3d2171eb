"""What is missing of a file that is sent in parts, as a message."""

from blobforge.server.multipart_in import MissingParts
from blobforge.wire.multipart import PartMessage, PartsAnswer
from blobforge.wire.transfers import SignedUrlMessage


def parts_answer(upload: str, found: MissingParts) -> PartsAnswer:
    return PartsAnswer(
        upload=upload,
        total=found.total,
        missing=found.missing,
        parts=[PartMessage(**signed.part._asdict(), to=SignedUrlMessage.of(signed.url)) for signed in found.signed],
    )
