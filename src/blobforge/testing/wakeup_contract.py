"""The contract of every Wakeup that calls its listeners at all.

A subclass gives two fixtures: `wakeup`, and `change_queue`, a function that changes the queue as another process would.
"""

import threading
from collections.abc import Callable

from blobforge.ports.wakeup import Subscription, Wakeup

SOON_SECONDS = 1.0

ChangeQueue = Callable[[], None]


class WakeupContract:
    def test_a_new_job_wakes_soon(self, wakeup: Wakeup, change_queue: ChangeQueue) -> None:
        woken = threading.Event()
        subscription = wakeup.subscribe(woken.set)

        change_queue()

        assert woken.wait(SOON_SECONDS)
        subscription.close()

    def test_a_job_right_after_subscribing_is_never_missed(self, wakeup: Wakeup, change_queue: ChangeQueue) -> None:
        for _ in range(20):
            woken = threading.Event()
            subscription = wakeup.subscribe(woken.set)
            change_queue()
            assert woken.wait(SOON_SECONDS)
            subscription.close()

    def test_it_wakes_again_for_later_jobs(self, wakeup: Wakeup, change_queue: ChangeQueue) -> None:
        woken = threading.Event()
        subscription = wakeup.subscribe(woken.set)

        for _ in range(3):
            woken.clear()
            change_queue()
            assert woken.wait(SOON_SECONDS)
        subscription.close()

    def test_every_listener_is_called(self, wakeup: Wakeup, change_queue: ChangeQueue) -> None:
        signals = [threading.Event() for _ in range(3)]
        subscriptions = [wakeup.subscribe(woken.set) for woken in signals]

        change_queue()

        assert all(woken.wait(SOON_SECONDS) for woken in signals)
        for subscription in subscriptions:
            subscription.close()

    def test_no_listener_is_called_after_closing(self, wakeup: Wakeup, change_queue: ChangeQueue) -> None:
        closed_woken, other_woken = threading.Event(), threading.Event()
        closed, other = wakeup.subscribe(closed_woken.set), wakeup.subscribe(other_woken.set)

        closed.close()
        closed_woken.clear()
        change_queue()

        assert other_woken.wait(SOON_SECONDS)
        assert not closed_woken.is_set()
        other.close()

    def test_a_listener_may_close_its_own_subscription(self, wakeup: Wakeup, change_queue: ChangeQueue) -> None:
        subscribed, closed = threading.Event(), threading.Event()
        mine: list[Subscription] = []

        def listen() -> None:
            subscribed.wait()
            mine[0].close()
            closed.set()

        mine.append(wakeup.subscribe(listen))
        subscribed.set()
        change_queue()

        assert closed.wait(SOON_SECONDS)
        mine[0].close()

    def test_closing_twice_is_no_error(self, wakeup: Wakeup) -> None:
        subscription = wakeup.subscribe(lambda: None)

        subscription.close()
        subscription.close()
