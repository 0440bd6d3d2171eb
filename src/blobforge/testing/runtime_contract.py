"""What every Runtime promises.

A subclass gives one fixture: `runtime`.
"""

from blobforge.ports.runtime import Inbox, Runtime, Thread

SHORT_SECONDS = 0.01
LONG_SECONDS = 60.0


class RuntimeContract:
    def test_sleeping_takes_its_time(self, runtime: Runtime) -> None:
        began = runtime.monotonic()

        runtime.sleep(SHORT_SECONDS)

        assert runtime.monotonic() - began >= SHORT_SECONDS

    def test_an_event_that_is_not_set_is_waited_for_until_the_time_is_over(self, runtime: Runtime) -> None:
        event, began = runtime.event(), runtime.monotonic()

        assert not event.wait(SHORT_SECONDS)
        assert runtime.monotonic() - began >= SHORT_SECONDS
        assert not event.is_set()

    def test_setting_an_event_wakes_who_waits_for_it(self, runtime: Runtime) -> None:
        event = runtime.event()
        thread = runtime.thread(event.set, name="setter")

        thread.start()

        assert event.wait(LONG_SECONDS)
        assert event.is_set()
        assert event.wait(0)
        thread.join()

    def test_messages_come_in_their_order(self, runtime: Runtime) -> None:
        inbox: Inbox[str] = runtime.inbox()

        inbox.put("a")
        inbox.put("b")

        assert [inbox.get(), inbox.get(), inbox.get(0), inbox.get(SHORT_SECONDS)] == ["a", "b", None, None]

    def test_a_message_wakes_who_waits_for_it(self, runtime: Runtime) -> None:
        inbox: Inbox[str] = runtime.inbox()
        thread = runtime.thread(lambda: inbox.put("a"), name="sender")

        thread.start()

        assert inbox.get(LONG_SECONDS) == "a"
        thread.join()

    def test_a_condition_wakes_one_and_then_all(self, runtime: Runtime) -> None:
        condition = runtime.condition()
        woken: Inbox[str] = runtime.inbox()
        asleep: list[int] = []

        def sleeper() -> None:
            with condition:
                asleep.append(1)
                condition.wait()
            woken.put("woken")

        threads = [runtime.thread(sleeper, name=f"sleeper-{number}") for number in range(3)]
        for thread in threads:
            thread.start()
        while len(asleep) < len(threads):
            runtime.sleep(SHORT_SECONDS)

        with condition:
            condition.notify()
        one = [woken.get(LONG_SECONDS), woken.get(SHORT_SECONDS)]
        with condition:
            condition.notify_all()
        for thread in threads:
            thread.join(LONG_SECONDS)

        assert one == ["woken", None]
        assert [thread.is_alive() for thread in threads] == [False] * 3

    def test_a_thread_is_alive_from_its_start_to_its_end(self, runtime: Runtime) -> None:
        end = runtime.event()
        thread = runtime.thread(end.wait, name="worker")
        before = thread.is_alive()
        thread.start()
        thread.join(SHORT_SECONDS)
        meanwhile = thread.is_alive()

        end.set()
        thread.join()

        assert (before, meanwhile, thread.is_alive()) == (False, True, False)

    def test_joining_a_thread_that_never_began_or_oneself_returns_at_once(self, runtime: Runtime) -> None:
        threads: list[Thread] = []
        ended = runtime.event()

        def join_oneself() -> None:
            threads[0].join()
            ended.set()

        threads.append(runtime.thread(join_oneself, name="self"))
        threads[0].join()
        threads[0].start()

        assert ended.wait(LONG_SECONDS)
        threads[0].join()

    def test_nonces_differ_and_have_their_size(self, runtime: Runtime) -> None:
        nonces = {runtime.nonce(8) for _ in range(100)}

        assert len(nonces) == 100
        assert {len(nonce) for nonce in nonces} == {16}
        assert all(set(nonce) <= set("0123456789abcdef") for nonce in nonces)
