"""Children that stay warm for one document after the other, without a queue or any configuration."""

import asyncio
import itertools
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, Self, Unpack

from blobforge import untrusted_tree, wiring
from blobforge.domain.errors import InvalidOptions
from blobforge.domain.worker_report import MOST_SLOTS
from blobforge.library.document import ConvertedDocument
from blobforge.library.many import ConversionResult, Window, async_results, results
from blobforge.library.pending import PendingDocument
from blobforge.library.sources import (
    ConvertOptions,
    DocumentSource,
    name_of,
    processor_options,
    require_many,
    require_source,
)
from blobforge.ports.processor import Progress, Report
from blobforge.worker.limits import ChildLimits
from blobforge.worker.slots import SlotPool

OnProgressOfMany = Callable[[DocumentSource, Progress], None]
_P = ParamSpec("_P")


class Converter:
    """Converts documents in `jobs` child processes, which it keeps until it is closed. Threads may share it.

    Whoever converts now and then, as a server does, saves the start of a child each time. `limits` bound what a child
    may use. `on_progress` is called from another thread; in the async forms, from the event loop.
    """

    def __init__(self, *, jobs: int = 1, limits: ChildLimits | None = None) -> None:
        """Raises InvalidOptions."""
        if not 1 <= jobs <= MOST_SLOTS:
            raise InvalidOptions(f"jobs={jobs}: there can be 1 to {MOST_SLOTS} children")
        self.jobs = jobs
        self._folder = tempfile.TemporaryDirectory(prefix="blobforge-", ignore_cleanup_errors=True)
        self._equipment = wiring.equipment_for_one(Path(self._folder.name), limits or ChildLimits())
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: dict[Future[ConvertedDocument], PendingDocument] = {}
        self._closed = False
        # Two executors: a stream that is slow to read must not hold up results that are ready.
        self._copying_in = ThreadPoolExecutor(jobs, thread_name_prefix="copying-in")
        self._finishing = ThreadPoolExecutor(1, thread_name_prefix="finishing")
        self._pool = SlotPool(jobs, on_fault=self._fail_all)
        self._pool.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the children; what is still under way is cancelled. Closing twice is no error."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            futures = list(self._pending)
        for future in futures:
            future.cancel()
        self._copying_in.shutdown(cancel_futures=True)
        self._pool.close()
        self._finishing.shutdown(cancel_futures=True)
        untrusted_tree.remove(Path(self._folder.name))
        self._folder.cleanup()

    def submit(
        self,
        source: DocumentSource,
        *,
        name: str | None = None,
        on_progress: Report | None = None,
        **options: Unpack[ConvertOptions],
    ) -> "Future[ConvertedDocument]":
        """Returns at once. The future gives the document or raises a BlobForgeError; cancelling it ends the work.

        Raises InvalidOptions, TypeError for what is no document, and RuntimeError when the converter is closed.
        """
        require_source(source)
        wanted, called, password = processor_options(options), name_of(source, name), options.get("password")
        with self._lock:
            if self._closed:
                raise RuntimeError("this converter is closed")
            rank = next(self._numbers)
            pending = PendingDocument(
                Path(self._folder.name) / f"document-{rank}",
                put=lambda step, rank: self._pool.put(step, rank=rank),
                finishing=self._finishing,
                on_progress=on_progress,
            )
            self._pending[pending.future] = pending
            self._copying_in.submit(
                lambda: pending.begin(
                    source, called, options=wanted, password=password, equipment=self._equipment, rank=rank
                )
            )
        pending.future.add_done_callback(self._leave)
        return pending.future

    def convert(
        self,
        source: DocumentSource,
        *,
        name: str | None = None,
        on_progress: Report | None = None,
        **options: Unpack[ConvertOptions],
    ) -> ConvertedDocument:
        """Raises BlobForgeError, whose `code` is stable."""
        future = self.submit(source, name=name, on_progress=on_progress, **options)
        try:
            return future.result()
        finally:
            future.cancel()

    def convert_many(
        self,
        sources: Iterable[DocumentSource],
        *,
        on_progress: OnProgressOfMany | None = None,
        **options: Unpack[ConvertOptions],
    ) -> Iterator[ConversionResult]:
        """Each result as soon as it is there, in whatever order; one that failed is a result with its error."""
        return results(self._window(sources, on_progress, options))

    async def aconvert(
        self,
        source: DocumentSource,
        *,
        name: str | None = None,
        on_progress: Report | None = None,
        **options: Unpack[ConvertOptions],
    ) -> ConvertedDocument:
        """`convert` without holding up the event loop; cancelling the task ends the work."""
        tell = None if on_progress is None else _in_loop(on_progress)
        return await asyncio.wrap_future(self.submit(source, name=name, on_progress=tell, **options))

    def aconvert_many(
        self,
        sources: Iterable[DocumentSource],
        *,
        on_progress: OnProgressOfMany | None = None,
        **options: Unpack[ConvertOptions],
    ) -> AsyncIterator[ConversionResult]:
        """`convert_many` without holding up the event loop."""
        tell = None if on_progress is None else _in_loop(on_progress)
        return async_results(self._window(sources, tell, options))

    def _window(
        self, sources: Iterable[DocumentSource], on_progress: OnProgressOfMany | None, options: ConvertOptions
    ) -> Window:
        require_many(sources, options)

        def submit(source: DocumentSource) -> "Future[ConvertedDocument]":
            tell = None if on_progress is None else lambda progress: on_progress(source, progress)
            return self.submit(source, on_progress=tell, **options)

        # Twice as many as there are children: while one is read, the next is brought near.
        return Window(sources, submit, size=2 * self.jobs)

    def _leave(self, future: "Future[ConvertedDocument]") -> None:
        with self._lock:
            pending = self._pending.pop(future)
        pending.leave()
        if future.cancelled() or future.exception() is not None:
            self._pool.kill_aborted()

    def _fail_all(self, error: BaseException) -> None:
        """A fault of ours, of which nobody knows whose run it has cost: none is left to wait for ever."""
        with self._lock:
            pending = list(self._pending.values())
        for document in pending:
            document.fail(error)


def _in_loop(function: Callable[_P, None]) -> Callable[_P, None]:
    """Called from any thread, it is called in the loop that runs now."""
    loop = asyncio.get_running_loop()

    def tell(*args: _P.args, **kwargs: _P.kwargs) -> None:
        loop.call_soon_threadsafe(lambda: function(*args, **kwargs))

    return tell
