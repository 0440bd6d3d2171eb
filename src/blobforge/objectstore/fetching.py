"""What has come of an object so far, when it comes as a stream that may break."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from botocore.exceptions import BotoCoreError, HTTPClientError

from blobforge.objectstore.metadata import decoded

CHUNK = 64 * 1024
"""What is read at once, and at most lost when a connection breaks."""


class Fetched:
    """Writes into the target from its beginning. What has come is kept when a connection breaks, so that each further
    request has a patience of its own: a large object may take as long as it needs, as long as it comes."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._size: int | None = None
        self._etag: str | None = None
        self.metadata: Mapping[str, str] = {}
        self.is_whole = False
        self._begin()

    @property
    def condition(self) -> dict[str, Any]:
        """What to ask for next: everything, or the rest of the very same object."""
        return {"IfMatch": self._etag, "Range": f"bytes={self._done}-"} if self._done else {}

    def take(self, answer: Mapping[str, Any]) -> None:
        """Raises what the SDK raises when nothing came at all."""
        if "ContentRange" not in answer:
            self._begin()
            self._size = answer.get("ContentLength")
        self._etag, self.metadata = answer["ETag"], decoded(answer["Metadata"])
        before = self._done
        try:
            while chunk := answer["Body"].read(CHUNK):
                self._target.write(chunk)
                self._done += len(chunk)
        except (HTTPClientError, BotoCoreError):
            if self._done == before:
                raise
        else:
            # Some proxies leave out the length; the SDK raises where there is one and less has come.
            self._size = self._done
        self.is_whole = self._done == self._size
        if self.is_whole:
            self._target.truncate(self._done)

    def _begin(self) -> None:
        self._target.seek(0)
        self._done = 0
