"""Many documents: as many under way as keep the children busy, and each result as soon as it is there."""

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass

from blobforge.domain.errors import BlobForgeError
from blobforge.library.document import ConvertedDocument
from blobforge.library.sources import DocumentSource

Submit = Callable[[DocumentSource], Future[ConvertedDocument]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionResult:
    """What became of one of many documents. `source` is what you gave, `index` its place, counted from 0."""

    source: DocumentSource
    index: int
    error: BlobForgeError | None = None
    converted: ConvertedDocument | None = None

    @property
    def document(self) -> ConvertedDocument:
        """Raises the error of one that failed."""
        if self.error is not None:
            raise self.error
        assert self.converted is not None, "what did not fail is there"
        return self.converted


class Window:
    """Takes sources as others are finished: a generator of a million paths costs no more than a few of them."""

    def __init__(self, sources: Iterable[DocumentSource], submit: Submit, *, size: int) -> None:
        self._sources = enumerate(sources)
        self._submit = submit
        self._size = size
        self._under_way: dict[Future[ConvertedDocument], tuple[int, DocumentSource]] = {}

    def __bool__(self) -> bool:
        return bool(self._under_way)

    def fill(self, on_done: Callable[[Future[ConvertedDocument]], object]) -> None:
        while len(self._under_way) < self._size:
            try:
                index, source = next(self._sources)
            except StopIteration:
                return
            future = self._submit(source)
            self._under_way[future] = index, source
            future.add_done_callback(on_done)

    def take(self, future: Future[ConvertedDocument]) -> ConversionResult:
        """Raises what is no error of the document: a fault of ours, or one in the caller's own function."""
        index, source = self._under_way.pop(future)
        try:
            return ConversionResult(source=source, index=index, converted=future.result())
        except BlobForgeError as error:
            return ConversionResult(source=source, index=index, error=error)

    def cancel(self) -> None:
        for future in list(self._under_way):
            future.cancel()


def results(window: Window) -> Iterator[ConversionResult]:
    done: queue.SimpleQueue[Future[ConvertedDocument]] = queue.SimpleQueue()
    try:
        window.fill(done.put)
        while window:
            result = window.take(done.get())
            window.fill(done.put)
            yield result
    finally:
        window.cancel()


async def async_results(window: Window) -> AsyncIterator[ConversionResult]:
    loop = asyncio.get_running_loop()
    done: asyncio.Queue[Future[ConvertedDocument]] = asyncio.Queue()

    def tell(future: Future[ConvertedDocument]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(done.put_nowait, future)

    try:
        window.fill(tell)
        while window:
            result = window.take(await done.get())
            window.fill(tell)
            yield result
    finally:
        window.cancel()
