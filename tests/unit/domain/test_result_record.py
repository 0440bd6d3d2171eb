"""What a job's record says of its result, whoever wrote it."""

import pytest

from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.result_record import ResultRecord, record_in, result_record, result_that_stays
from blobforge.testing.builders import a_job


def of(result: str | None) -> ResultRecord:
    return result_record(a_job()._replace(result=result))


def test_a_result_lists_its_gaps_with_their_reasons() -> None:
    record = of(canonical_json({"pages": 12, "pages_failed": 6, "codes": {"ocr_unavailable": 6}}))

    assert record.has_gaps
    assert record.gaps == "6 of 12 pages are missing (ocr_unavailable)"


def test_one_page_is_one_page() -> None:
    assert of('{"pages": 1, "pages_failed": 1}').gaps == "1 of 1 page is missing"


def test_a_whole_result_has_no_gaps_and_no_doubts() -> None:
    record = of('{"pages": 3, "pages_failed": 0, "codes": {}, "key": "outputs/x.zip", "recipe": "0123"}')

    assert (record.has_gaps, record.gaps, record.doubts) == (False, "", "")
    assert (record.key, record.recipe_id) == ("outputs/x.zip", "0123")


def test_doubts_are_described_in_words() -> None:
    record = record_in({"pages": 9, "repaired": True, "warnings": {"text_lost": 1, "unknown_glyphs": 2}})

    assert record.doubts == ("the file was damaged and repaired; doubtful pages: 1 text_lost, 2 unknown_glyphs")


@pytest.mark.parametrize(
    "result", [None, "", "no JSON", "[]", "7", "[" * 5_000, '{"pages_failed": "many", "codes": 3, "key": 1}']
)
def test_what_nobody_can_read_counts_as_nothing(result: str | None) -> None:
    assert of(result) == ResultRecord()


@pytest.mark.parametrize("facts", [{"pages_failed": -1}, {"pages_failed": True}, {"pages_failed": None}])
def test_what_is_no_count_is_no_gap(facts: JsonObject) -> None:
    assert not record_in(facts).has_gaps


GAPPED = canonical_json({"key": "outputs/a.zip", "recipe": "old", "pages": 10, "pages_failed": 2})


@pytest.mark.parametrize(
    ("result", "recipe", "missing", "stays"),
    [
        (GAPPED, "new", 3, True),
        (GAPPED, "new", 2, False),
        (GAPPED, "old", 9, False),
        (None, "new", 9, False),
        ('{"key":"outputs/a.zip"}', "new", 9, False),
    ],
)
def test_a_run_of_another_recipe_that_misses_more_pages_does_not_take_the_place_of_a_better_result(
    result: str | None, recipe: str, missing: int, *, stays: bool
) -> None:
    made: JsonObject = {"pages": 10, "pages_failed": missing, "codes": {"timed_out": missing}}

    kept = result_that_stays(a_job(result=result), made, RecipeId(recipe))

    assert (kept is not None) is stays
    if kept is not None:
        record = record_in(kept)
        assert (record.key, record.pages_failed, record.has_doubts) == ("outputs/a.zip", 2, True)
        assert record.doubts == (
            "a later run misses more and is not published: recipe new, 3 of 10 pages are missing (timed_out)"
        )
