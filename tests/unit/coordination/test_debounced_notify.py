"""Debouncing: the first call sends at once, those within the interval share one NOTIFY, and none is lost at the end."""

import threading

from blobforge.coordination.sql.postgres.debounced_notify import DebouncedNotify
from blobforge.domain.errors import StoreUnavailable


class Sends:
    def __init__(self) -> None:
        self.times = 0
        self.sent = threading.Event()

    def __call__(self) -> None:
        self.times += 1
        self.sent.set()


def test_the_first_call_sends_at_once() -> None:
    sends = Sends()

    DebouncedNotify(sends, quiet_seconds=60).notify()

    assert sends.times == 1


def test_calls_within_the_interval_share_one_notify_at_its_end() -> None:
    sends = Sends()
    debounced = DebouncedNotify(sends, quiet_seconds=0.05)
    debounced.notify()
    sends.sent.clear()

    for _ in range(100):
        debounced.notify()
    assert sends.times == 1

    assert sends.sent.wait(timeout=5)
    debounced.close()
    assert sends.times == 2


def test_closing_sends_what_is_pending() -> None:
    sends = Sends()
    debounced = DebouncedNotify(sends, quiet_seconds=60)
    debounced.notify()
    debounced.notify()

    debounced.close()
    debounced.close()

    assert sends.times == 2


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
