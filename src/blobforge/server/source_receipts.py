"""Receipts for uploaded sources: whoever has one brought these bytes, which to know their hash does not prove."""

import hashlib
import hmac
from datetime import timedelta

from blobforge.domain.ids import SourceHash
from blobforge.ports.clock import Clock

VALID_FOR = timedelta(days=1)


class SourceReceipts:
    """Any server with the same key knows them: nothing is kept."""

    def __init__(self, key: bytes, *, clock: Clock) -> None:
        self._key = key
        self._clock = clock

    def made(self, project: str, source_hash: SourceHash) -> str:
        expires = int((self._clock.now() + VALID_FOR).timestamp())
        return f"{expires}.{self._signature(project, source_hash, expires)}"

    def counts(self, receipt: str | None, project: str, source_hash: SourceHash) -> bool:
        if receipt is None:
            return False
        expires, _, signature = receipt.partition(".")
        if not (expires.isascii() and expires.isdecimal() and len(expires) <= 12):
            return False
        # As bytes: what is no ASCII is no signature, and no error.
        told, right = signature.encode(), self._signature(project, source_hash, int(expires)).encode()
        return hmac.compare_digest(told, right) and int(expires) > self._clock.now().timestamp()

    def _signature(self, project: str, source_hash: SourceHash, expires: int) -> str:
        said = f"source receipt\n{project}\n{source_hash}\n{expires}".encode()
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()
