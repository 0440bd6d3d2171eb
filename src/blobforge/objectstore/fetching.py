"""A download that continues after a broken connection."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from botocore.exceptions import BotoCoreError, HTTPClientError

from blobforge.objectstore.metadata import decoded

CHUNK = 64 * 1024
"""Read at once, and at most lost when a connection breaks."""


class Fetched:
    """Writes into the target from its beginning. What was received is kept when a connection breaks, so each further
    request has the full time for retries: a large object may take any time, as long as it makes progress."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._size: int | None = None
        self._etag: str | None = None
        self.metadata: Mapping[str, str] = {}
        self.is_whole = False
        self._begin()

    @property
    def condition(self) -> dict[str, Any]:
        """The parameters of the next request: everything, or the rest of the same object."""
        return {"IfMatch": self._etag, "Range": f"bytes={self._done}-"} if self._done else {}

    @property
    def size(self) -> int:
        """Of what was received."""
        return self._done

    def take(self, answer: Mapping[str, Any]) -> None:
        """Raises the error of the SDK when nothing was received at all."""
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
            # Some proxies leave out the length; where there is one, the SDK raises if less was received.
            self._size = self._done
        self.is_whole = self._done == self._size
        if self.is_whole:
            self._target.truncate(self._done)

    def _begin(self) -> None:
        self._target.seek(0)
        self._done = 0
