"""What jobs need of their workers, as part of their orders."""

import pytest

from blobforge.domain import lifecycle, needs
from blobforge.domain.errors import LeaseLost
from blobforge.domain.job import Failure, State, lease_of
from blobforge.testing.builders import a_job, job_in
from blobforge.testing.clock import START


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("{}", ""),
        ('{"needs":["ocr:deu","engine:marker","ocr:deu"]}', "engine:marker ocr:deu"),
        ('{"options":{"x":"\\"needs\\""}}', ""),
        ('{"needs":"engine:marker"}', ""),
        ('{"needs":[7,"","two words",null,"a:b"]}', "a:b"),
        ('["needs"]', ""),
        ('{"needs":', ""),
        ("[" * 100_000 + '"needs"', ""),
    ],
)
def test_needs_are_read_from_an_order_and_nonsense_is_passed_over(metadata: str, expected: str) -> None:
    assert needs.needs_of(metadata) == expected


def test_more_needs_keep_the_rest_of_the_order() -> None:
    once = needs.with_needs('{"options":{"engine":"x"}}', ["ocr:deu"])

    assert needs.with_needs(once, ["engine:x"]) == '{"needs":["engine:x","ocr:deu"],"options":{"engine":"x"}}'
    assert needs.with_needs("no order at all", ["engine:x"]) == '{"needs":["engine:x"]}'


def test_needs_are_met_by_who_has_all_of_them() -> None:
    assert needs.are_met("", frozenset())
    assert needs.are_met("engine:a ocr:b", frozenset({"engine:a", "ocr:b", "ocr:c"}))
    assert not needs.are_met("engine:a ocr:b", frozenset({"engine:a"}))
    assert needs.missing("engine:a ocr:b", frozenset({"engine:a"})) == ["ocr:b"]


def test_needs_have_words_for_people_and_a_way_to_get_them() -> None:
    words = (
        needs.engine("marker"),
        needs.engine("x"),
        needs.language("chi_sim"),
        needs.pipeline("m"),
        needs.TESSERACT,
        "y",
    )
    told = {word: (needs.in_words(word), needs.how_to_get(word)) for word in words}

    assert told == {
        "engine:marker": ("the engine marker", "pip install 'blobforge[marker]'"),
        "engine:x": ("the engine x", None),
        "ocr:chi_sim": ("the language chi_sim of tesseract", "apt install tesseract-ocr-chi-sim"),
        "spacy:m": ("the spaCy pipeline m", "python -m spacy download m"),
        "tool:tesseract": ("tesseract", "apt install tesseract-ocr"),
        "y": ("y", None),
    }


def test_no_extra_is_named_for_an_engine_that_comes_with_every_installation() -> None:
    assert needs.OWN_ENGINE not in needs.EXTRAS
    assert needs.how_to_get(needs.engine("blobforge")) == "pip install blobforge"
    assert needs.how_to_get(needs.engine("marker")) == "pip install 'blobforge[marker]'"


def test_a_declined_job_waits_with_its_attempt_given_back_and_says_why() -> None:
    held = job_in(State.RUNNING)
    failure = Failure("engine_unavailable", "no engine x\0 here")

    job = lifecycle.decline(held, lease_of(held), needs=frozenset({"engine:x"}), failure=failure, now=START)

    assert (job.state, job.attempts, job.worker_id, job.lease_expires_at) == (State.PENDING, 0, None, None)
    assert (job.needs, job.error_code, job.last_error) == ("engine:x", "engine_unavailable", "no engine x\\x00 here")


def test_who_has_lost_a_job_cannot_decline_it() -> None:
    held = job_in(State.RUNNING)

    with pytest.raises(LeaseLost):
        lifecycle.decline(a_job(), lease_of(held), needs=frozenset({"engine:x"}), failure=Failure("a", "b"), now=START)


def test_the_names_of_one_kind_are_told_in_order() -> None:
    words = [needs.engine("marker"), needs.engine("blobforge"), needs.pipeline("de_core"), needs.TESSERACT]

    assert needs.named(words, needs.ENGINE) == ["blobforge", "marker"]
    assert needs.named(words, needs.PIPELINE) == ["de_core"]
