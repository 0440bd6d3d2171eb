"""A small part of the proof, in every run of the tests; `make prove` runs all of it."""

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.mutants.mutant import SOURCE, misfits
from tests.proof import dice
from tests.proof.pairs import Pair, all_pairs, explored, parse_pair
from tests.proof.schedules import scheduled
from tests.proof.traces import TRACES

WITH_A_FAULT = (
    Pair("waiting", "succeeds", "succeeds"),
    Pair("stale", "holder succeeds", "sweep"),
    Pair("stale", "holder beats", "succeeds"),
    Pair("expired while publishing", "holder succeeds", "succeeds"),
    Pair("failed and due", "sweep", "sweep"),
    Pair("last try and stale", "holder fails", "sweep"),
)


@pytest.fixture(autouse=True)
def _loaded_dice() -> Iterator[None]:
    with dice.loaded():
        yield


@pytest.mark.parametrize("pair", WITH_A_FAULT, ids=str)
def test_nothing_is_lost_under_any_interleaving_with_one_fault(pair: Pair) -> None:
    found = explored(pair, faults=1)

    assert found.violations == ()
    assert found.endings > 0


@pytest.mark.parametrize("place", range(0, 1_000, 25))
def test_nothing_is_lost_under_any_interleaving_without_a_fault(place: int) -> None:
    pair = list(all_pairs())[place]

    assert explored(pair, faults=0).violations == ()


@pytest.mark.parametrize("seed", range(1, 41))
def test_nothing_is_lost_in_a_random_schedule(seed: int) -> None:
    assert scheduled(seed).complaints == []


def test_a_random_schedule_is_the_same_each_time() -> None:
    assert scheduled(5) == scheduled(5)


def test_every_trace_fits_the_source_as_it_is() -> None:
    assert misfits(mutant for trace in TRACES for mutant in trace.mutants) == []


def test_the_directed_tests_of_a_trace_are_there() -> None:
    files = {test.partition("::")[0] for trace in TRACES for test in trace.tests}

    assert [file for file in sorted(files) if not (SOURCE.parent / file).exists()] == []


def test_every_known_trace_of_the_queue_is_put_back_once() -> None:
    wanted = {*range(1, 18), *range(20, 24)}

    assert Counter(trace.number for trace in TRACES) == Counter(wanted)


def test_a_pair_is_known_by_its_words_in_either_order() -> None:
    assert parse_pair("waiting: cancel, fails") == Pair("waiting", "fails", "cancel")


def test_what_is_no_pair_is_reported() -> None:
    with pytest.raises(ValueError, match=r"'waiting: dance, sing' is no pair"):
        parse_pair("waiting: dance, sing")
