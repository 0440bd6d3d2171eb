"""Debouncing: the first call sends at once, those within the interval share one NOTIFY, and none is lost at the end."""

import threading
from collections.abc import Callable

from blobforge.coordination.sql.postgres.debounced_notify import DebouncedNotify
from blobforge.domain.errors import StoreUnavailable
from blobforge.runtime import SystemRuntime, SystemThread
from blobforge.testing.runtime import FakeRuntime


class LateEvent(threading.Event):
    """Its time was over in the moment in which it was set."""

    def wait(self, timeout: float | None = None) -> bool:
        super().wait(timeout)
        return False


class LateRuntime(SystemRuntime):
    def __init__(self) -> None:
        self.threads: list[SystemThread] = []

    def event(self) -> LateEvent:
        return LateEvent()

    def thread(self, run: Callable[[], object], *, name: str) -> SystemThread:
        self.threads.append(super().thread(run, name=name))
        return self.threads[-1]


class Sends:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def test_the_first_call_sends_at_once() -> None:
    sends = Sends()

    DebouncedNotify(sends, quiet_seconds=60).notify()

    assert sends.times == 1


def test_calls_within_an_interval_share_one_notify_at_its_end() -> None:
    runtime = FakeRuntime()
    sent_at: list[float] = []
    debounced = DebouncedNotify(lambda: sent_at.append(runtime.monotonic()), quiet_seconds=10, runtime=runtime)

    for _ in range(5):
        debounced.notify()
        runtime.sleep(3)
    runtime.sleep(30)
    debounced.notify()

    # At 0, 3, 6, 9 and 12 seconds: the second NOTIFY goes out at 10 seconds, and the call at 12 waits for 20.
    assert sent_at == [0, 10, 20, 45]


def test_what_closing_has_sent_is_not_sent_again_when_its_time_comes() -> None:
    runtime = FakeRuntime()
    sent_at: list[float] = []
    debounced = DebouncedNotify(lambda: sent_at.append(runtime.monotonic()), quiet_seconds=10, runtime=runtime)
    debounced.notify()
    debounced.notify()
    runtime.sleep(4)

    debounced.close()
    runtime.sleep(60)

    assert sent_at == [0, 4]


def test_closing_sends_what_is_pending() -> None:
    sends = Sends()
    debounced = DebouncedNotify(sends, quiet_seconds=60)
    debounced.notify()
    debounced.notify()

    debounced.close()
    debounced.close()

    assert sends.times == 2


def test_nothing_is_sent_after_closing_though_its_time_had_come() -> None:
    sends, runtime = Sends(), LateRuntime()
    debounced = DebouncedNotify(sends, quiet_seconds=60, runtime=runtime)
    debounced.notify()
    debounced.notify()

    debounced.close()
    for thread in runtime.threads:
        thread.join()

    assert (len(runtime.threads), sends.times) == (1, 2)


def test_a_notify_that_fails_raises_nothing() -> None:
    def cut() -> None:
        raise StoreUnavailable("the server is away")

    debounced = DebouncedNotify(cut, quiet_seconds=60)

    debounced.notify()
    debounced.notify()
    debounced.close()


def test_closing_waits_for_a_send_in_progress() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(timeout=5)
        ended.set()

    debounced = DebouncedNotify(slow, quiet_seconds=60)
    sender = threading.Thread(target=debounced.notify)
    sender.start()
    begun.wait(timeout=5)
    closer = threading.Thread(target=debounced.close)
    closer.start()
    go_on.set()
    closer.join(timeout=5)

    assert ended.is_set()
    sender.join()
