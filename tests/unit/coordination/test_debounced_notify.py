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


def test_the_first_news_rings_at_once() -> None:
    ringing = Ringing()

    DebouncedNotify(ringing, quiet_seconds=60).notify()

    assert ringing.times == 1


def test_much_news_in_a_short_time_rings_once_more_and_later() -> None:
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


def test_closing_rings_for_what_nobody_was_told_of() -> None:
    ringing = Ringing()
    debounced = DebouncedNotify(ringing, quiet_seconds=60)
    debounced.notify()
    debounced.notify()

    debounced.close()
    debounced.close()

    assert ringing.times == 2


def test_a_bell_that_cannot_ring_troubles_nobody() -> None:
    def cut() -> None:
        raise StoreUnavailable("the server is away")

    debounced = DebouncedNotify(cut, quiet_seconds=60)

    debounced.notify()
    debounced.notify()
    debounced.close()


def test_closing_waits_for_one_who_rings() -> None:
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
