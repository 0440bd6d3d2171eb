"""Which result a job has published, and how one is doing that has none."""

from datetime import timedelta

import pytest

from blobforge.domain.errors import NotFound, NotReady
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import State, title
from blobforge.ports.blob_store import BlobKey
from blobforge.results.published_by_job import Published, published_by, require_published, state_in_words
from blobforge.testing.builders import a_job, job_in
from blobforge.testing.clock import START

RESULT = '{"key": "outputs/a.zip", "recipe": "0123", "pages": 3}'
LATER = START + timedelta(minutes=5)


def test_a_completed_job_publishes_what_its_record_names() -> None:
    assert published_by(a_job(state=State.COMPLETED, result=RESULT)) == Published(
        BlobKey("outputs/a.zip"), RecipeId("0123"), 3
    )


@pytest.mark.parametrize("state", list(State))
def test_a_job_that_runs_again_still_publishes_what_it_did(state: State) -> None:
    """R2-24."""
    assert require_published(a_job(state=state, result=RESULT), now=START).key == "outputs/a.zip"


SAID = {
    State.PENDING: "it waits for a worker, for 5 min",
    State.RUNNING: "alice is at work on it, for 5 min",
    State.DEAD: "it is dead after 1 of 3 tries: it took too long [timed_out]",
    State.CANCELLED: "it was cancelled",
}


@pytest.mark.parametrize(("state", "said"), SAID.items())
def test_a_job_without_a_result_says_how_it_is_doing(state: State, said: str) -> None:
    """R2-24."""
    with pytest.raises(NotReady) as refused:
        require_published(job_in(state), now=LATER)

    assert str(refused.value).endswith(f"has no result: {said}")


def test_a_job_that_will_be_tried_again_says_when() -> None:
    job = job_in(State.FAILED)._replace(available_at=START + timedelta(seconds=90))

    assert state_in_words(job, now=START) == "try 1 of 3 failed, the next is in 1 min: it took too long [timed_out]"


def test_a_completed_job_whose_record_names_no_result_is_told_as_that() -> None:
    with pytest.raises(NotFound, match="names no result"):
        require_published(job_in(State.COMPLETED), now=START)


@pytest.mark.parametrize(("path", "name"), [("/a/b/report.pdf", "report.pdf"), (None, "a83f")])
def test_a_job_is_called_by_its_document(path: str | None, name: str) -> None:
    job = a_job(job_id=7, source_path=path, source_hash="a83f")

    assert title(job) == f"job #7 ({name})"
