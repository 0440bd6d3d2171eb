"""The wake-up of a queue behind a server: one request of this process, which waits until the server has news."""

import threading
from collections.abc import Callable

from blobforge.client.connection import Connection
from blobforge.domain.errors import AccessError, BlobForgeError, LeaseLost
from blobforge.ports.job_store import Queue
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.wire import paths
from blobforge.wire.queue import News, NewsRequest

POLL_SECONDS = 55
ANSWER_SECONDS = 10
AFTER_A_FAILURE_SECONDS = 2.0
AT_MOST_EVERY_SECONDS = 0.1
"""A busy queue always has news: whoever just heard some looks for itself, and need not be told again at once."""

Listener = Callable[[], None]


class NewsWakeup:
    """Calls its listeners when the server says that there may be new jobs. Threads share it."""

    def __init__(
        self,
        connection: Connection,
        *,
        claims_from: Callable[[], tuple[Queue | None, str]] = lambda: (None, ""),
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        """`claims_from` is what this process claims from, of which the server wakes one who waits, and its own id."""
        self._connection = connection
        self._claims_from = claims_from
        self._runtime = runtime
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._is_watching = False
        self._since: int | None = None
        self._lease_listeners: list[Listener] = []
        self._leases: int | None = None

    def subscribe(self, listener: Listener) -> "NewsSubscription":
        with self._lock:
            if not self._is_watching:
                # Asked for here and not in the thread, so that nothing after this is missed.
                self._since = self._version_now()
                self._is_watching = True
                self._runtime.thread(self._watch, name="news").start()
            self._listeners.append(listener)
        return NewsSubscription(self, listener)

    def subscribe_to_leases(self, listener: Listener) -> "NewsSubscription":
        """Calls it when a lease of this process may be lost, as long as somebody listens for jobs."""
        with self._lock:
            self._lease_listeners.append(listener)
        return NewsSubscription(self, listener)

    def unsubscribe(self, listener: Listener) -> None:
        with self._lock:
            for listeners in (self._listeners, self._lease_listeners):
                if listener in listeners:
                    listeners.remove(listener)

    def _watch(self) -> None:
        while self._goes_on():
            try:
                news = self._ask(POLL_SECONDS)
            except (AccessError, LeaseLost):
                # Whoever works hears of it at their next request, which is now.
                self._call(self._lease_listeners)
                self._call(self._listeners)
                self._runtime.sleep(AFTER_A_FAILURE_SECONDS)
                continue
            except BlobForgeError:
                # Whoever claims is told that the server is away; here it is enough to ask again.
                self._runtime.sleep(AFTER_A_FAILURE_SECONDS)
                continue
            before, self._leases = self._leases, news.leases
            if before not in (None, news.leases):
                self._call(self._lease_listeners)
            if news.version != self._since:
                self._since = news.version
                self._call(self._listeners)
                self._runtime.sleep(AT_MOST_EVERY_SECONDS)

    def _goes_on(self) -> bool:
        with self._lock:
            self._is_watching = bool(self._listeners)
            return self._is_watching

    def _call(self, listeners: list[Listener]) -> None:
        with self._lock:
            for listener in list(listeners):
                # One of them may have closed another.
                if listener in listeners:
                    listener()

    def _ask(self, seconds: int) -> News:
        queue, process = self._claims_from()
        request = NewsRequest(since=self._since, timeout=seconds, process=process, leases=self._leases)
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


class LeaseNews:
    """The other half of the same request, as a wake-up of its own."""

    def __init__(self, wakeup: NewsWakeup) -> None:
        self._wakeup = wakeup

    def subscribe(self, listener: Listener) -> "NewsSubscription":
        return self._wakeup.subscribe_to_leases(listener)


class NewsSubscription:
    """The request that waits is left to end by itself."""

    def __init__(self, wakeup: NewsWakeup, listener: Listener) -> None:
        self._wakeup = wakeup
        self._listener = listener

    def close(self) -> None:
        self._wakeup.unsubscribe(self._listener)
