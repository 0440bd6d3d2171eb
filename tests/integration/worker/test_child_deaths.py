"""How a child can die, and the stable error that each way becomes."""

import signal
import threading
from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import (
    Numbers,
    Start,
    a_task,
    ask,
    forget_peak_memory,
    has_ended,
    produced,
)

from blobforge.domain.errors import (
    ChildExited,
    ChildKilled,
    ChildMisbehaved,
    MemoryLimit,
    OutputLimit,
    WorkGivenUp,
)
from blobforge.ports.processor import Progress

NONSENSE = {
    "no JSON": b"segment 7 of 12\n" * 10_000,
    "an unknown object": b'{"hello": 1}\n',
    "nested too deep": b"[" * 100_000 + b"\n",
    "a number that is none": b'{"progress": ["x", Infinity, 1]}\n',
    "a slice that is none": b'{"answer": {"planned": {"slices": [["a", "b"]], "notes": {}}}, "peak_memory": 1}\n',
    "an answer to another question": b'{"answer": {"done": [1, 1]}, "peak_memory": 1}\n',
}


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_signal_becomes_an_error_that_names_it(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    child = start()

    with pytest.raises(ChildKilled, match=f"the child was ended by {number.name}") as death:
        ask(child, a_task(tmp_path, crash=int(number)))

    assert death.value.code == "child_killed"
    assert has_ended(child.pid)


def test_giving_up_without_a_word_while_holding_much_memory_is_the_memory_limit(start: Start, tmp_path: Path) -> None:
    # A child begins with the peak of this process, in which other tests may have held much more than it holds now.
    forget_peak_memory()

    with pytest.raises(MemoryLimit, match=r"need more than child_memory_mb .* allows"):
        ask(start(memory_mb=4000), a_task(tmp_path, eat_bytes=1_600_000_000, crash=int(signal.SIGABRT)))


def test_the_memory_of_an_earlier_document_is_not_held_against_the_next(start: Start, tmp_path: Path) -> None:
    child = start(memory_mb=1000, recycle_mb=1000)
    produced(ask(child, a_task(tmp_path, eat_bytes=500_000_000)))

    with pytest.raises(ChildKilled):
        ask(child, a_task(tmp_path, crash=int(signal.SIGABRT)))


def test_a_kill_hints_at_the_systems_memory(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildKilled, match="ended by SIGKILL; the system may have run out of memory"):
        ask(start(), a_task(tmp_path, crash=int(signal.SIGKILL)))


def test_a_signal_without_a_name_is_told_by_its_number(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildKilled, match=r"ended by signal 4\d"):
        ask(start(), a_task(tmp_path, crash=signal.SIGRTMIN + 8))


@pytest.mark.parametrize("code", [0, 9])
def test_an_exit_becomes_an_error_that_tells_its_code(start: Start, tmp_path: Path, code: int) -> None:
    with pytest.raises(ChildExited, match=f"ended by itself with exit code {code}") as death:
        ask(start(), a_task(tmp_path, exit_code=code))

    assert death.value.code == "child_exited"


def test_its_last_words_are_told(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildKilled, match=r"SIGSEGV \(its last words: of old age\)"):
        ask(start(strange.LastWords), a_task(tmp_path, b"die\nof old age\n"))


@pytest.mark.parametrize(
    "words", [b"die\nterminate called: std::bad_alloc\n", b"die: memory allocation of 9 bytes failed\n"]
)
def test_last_words_of_memory_are_the_memory_limit(start: Start, tmp_path: Path, words: bytes) -> None:
    with pytest.raises(MemoryLimit, match=r"more memory than child_memory_mb .* allows"):
        ask(start(strange.LastWords), a_task(tmp_path, words))


def test_words_about_an_earlier_document_are_not_taken_for_last_ones(start: Start, tmp_path: Path) -> None:
    child = start(strange.LastWords)
    produced(ask(child, a_task(tmp_path, b"MemoryError, but it was dealt with\n")))

    with pytest.raises(ChildKilled) as death:
        ask(child, a_task(tmp_path, b"die"))

    assert str(death.value) == "the child was ended by SIGSEGV (its last words: die)"


def test_what_a_dead_child_left_behind_ends_with_it_and_does_not_hold_up_its_parent(
    start: Start, tmp_path: Path
) -> None:
    numbers = Numbers()

    with pytest.raises(ChildKilled):
        ask(start(strange.LoudOrphans), a_task(tmp_path), on_progress=numbers)

    assert has_ended(numbers.told["grandchild"])


def test_a_death_is_noticed_though_a_fork_holds_the_pipes_open(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildExited, match="exit code 9"):
        ask(start(strange.Forker), a_task(tmp_path), seconds=20)


@pytest.mark.parametrize("said", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_on_the_answer_pipe_ends_the_child(start: Start, tmp_path: Path, said: bytes) -> None:
    child = start(strange.Babbler)

    with pytest.raises(ChildMisbehaved) as misdeed:
        ask(child, a_task(tmp_path, said))

    assert misdeed.value.code == "child_misbehaved"
    assert has_ended(child.pid)


def test_an_answer_without_end_ends_the_child(start: Start, tmp_path: Path) -> None:
    with pytest.raises(OutputLimit, match="answer is longer than 16 MB"):
        ask(start(strange.EndlessLine), a_task(tmp_path))


def test_a_child_that_closes_its_pipe_and_stays_alive_is_ended(start: Start, tmp_path: Path) -> None:
    child = start(strange.Quitter)

    with pytest.raises(ChildMisbehaved, match="closed its pipe and stayed alive"):
        ask(child, a_task(tmp_path))

    assert has_ended(child.pid)


def test_a_child_that_closes_its_ears_is_ended(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildMisbehaved, match="closed its pipe and stayed alive"):
        ask(start(strange.deaf), a_task(tmp_path, secrets={"password": "x" * 3_000_000}), seconds=30)


def test_a_child_that_is_gone_before_it_is_asked_is_told_like_any_death(start: Start, tmp_path: Path) -> None:
    child = start()
    child.kill()
    assert has_ended(child.pid)

    with pytest.raises(ChildKilled, match="SIGKILL"):
        ask(child, a_task(tmp_path, secrets={"password": "x" * 3_000_000}))


def test_the_reason_of_a_kill_is_what_the_asker_hears(start: Start, tmp_path: Path) -> None:
    child = start(strange.Grandparent)
    numbers = Numbers()
    is_at_work = threading.Event()

    def kill_when_at_work() -> None:
        is_at_work.wait(60)
        child.kill(WorkGivenUp("cancelled"))
        child.kill(WorkGivenUp("the second reason"))

    def listen(progress: Progress) -> None:
        numbers(progress)
        if "child" in numbers.told:
            is_at_work.set()

    killer = threading.Thread(target=kill_when_at_work)
    killer.start()
    with pytest.raises(WorkGivenUp, match="cancelled"):
        ask(child, a_task(tmp_path), on_progress=listen)
    killer.join()

    assert has_ended(numbers.told["grandchild"])
