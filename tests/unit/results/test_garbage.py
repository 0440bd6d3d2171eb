"""What of a store nobody needs: judged by names and by what jobs say."""

import pytest

from blobforge.domain.ids import RecipeId
from blobforge.domain.job import FINAL_STATES, Job, State
from blobforge.domain.json_value import canonical_json
from blobforge.ports.blob_store import result_key, source_key
from blobforge.results.garbage import Kind, needs_of, verdict
from blobforge.testing.builders import a_job, hash_of

ONE, OTHER = hash_of("one"), hash_of("other")
OLD, NEW = RecipeId("0123456789abcdef"), RecipeId("fedcba9876543210")


def a_publishing_job(recipe: RecipeId, state: State = State.COMPLETED, *, project: str = "default") -> Job:
    result = canonical_json({"key": result_key(ONE, recipe), "recipe": recipe})
    return a_job("one", state=state, result=result, project=project)


def test_a_result_that_no_job_publishes_is_garbage_and_the_published_one_is_not() -> None:
    needs = needs_of([a_publishing_job(NEW)])

    assert verdict(result_key(ONE, OLD), needs) is Kind.RESULT
    assert verdict(result_key(ONE, NEW), needs) is None


def test_what_one_project_publishes_no_other_gives_away() -> None:
    needs = needs_of([a_publishing_job(NEW), a_publishing_job(OLD, project="another")])

    assert verdict(result_key(ONE, OLD), needs) is None
    assert verdict(result_key(ONE, NEW), needs) is None


@pytest.mark.parametrize("state", [state for state in State if state not in FINAL_STATES])
def test_a_job_that_may_yet_take_any_of_its_results_keeps_them_all(state: State) -> None:
    needs = needs_of([a_publishing_job(NEW, state)])

    assert verdict(result_key(ONE, OLD), needs) is None
    assert verdict(result_key(ONE, NEW), needs) is None


@pytest.mark.parametrize("state", list(State))
def test_a_published_result_stays_whatever_became_of_its_job(state: State) -> None:
    assert verdict(result_key(ONE, NEW), needs_of([a_publishing_job(NEW, state)])) is None


@pytest.mark.parametrize("state", list(State))
def test_the_source_of_any_job_stays(state: State) -> None:
    assert verdict(source_key(ONE), needs_of([a_job("one", state=state)])) is None


def test_a_source_and_a_result_without_any_job_are_garbage() -> None:
    needs = needs_of([a_job("one")])

    assert verdict(source_key(OTHER), needs) is Kind.SOURCE
    assert verdict(result_key(OTHER, NEW), needs) is Kind.RESULT


@pytest.mark.parametrize(
    "key",
    [
        "incoming/12-0123456789abcdef",
        f"incoming/{ONE}-0123456789abcdef",
        "outputs/.attempts/12-1-0123456789abcdef-fedcba9876543210.zip",
    ],
)
def test_what_was_uploaded_and_got_no_place_is_temporary_whatever_is_needed(key: str) -> None:
    assert verdict(key, needs_of([a_job("one", state=State.RUNNING)])) is Kind.TEMPORARY


@pytest.mark.parametrize("state", list(State))
def test_error_logs_are_kept_until_their_job_is_completed(state: State) -> None:
    needs = needs_of([a_job("one", state=state)])

    expected = Kind.LOG if state is State.COMPLETED else None
    assert verdict(f"registry/logs/{ONE}/error.json", needs) is expected


def test_a_log_stays_while_a_job_of_another_project_is_not_completed() -> None:
    needs = needs_of([a_job("one", state=State.COMPLETED), a_job("one", state=State.DEAD, project="another")])

    assert verdict(f"registry/logs/{ONE}/error.json", needs) is None


def test_a_log_of_a_document_that_no_job_names_stays() -> None:
    """Its job was forgotten, or is in another queue: nothing says that its errors are over."""
    needs = needs_of([a_job("one", state=State.COMPLETED)])

    assert verdict(f"registry/logs/{OTHER}/error.json", needs) is None


@pytest.mark.parametrize(
    "key",
    [
        f"outputs/{OTHER}.zip",
        f"outputs/ab/{OTHER}.zip",
        f"outputs/ab/{OTHER}-recipe.zip",
        f"outputs/ab/{OTHER}-{NEW}.zip.bak",
        f"sources/{OTHER}",
        f"sources/notes/{OTHER}.pdf",
        f"store/out/{OTHER}.zip",
        f"store/raw/{OTHER}.pdf",
        f"queue/processing/{OTHER}",
        "registry/manifest.json",
        "mine.zip",
    ],
)
def test_what_has_no_name_of_ours_is_never_touched(key: str) -> None:
    assert verdict(key, needs_of([a_job("one")])) is None


@pytest.mark.parametrize("result", [None, "", "no json", "[]", '{"key": 7}', "{}"])
def test_a_job_whose_record_says_nothing_of_a_result_publishes_none(result: str | None) -> None:
    needs = needs_of([a_job("one", state=State.COMPLETED, result=result)])

    assert needs.published == frozenset()
    assert needs.documents == {ONE}
