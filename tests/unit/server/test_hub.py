"""Who is woken, and that no wake-up is lost."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from blobforge.server.hub import ClaimLine, Hub
from blobforge.server.long_poll import LONGEST_SECONDS, clamped

PDF, IMAGE = ClaimLine("default", ("pdf",), frozenset()), ClaimLine("default", ("image",), frozenset())


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, 10))


def test_a_ring_wakes_one_of_each_line() -> None:
    hub = Hub()
    with hub.listen(PDF) as first, hub.listen(PDF) as second, hub.listen(IMAGE) as other:
        hub.notify()

        assert [first.is_woken, second.is_woken, other.is_woken] == [True, False, True]


def test_who_waits_longest_comes_first_and_then_goes_to_the_end() -> None:
    hub = Hub()
    with hub.listen(PDF) as first, hub.listen(PDF) as second:
        hub.notify()
        first.looks_now()
        hub.notify()

        assert [first.is_woken, second.is_woken] == [False, True]


def test_a_second_ring_wakes_the_next_one() -> None:
    """The first has not looked yet: it will see one job, and there may be two."""
    hub = Hub()
    with hub.listen(PDF) as first, hub.listen(PDF) as second:
        hub.notify()
        hub.notify()

        assert first.is_woken
        assert second.is_woken


def test_who_found_something_passes_on() -> None:
    hub = Hub()
    with hub.listen(PDF) as first, hub.listen(PDF) as second:
        hub.notify()
        first.looks_now()
        first.pass_on()

        assert second.is_woken


def test_who_leaves_without_having_looked_passes_on() -> None:
    hub = Hub()
    with hub.listen(PDF) as staying:
        with hub.listen(PDF) as leaving:
            hub.notify()
            staying.looks_now()
            hub.notify()
            assert leaving.is_woken
            assert not staying.is_woken

        assert staying.is_woken


def test_who_leaves_after_a_look_wakes_nobody() -> None:
    hub = Hub()
    with hub.listen(PDF) as staying:
        with hub.listen(PDF) as leaving:
            leaving.looks_now()

        assert not staying.is_woken


def test_a_line_is_forgotten_with_its_last_waiter() -> None:
    hub = Hub()
    with hub.listen(PDF):
        assert hub.lines == [PDF]

    assert hub.lines == []


def test_a_ring_between_the_look_and_the_wait_is_heard() -> None:
    async def story() -> None:
        hub = Hub()
        with hub.listen(PDF) as waiter:
            waiter.looks_now()
            hub.notify()

            assert await waiter.wait(60)

    run(story())


def test_a_notification_from_another_thread_is_heard() -> None:
    async def story() -> None:
        hub = Hub()
        hub.belongs_to(asyncio.get_running_loop())
        with hub.listen(PDF) as waiter:
            await asyncio.to_thread(hub.notify_from_thread)

            assert await waiter.wait(60)

    run(story())


def test_nobody_waits_once_the_server_stops() -> None:
    async def story() -> None:
        hub = Hub()
        hub.belongs_to(asyncio.get_running_loop())
        with hub.listen(PDF) as first, hub.listen(PDF) as second:
            waits = [asyncio.create_task(waiter.wait(60)) for waiter in (first, second)]
            await asyncio.to_thread(hub.stop_from_thread)

            assert await asyncio.gather(*waits) == [False, False]
            assert not await first.wait(60)
        with hub.listen(PDF) as late:
            assert not await late.wait(60)

    run(story())


def test_a_ring_for_a_loop_that_has_ended_is_no_error() -> None:
    hub = Hub()
    hub.notify_from_thread()
    loop = asyncio.new_event_loop()
    hub.belongs_to(loop)
    loop.close()

    hub.notify_from_thread()
    hub.stop_from_thread()


def test_each_ring_is_another_version() -> None:
    hub = Hub()
    versions = [hub.version]
    for _ in range(3):
        hub.notify()
        versions.append(hub.version)

    assert len(set(versions)) == 4


@pytest.mark.parametrize(
    ("asked", "waited"),
    [(0, 0), (-5, 0), (30, 30), (1e9, LONGEST_SECONDS), (float("inf"), LONGEST_SECONDS), (float("nan"), 0)],
)
def test_a_wait_has_an_end(asked: float, waited: float) -> None:
    assert clamped(asked) == waited
