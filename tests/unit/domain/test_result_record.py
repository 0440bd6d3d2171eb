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


NEW = RecipeId("new-recipe-0123456789")


@pytest.mark.parametrize(("published", "made", "stays"), [(0, 1, True), (2, 3, True), (2, 2, False), (3, 2, False)])
def test_a_result_stays_published_where_the_new_one_misses_more_pages_also_if_it_has_gaps_itself(
    published: int, made: int, *, stays: bool
) -> None:
    before: JsonObject = {"key": "outputs/x.zip", "recipe": "old", "pages": 9, "pages_failed": published}
    job = a_job()._replace(result=canonical_json(before))

    kept = result_that_stays(job, {"pages": 9, "pages_failed": made, "codes": {"ocr_unavailable": made}}, NEW)

    assert (kept is not None) == stays
    if kept is not None:
        told = f"{made} of 9 pages {'is' if made == 1 else 'are'} missing (ocr_unavailable)"
        assert kept == {**before, "refused": f"recipe new-recipe-0, {told}"}


def test_a_run_of_the_same_recipe_or_the_first_of_all_is_published_whatever_it_misses() -> None:
    of_this = a_job()._replace(result=canonical_json({"key": "outputs/x.zip", "recipe": NEW, "pages_failed": 0}))

    assert result_that_stays(of_this, {"pages_failed": 5}, NEW) is None
    assert result_that_stays(a_job(), {"pages_failed": 5}, NEW) is None


def test_a_result_that_outlived_a_worse_run_is_doubtful_and_says_which_run_was_refused() -> None:
    record = record_in({"key": "outputs/a.zip", "refused": "recipe new, 3 of 10 pages are missing (timed_out)"})

    assert record.has_doubts
    assert record.doubts == (
        "a later run misses more and is not published: recipe new, 3 of 10 pages are missing (timed_out)"
    )
