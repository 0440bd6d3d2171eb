"""The thread that writes: in order, together what may share a commit, and each with its own outcome."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from blobforge.domain.errors import AlreadyExists, StoreUnavailable
from blobforge.server.writing_thread import MOST_TOGETHER, WritingThread

PATIENCE = 20.0


class Commits:
    """What was done between two commits; a name that is refused makes the commit fail."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.done: list[str] = []
        self.refused: str | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        before = len(self.done)
        yield
        self.groups.append(self.done[before:])
        if self.refused in self.groups[-1]:
            raise StoreUnavailable("the disk is full")

    def step(self, name: str) -> Callable[[], str]:
        def step() -> str:
            self.done.append(name)
            return name.upper()

        return step


@pytest.fixture
def commits() -> Commits:
    return Commits()


async def while_busy(writing: WritingThread, ask: Callable[[], list[Awaitable[str]]]) -> list[str | BaseException]:
    """What becomes of requests that came while the thread was busy with another."""
    may_end = threading.Event()
    first = asyncio.ensure_future(writing.do(lambda: may_end.wait(PATIENCE), may_share=True))
    asked = [asyncio.ensure_future(one) for one in ask()]
    await asyncio.sleep(0)
    may_end.set()
    assert await first
    return await asyncio.gather(*asked, return_exceptions=True)


def told(commits: Commits, ask: Callable[[WritingThread], list[Awaitable[str]]]) -> list[str | BaseException]:
    with ThreadPoolExecutor(1) as thread:
        writing = WritingThread(thread, commits.together)
        return asyncio.run(while_busy(writing, lambda: ask(writing)))


def test_what_waits_together_shares_one_commit(commits: Commits) -> None:
    outcomes = told(commits, lambda writing: [writing.do(commits.step(name), may_share=True) for name in "abc"])

    assert outcomes == ["A", "B", "C"]
    assert commits.groups == [["a", "b", "c"]]


def test_one_that_fails_hears_its_own_error_and_the_others_theirs(commits: Commits) -> None:
    def fails() -> str:
        raise AlreadyExists("not this one")

    def ask(writing: WritingThread) -> list[Awaitable[str]]:
        return [writing.do(step, may_share=True) for step in (commits.step("a"), fails, commits.step("c"))]

    first, second, third = told(commits, ask)

    assert (first, third) == ("A", "C")
    assert isinstance(second, AlreadyExists)


def test_a_commit_that_fails_is_told_to_all_who_share_it_and_to_nobody_else(commits: Commits) -> None:
    commits.refused = "a"

    def ask(writing: WritingThread) -> list[Awaitable[str]]:
        shared = [writing.do(commits.step(name), may_share=True) for name in "ab"]
        return [*shared, writing.do(commits.step("c"), may_share=False)]

    first, second, third = told(commits, ask)

    assert isinstance(first, StoreUnavailable)
    assert isinstance(second, StoreUnavailable)
    assert third == "C"


def test_what_may_not_share_is_done_alone_and_in_its_turn(commits: Commits) -> None:
    def ask(writing: WritingThread) -> list[Awaitable[str]]:
        return [writing.do(commits.step(name), may_share=name != "c") for name in "abcde"]

    told(commits, ask)

    assert commits.done == list("abcde")
    assert commits.groups == [["a", "b"], ["d", "e"]]


def test_a_group_has_an_end(commits: Commits) -> None:
    names = [f"job {number}" for number in range(MOST_TOGETHER + 2)]

    told(commits, lambda writing: [writing.do(commits.step(name), may_share=True) for name in names])

    assert [len(group) for group in commits.groups] == [MOST_TOGETHER, 2]


def test_who_is_gone_before_its_turn_has_nothing_done(commits: Commits) -> None:
    async def one_goes(writing: WritingThread) -> None:
        may_end = threading.Event()
        first = asyncio.ensure_future(writing.do(lambda: may_end.wait(PATIENCE), may_share=True))
        gone = asyncio.ensure_future(writing.do(commits.step("gone"), may_share=True))
        stays = asyncio.ensure_future(writing.do(commits.step("stays"), may_share=True))
        await asyncio.sleep(0)
        gone.cancel()
        with suppress(asyncio.CancelledError):
            await gone
        may_end.set()
        await asyncio.gather(first, stays)

    with ThreadPoolExecutor(1) as thread:
        asyncio.run(one_goes(WritingThread(thread, commits.together)))

    assert commits.done == ["stays"]


def test_a_thread_that_has_ended_takes_nothing_more(commits: Commits) -> None:
    thread = ThreadPoolExecutor(1)
    writing = WritingThread(thread, commits.together)
    thread.shutdown()

    for _ in range(2):
        with pytest.raises(RuntimeError):
            asyncio.run(writing.do(commits.step("late"), may_share=False))
    assert commits.done == []
