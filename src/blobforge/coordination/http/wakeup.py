"""The wake-up of a queue behind a server: one request of this process, which waits until the server has news."""

import threading
from collections.abc import Callable

from blobforge.client.connection import Connection
from blobforge.domain.errors import BlobForgeError
from blobforge.ports.job_store import Queue
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.wire import paths
from blobforge.wire.queue import News, NewsRequest

POLL_SECONDS = 30
ANSWER_SECONDS = 10
AFTER_A_FAILURE_SECONDS = 2.0

Listener = Callable[[], None]


class NewsWakeup:
    """Calls its listeners when the server says that there may be new jobs. Threads share it."""

    def __init__(
        self,
        connection: Connection,
        *,
        claims_from: Callable[[], Queue | None] = lambda: None,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        """`claims_from` is what this process claims from: the server wakes one of those who wait for the same."""
        self._connection = connection
        self._claims_from = claims_from
        self._runtime = runtime
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._is_watching = False
        self._since: int | None = None

    def subscribe(self, listener: Listener) -> "NewsSubscription":
        with self._lock:
            if not self._is_watching:
                # Asked for here and not in the thread, so that nothing after this is missed.
                self._since = self._version_now()
                self._is_watching = True
                self._runtime.thread(self._watch, name="news").start()
            self._listeners.append(listener)
        return NewsSubscription(self, listener)

    def unsubscribe(self, listener: Listener) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def _watch(self) -> None:
        while self._goes_on():
            try:
                news = self._ask(POLL_SECONDS)
            except BlobForgeError:
                # Whoever claims is told that the server is away; here it is enough to ask again.
                self._runtime.sleep(AFTER_A_FAILURE_SECONDS)
                continue
            if news.version != self._since:
                self._since = news.version
                self._call()

    def _goes_on(self) -> bool:
        with self._lock:
            self._is_watching = bool(self._listeners)
            return self._is_watching

    def _call(self) -> None:
        with self._lock:
            for listener in list(self._listeners):
                # One of them may have closed another.
                if listener in self._listeners:
                    listener()

    def _ask(self, seconds: int) -> News:
        queue = self._claims_from()
        request = NewsRequest(since=self._since, timeout=seconds)
        if queue is not None:
            request = request.model_copy(
                update={"project": queue.project, "types": list(queue.types), "has": sorted(queue.has)}
            )
        return self._connection.post(paths.NEWS, request, News, seconds=seconds + ANSWER_SECONDS)

    def _version_now(self) -> int | None:
        try:
            return self._ask(0).version
        except BlobForgeError:
            return None


class NewsSubscription:
    """The request that waits is left to end by itself."""

    def __init__(self, wakeup: NewsWakeup, listener: Listener) -> None:
        self._wakeup = wakeup
        self._listener = listener

    def close(self) -> None:
        self._wakeup.unsubscribe(self._listener)
