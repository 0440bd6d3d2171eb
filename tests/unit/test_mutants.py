"""Mutants are planted by structure, never by text, and all of them fit the source as it is."""

import ast
from collections import Counter

import pytest
from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import SOURCE, Mutant, misfits
from tests.mutants.planting import DoesNotFit, planted

QUEUE = '''
"""A queue."""
LIMIT = 8
READY = f"SELECT {LIMIT} FROM jobs WHERE ready " "ORDER BY priority, id LIMIT 1"
NAMES = [name for name in ("jobs", "files")]

class Queue:
    size = 3

    def claim(self, worker, *, now):
        """Takes the first."""
        job = self._first(now)  # the most urgent
        if job is not None and job.due <= now:
            self._events.append(job)
            return job._replace(worker=worker, attempts=job.attempts + 1, updated_at=now)
        return None

    def release(self, held):
        with self._lock, held.lock:
            first = held.first
            second = held.second
            self._put(first, second)
            print(LIMIT)

def claim(job):
    return job
'''


def plant(within: str, old: str, new: str) -> str:
    return planted(QUEUE, within=within, old=old, new=new)


def is_same(text: str, other: str) -> bool:
    return ast.dump(ast.parse(text)) == ast.dump(ast.parse(other))


def test_an_expression_is_found_by_its_structure_however_it_is_written() -> None:
    mutant = plant("Queue.claim", "(\n  job . attempts)+1", "job.attempts")

    assert is_same(mutant, QUEUE.replace("job.attempts + 1", "job.attempts"))


def test_locals_match_whatever_they_are_called_and_what_is_written_has_their_names() -> None:
    mutant = plant("Queue.claim", "task is not None and task.due <= moment", "task.due < moment")

    assert is_same(mutant, QUEUE.replace("job is not None and job.due <= now", "job.due < now"))


@pytest.mark.parametrize("old", ["self._put(one, one)", "self._put(one, self)"])
def test_two_locals_are_never_one(old: str) -> None:
    with pytest.raises(DoesNotFit, match="found 0 times"):
        plant("Queue.release", old, "pass")


@pytest.mark.parametrize(
    "old",
    [
        "job.later <= now",  # an attribute
        "self._last(now)",  # a method
        "job._replace(worker=worker, attempts=job.attempts + 1, changed_at=now)",  # a keyword
        "job.attempts + 2",  # a constant
        "other._first(now)",  # self
    ],
)
def test_all_but_locals_match_only_what_is_called_the_same(old: str) -> None:
    with pytest.raises(DoesNotFit, match=r"found 0 times in Queue\.claim, not once"):
        plant("Queue.claim", old, "None")


@pytest.mark.parametrize("old", ["len(LIMIT)", "print(MOST)", "show(LIMIT)", "print(held)"])
def test_global_names_are_no_variables(old: str) -> None:
    with pytest.raises(DoesNotFit, match="found 0 times"):
        plant("Queue.release", old, "None")


def test_a_pattern_that_is_found_twice_is_refused() -> None:
    with pytest.raises(DoesNotFit, match=r"found 2 times in Queue\.release, not once"):
        plant("Queue.release", "one = ...", "pass")


def test_statements_are_taken_together_and_may_leave_nothing() -> None:
    mutant = plant("Queue.claim", "self._events.append(job)\nreturn job._replace(**...)", "")

    assert "if job is not None and job.due <= now:\n            pass\n" in mutant


def test_three_dots_keep_whatever_stands_there() -> None:
    mutant = plant("Queue.release", "with self._lock, ...:\n    ...", "with ...:\n    ...")

    assert is_same(mutant, QUEUE.replace("with self._lock, held.lock:", "with held.lock:"))


def test_keywords_are_found_in_any_order() -> None:
    mutant = plant("Queue.claim", "job._replace(updated_at=now, worker=worker, **...)", "job._replace(**...)")

    assert "return job._replace(attempts=job.attempts + 1)" in mutant


def test_part_of_a_string_is_found_across_its_pieces_and_the_rest_of_it_stays() -> None:
    mutant = plant("", '"… ready ORDER BY priority, id…"', '"… ready ORDER BY id…"')

    assert is_same(mutant, QUEUE.replace("ORDER BY priority, id", "ORDER BY id"))


@pytest.mark.parametrize(
    ("within", "old"),
    [("", "size = 3"), ("Queue", "LIMIT = 8"), ("claim", "return None"), ("Queue", "return None")],
)
def test_a_pattern_is_looked_for_in_its_place_only(within: str, old: str) -> None:
    with pytest.raises(DoesNotFit, match="found 0 times"):
        plant(within, old, "pass")


@pytest.mark.parametrize("within", ["Queue.complete", "Queue.claim.inner", "complete"])
def test_a_function_that_is_not_there_is_told(within: str) -> None:
    with pytest.raises(DoesNotFit, match=f"'{within}' is defined 0 times, not once"):
        plant(within, "None", "1")


def test_what_is_written_speaks_only_of_variables_that_the_pattern_names() -> None:
    with pytest.raises(DoesNotFit, match="nothing in its pattern says what now, worker is"):
        plant("Queue.claim", "return None", "return (worker, now)")


@pytest.mark.parametrize(
    ("old", "new", "trouble"),
    [
        ("return None", "return None", "it changes nothing"),
        ('"Takes…"', '"Takes…"', "it changes nothing"),
        ('"Takes…"', '("…", "…")', "it has 1 and 2 strings"),
        ("return None", "break", "what it makes is no program"),
        ("if job:", "if None:", "expected an indented block"),
        ("job._replace(**...)", "job._replace(..., **...)", "it has 2 `...` where its pattern has 1"),
    ],
)
def test_what_is_no_mutant_is_told(old: str, new: str, trouble: str) -> None:
    with pytest.raises(DoesNotFit, match=trouble):
        plant("Queue.claim", old, new)


def test_all_mutants_fit_the_source_as_it_is() -> None:
    assert misfits(MUTANTS) == []


def test_a_mutant_that_does_not_fit_is_named_with_its_file() -> None:
    mutant = Mutant("a bug", "coordination/service.py", "no_such_call()", "pass", ())

    [sentence] = misfits([mutant])

    assert sentence == "a bug: coordination/service.py: its pattern is found 0 times in the module, not once"


def test_every_mutant_has_a_name_of_its_own() -> None:
    assert [name for name, times in Counter(mutant.name for mutant in MUTANTS).items() if times > 1] == []


def test_the_tests_that_should_catch_a_mutant_are_there() -> None:
    files = {test.partition("::")[0] for mutant in MUTANTS for test in mutant.tests}

    assert [file for file in sorted(files) if not (SOURCE.parent / file).exists()] == []
