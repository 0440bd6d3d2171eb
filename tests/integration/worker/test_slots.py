"""Slots with real children: warm ones are used again, worn-out and dead ones are replaced, killed ones are noticed."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import LONG, a_task, has_ended, spec_of

from blobforge.domain.errors import ChildError, ChildMisbehaved, OutputError, WorkGivenUp
from blobforge.ports.processor import Progress, Task
from blobforge.worker.child import ChildSpec
from blobforge.worker.messages import Operation, Produced, Reply, Request
from blobforge.worker.slots import SlotPool


class Note:
    """An task that remembers what became of it."""

    def __init__(self, spec: ChildSpec, task: Task, *, on_done: Callable[[], None] = lambda: None) -> None:
        self.spec = spec
        self.aborted = False
        self.task: Task | None = task
        self.child = 0
        self.at_work = threading.Event()
        self.over = threading.Event()
        self.reply: Reply | None = None
        self.error: ChildError | OutputError | None = None
        self._on_done = on_done

    def prepare(self) -> tuple[Request, float] | None:
        return None if self.task is None else (Request(Operation.CONVERT, self.task), LONG)

    def progress(self, progress: Progress) -> None:
        if progress.stage == "child":
            self.child = progress.current
            self.at_work.set()

    def done(self, reply: Reply) -> None:
        self.reply = reply
        self._on_done()

    def died(self, error: ChildError | OutputError) -> None:
        self.error = error

    def released(self) -> None:
        self.over.set()

    def result(self) -> "Note":
        assert self.over.wait(LONG)
        return self


@pytest.fixture
def faults() -> list[BaseException]:
    return []


@pytest.fixture
def pool(faults: list[BaseException]) -> Iterator[SlotPool]:
    pool = SlotPool(1, on_fault=faults.append)
    pool.start()
    yield pool
    pool.close()


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return a_task(tmp_path)


def done(pool: SlotPool, note: Note) -> Note:
    pool.put(note, rank=0)
    return note.result()


def test_a_child_is_kept_warm_for_the_next_slot_task_of_its_kind(pool: SlotPool, task: Task) -> None:
    spec = spec_of(strange.Chorus)

    first, second = done(pool, Note(spec, task)), done(pool, Note(spec, task))

    assert first.child == second.child != 0
    assert isinstance(second.reply, Reply)
    assert isinstance(second.reply.answer, Produced)


def test_a_slot_task_of_another_kind_gets_another_child_and_the_first_leaves(pool: SlotPool, task: Task) -> None:
    first = done(pool, Note(spec_of(strange.Chorus), task))
    second = done(pool, Note(spec_of(strange.Chorus, max_jobs=7), task))

    assert first.child != second.child
    assert has_ended(first.child)


def test_a_worn_out_child_leaves_and_the_next_slot_task_gets_a_new_one(pool: SlotPool, task: Task) -> None:
    spec = spec_of(strange.Chorus, max_jobs=2)

    children = [done(pool, Note(spec, task)).child for _ in range(5)]

    assert children[0] == children[1] != children[2] == children[3] != children[4]
    assert has_ended(children[0])
    assert has_ended(children[2])


def test_a_child_that_died_in_its_sleep_is_not_the_next_documents_death(pool: SlotPool, task: Task) -> None:
    spec = spec_of(strange.Nightcap)
    first = done(pool, Note(spec, task))
    assert has_ended(first.child)

    second = done(pool, Note(spec, task))

    assert second.error is None
    assert second.reply is not None


def test_a_death_is_told_and_the_next_slot_task_gets_a_new_child(pool: SlotPool, tmp_path: Path, task: Task) -> None:
    spec = spec_of(strange.Mortal)

    first, second = done(pool, Note(spec, task)), done(pool, Note(spec, task))

    assert [type(note.error).__name__ for note in (first, second)] == ["ChildKilled", "ChildKilled"]
    assert first.child != second.child


def test_only_the_child_of_an_aborted_slot_task_is_killed(pool: SlotPool, task: Task) -> None:
    note = Note(spec_of(strange.Sleeper), task)
    pool.put(note, rank=0)
    assert note.at_work.wait(LONG)

    pool.kill_aborted()
    assert not has_ended(note.child, within=0.2)
    note.aborted = True
    pool.kill_aborted()

    assert isinstance(note.result().error, WorkGivenUp)
    assert has_ended(note.child)


def test_a_child_that_may_have_been_killed_after_its_reply_is_not_used_again(pool: SlotPool, task: Task) -> None:
    spec = spec_of(strange.Chorus)
    aborted = Note(spec, task)

    class AbortedInTheLastMoment(Note):
        def progress(self, progress: Progress) -> None:
            super().progress(progress)
            self.aborted = progress.stage == "writing"

    aborted = done(pool, AbortedInTheLastMoment(spec, task))
    after = done(pool, Note(spec, task))

    assert aborted.child != after.child
    assert after.error is None


def test_an_aborted_task_in_the_queue_and_one_without_a_question_start_no_child(pool: SlotPool, task: Task) -> None:
    aborted, nothing = Note(spec_of(), task), Note(spec_of(strange.Chorus), task)
    aborted.aborted = True
    nothing.task = None

    pool.put(aborted, rank=0)
    done(pool, nothing)

    assert not aborted.over.is_set()
    assert (nothing.reply, nothing.error) == (None, None)


def test_a_slot_task_aborted_while_it_was_prepared_starts_no_child(pool: SlotPool, task: Task) -> None:
    class AbortedInPreparation(Note):
        def prepare(self) -> tuple[Request, float] | None:
            self.aborted = True
            return super().prepare()

    note = done(pool, AbortedInPreparation(spec_of(strange.Chorus), task))

    assert (note.child, note.reply, note.error) == (0, None, None)


def test_the_line_is_served_by_rank_and_then_in_order(pool: SlotPool, task: Task) -> None:
    order: list[str] = []
    first = Note(spec_of(strange.Sleeper), task)
    pool.put(first, rank=0)
    assert first.at_work.wait(LONG)
    spec = spec_of()
    notes = {name: Note(spec, task, on_done=partial(order.append, name)) for name in ("b1", "b2", "a")}

    pool.put(notes["b1"], rank=2)
    pool.put(notes["b2"], rank=2)
    pool.put(notes["a"], rank=1)
    first.aborted = True
    pool.kill_aborted()
    for note in notes.values():
        note.result()

    assert order == ["a", "b1", "b2"]


def test_a_fault_is_told_and_the_slot_goes_on_with_a_new_child(
    pool: SlotPool, task: Task, faults: list[BaseException]
) -> None:
    def fault() -> None:
        raise ZeroDivisionError

    spec = spec_of(strange.Chorus)
    broken = done(pool, Note(spec, task, on_done=fault))
    after = done(pool, Note(spec, task))

    assert [type(error) for error in faults] == [ZeroDivisionError]
    assert after.reply is not None
    assert broken.child != after.child
    assert has_ended(broken.child)


def test_closing_kills_what_is_at_work_and_joins_every_thread(task: Task) -> None:
    pool = SlotPool(2, on_fault=lambda _: None)
    pool.start()
    note, waiting = Note(spec_of(strange.Sleeper), task), Note(spec_of(strange.Sleeper), task)
    pool.put(note, rank=0)
    assert note.at_work.wait(LONG)
    pool.put(waiting, rank=1)

    pool.close()

    assert len(pool) == 2
    assert isinstance(note.error, WorkGivenUp)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("slot-")]


def test_a_pool_that_was_never_started_can_be_closed() -> None:
    SlotPool(2, on_fault=lambda _: None).close()


def test_a_child_whose_answer_cannot_be_believed_is_replaced(
    pool: SlotPool, task: Task, faults: list[BaseException]
) -> None:
    def disbelieve() -> None:
        raise ChildMisbehaved("a result that is none")

    spec = spec_of(strange.Chorus)
    lied = done(pool, Note(spec, task, on_done=disbelieve))
    honest = done(pool, Note(spec, task))

    assert str(lied.error) == "a result that is none"
    assert honest.child != lied.child
    assert faults == []
