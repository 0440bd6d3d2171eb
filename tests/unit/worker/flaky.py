"""A coordinator that cannot be reached for a while."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.domain.worker import Worker
from blobforge.ports.coordinator import Coordinator, EndedAndClaimed


class FlakyCoordinator:
    """Passes every call on, but for those that a test has taken away."""

    def __init__(self, inner: Coordinator) -> None:
        self.inner = inner
        self._refusing: Counter[str] = Counter()
        self.error: Exception = StoreUnavailable("the queue is away")
        self.refused: Counter[str] = Counter()
        self.on_call: dict[str, Callable[[], object]] = {}

    def refuse(self, *names: str, times: int = 1, passing: int = 0) -> None:
        """The next calls of these methods fail; `passing` of them still succeed before that."""
        for name in names:
            self._refusing[name] = times
            self._refusing[f"{name} passes"] = passing

    def wait_for_call(self, name: str, *, times: int = 1) -> None:
        """Until the method has been called so often from now on; all but the last call are over then."""
        wait = self.calls_of(name)
        for _ in range(times):
            wait()

    def calls_of(self, name: str) -> Callable[[], None]:
        """Waits for the next call of the method, from now on: none is missed that comes between two waits."""
        called = threading.Semaphore(0)
        self.on_call[name] = called.release

        def wait() -> None:
            assert called.acquire(timeout=60), f"{name} was not called"

        return wait

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **facts: Any) -> Any:
            self.on_call.get(name, lambda: None)()
            if self._refusing[f"{name} passes"]:
                self._refusing[f"{name} passes"] -= 1
            elif self._refusing[name]:
                self._refusing[name] -= 1
                self.refused[name] += 1
                raise self.error
            return getattr(self.inner, name)(*args, **facts)

        return call

    def beat(self, jobs: Sequence[Job], worker: Worker) -> list[Job | BlobForgeError]:
        """Its two parts are taken away by their names."""
        renewed: list[Job | BlobForgeError] = self.renew(jobs) if jobs else []
        self.register_worker(worker)
        return renewed

    def as_coordinator(self) -> Coordinator:
        return cast("Coordinator", self)


class Unsure(FlakyCoordinator):
    """Says of the first endings that it knows nothing of them, and does nothing about them."""

    def __init__(self, inner: Coordinator, error: BlobForgeError, *, times: int) -> None:
        super().__init__(inner)
        self._error = error
        self._left = times

    def end_and_claim(self, endings: Sequence[Ending], *wanted: Any, **facts: Any) -> EndedAndClaimed:
        return self._answer(endings) or self.inner.end_and_claim(endings, *wanted, **facts)

    def end_and_claim_exactly(self, endings: Sequence[Ending], *wanted: Any, **facts: Any) -> EndedAndClaimed:
        return self._answer(endings) or self.inner.end_and_claim_exactly(endings, *wanted, **facts)

    def _answer(self, endings: Sequence[Ending]) -> EndedAndClaimed | None:
        if not endings or not self._left:
            return None
        self._left -= 1
        return EndedAndClaimed([self._error for _ in endings], [])
