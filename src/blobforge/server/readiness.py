"""What a server is watched by: questions to queue and store are asked one at a time, and waited for so long only."""

import asyncio

from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.ports.blob_store import source_key
from blobforge.server.parts import ServerParts
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

READY_SECONDS = 1.0
DEPTHS_EVERY_SECONDS = 10.0
DEPTHS_WITHIN_SECONDS = 2.0


class Readiness:
    """Asks queue and store, once at a time: while they hang, no request adds to the threads that wait for them."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._looking: asyncio.Future[BaseException | None] | None = None

    async def require(self) -> None:
        """Raises StoreUnavailable, at the latest after a second."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        done, _ = await asyncio.wait({self._looking}, timeout=READY_SECONDS)
        if not done:
            raise StoreUnavailable(f"the queue or the store did not answer within {READY_SECONDS:.0f} second")
        match self._looking.result():
            case BlobForgeError() as error:
                raise StoreUnavailable(f"not ready: {error}") from error
            case BaseException() as error:
                raise error

    async def _look(self) -> BaseException | None:
        """What is wrong is given back and not raised: whoever asked may be gone by then, and nobody would hear it."""
        crossing, files = self._parts.crossing, self._parts.files
        began = asyncio.get_running_loop().time()
        found = await asyncio.gather(
            self._parts.read(lambda queue: queue.identity()),
            crossing.read(lambda: files.blobs.stat(source_key(SourceHash("0" * 64)))),
            return_exceptions=True,
        )
        wrong = next((answered for answered in found if isinstance(answered, BaseException)), None)
        if wrong is not None and asyncio.get_running_loop().time() - began > READY_SECONDS:
            log.warning("not ready, and late to say so", error=str(wrong))
        return wrong


class DepthWatch:
    """Asks the queue what is ready, every ten seconds at most; while it hangs, the last figures stay."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._looking: asyncio.Future[None] | None = None
        self._again_at = 0.0

    async def look(self) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._again_at and (self._looking is None or self._looking.done()):
            self._again_at = now + DEPTHS_EVERY_SECONDS
            self._looking = asyncio.ensure_future(self._look())
        if self._looking is not None:
            await asyncio.wait({self._looking}, timeout=DEPTHS_WITHIN_SECONDS)

    async def _look(self) -> None:
        try:
            depths = await self._parts.crossing.read(self._parts.depths)
        except StoreUnavailable:
            return  # the tick tells of it
        self._parts.metrics.keep_depths(depths, now=self._parts.clock.now())
