"""Whether the store answers: a worker claims nothing while its documents could be neither fetched nor stored."""

from collections.abc import Callable

from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.processor import Progress
from blobforge.ports.runtime import Runtime
from blobforge.worker.child import ChildSpec
from blobforge.worker.job_run import JobRun
from blobforge.worker.messages import Reply, Request
from blobforge.worker.outage import Outage

LONGEST_SECONDS = 8.0


class StoreGate:
    """Closed by a document that met a store that is away, until that is asked and answers. Used by the loop alone."""

    def __init__(
        self,
        on_answer: Callable[[StoreUnavailable | None], None],
        on_wait: Callable[[StoreUnavailable], None],
        *,
        first_seconds: float,
        runtime: Runtime,
    ) -> None:
        """`on_answer` is called on the thread of a slot, and the loop passes it on to `answered`; `on_wait` on the
        loop's."""
        self._on_answer = on_answer
        self._on_wait = on_wait
        self._first_seconds = self._seconds = first_seconds
        self._monotonic = runtime.monotonic
        self._outage = Outage("the blob store", seconds=runtime.monotonic)
        self._run: JobRun | None = None
        self._ask_at: float | None = None

    @property
    def is_open(self) -> bool:
        return self._run is None

    def close(self, run: JobRun, problem: StoreUnavailable) -> None:
        """This document was handed back."""
        self._run = run
        self._wait(problem)

    def answered(self, problem: StoreUnavailable | None) -> None:
        if problem is None:
            self._run = self._ask_at = None
        elif self._run is not None:
            self._wait(problem)

    def works(self) -> None:
        """A document was fetched and stored."""
        self._outage.is_over()
        self._run = self._ask_at = None
        self._seconds = self._first_seconds

    def seconds_to_ask(self) -> float | None:
        """None where there is nothing to ask."""
        return None if self._ask_at is None else max(self._ask_at - self._monotonic(), 0.0)

    def question(self) -> "StoreQuestion | None":
        """To be put to a slot, once for each call that has one; an answer follows."""
        if self._run is None or self.seconds_to_ask() != 0.0:
            return None
        self._ask_at = None
        return StoreQuestion(self._run, self._on_answer)

    def _wait(self, problem: StoreUnavailable) -> None:
        self._outage.goes_on(problem)
        self._ask_at = self._monotonic() + self._seconds
        # Also after an answer: a store that can be read may still take nothing.
        self._seconds = min(self._seconds * 2, LONGEST_SECONDS)
        self._on_wait(problem)


class StoreQuestion:
    """As a task for a slot, since an answer may take long; no child is asked."""

    aborted = False

    def __init__(self, run: JobRun, on_answer: Callable[[StoreUnavailable | None], None]) -> None:
        self._run = run
        self._on_answer = on_answer

    @property
    def spec(self) -> ChildSpec:
        return self._run.spec

    def prepare(self) -> tuple[Request, float] | None:
        try:
            self._run.require_store()
        except StoreUnavailable as error:
            self._on_answer(error)
        else:
            self._on_answer(None)
        return None

    def progress(self, progress: Progress) -> None:
        """Nothing is asked of a child."""

    def done(self, reply: Reply) -> None:
        """Likewise."""

    def died(self, error: Exception) -> None:
        """Likewise."""

    def released(self) -> None:
        """It holds nothing."""
