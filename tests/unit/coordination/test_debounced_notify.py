"""The bell: at once when it was quiet, together when there is much, and never in vain at the end."""

import threading

from blobforge.coordination.sql.postgres.debounced_notify import DebouncedNotify
from blobforge.domain.errors import StoreUnavailable


class Ringing:
    def __init__(self) -> None:
        self.times = 0
        self.rung = threading.Event()

    def __call__(self) -> None:
        self.times += 1
        self.rung.set()


def test_the_first_call_sends_at_once() -> None:
    ringing = Ringing()

    DebouncedNotify(ringing, quiet_seconds=60).notify()

    assert ringing.times == 1


def test_calls_within_the_interval_share_one_notify_at_its_end() -> None:
    ringing = Ringing()
    debounced = DebouncedNotify(ringing, quiet_seconds=0.05)
    debounced.notify()
    ringing.rung.clear()

    for _ in range(100):
        debounced.notify()
    assert ringing.times == 1

    assert ringing.rung.wait(timeout=5)
    debounced.close()
    assert ringing.times == 2


def test_closing_sends_what_is_pending() -> None:
    ringing = Ringing()
    debounced = DebouncedNotify(ringing, quiet_seconds=60)
    debounced.notify()
    debounced.notify()

    debounced.close()
    debounced.close()

    assert ringing.times == 2


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
    ringer = threading.Thread(target=debounced.notify)
    ringer.start()
    begun.wait(timeout=5)
    closer = threading.Thread(target=debounced.close)
    closer.start()
    go_on.set()
    closer.join(timeout=5)

    assert ended.is_set()
    ringer.join()
