"""Which result a job has published, or how the job is doing that has none."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple, Protocol

from blobforge.domain.errors import NotFound, NotReady, ResultDamaged
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State, title
from blobforge.ports.blob_store import BlobKey
from blobforge.worker.results import result_of


class Published(NamedTuple):
    """`recipe_id` is empty where the job's record does not tell it."""

    key: BlobKey
    recipe_id: RecipeId
    pages: int


def published_by(job: Job) -> Published | None:
    """A job that runs again keeps its result until the new one is there."""
    said = result_of(job)
    key, recipe_id, pages = said.get("key"), said.get("recipe"), said.get("pages")
    if not isinstance(key, str):
        return None
    return Published(
        BlobKey(key),
        RecipeId(recipe_id if isinstance(recipe_id, str) else ""),
        pages if isinstance(pages, int) else 0,
    )


def require_published(job: Job, *, now: datetime) -> Published:
    """Raises NotReady, or NotFound for a completed job whose record names no result."""
    published = published_by(job)
    if published is not None:
        return published
    if job.state is State.COMPLETED:
        raise NotFound(f"{title(job)} is completed, and its record names no result; run it again to get one")
    raise NotReady(f"{title(job)} has no result: {state_in_words(job, now=now)}")


class Addresses(Protocol):
    def address(self, key: BlobKey) -> str: ...


@contextmanager
def with_advice(job: Job, key: BlobKey, store: Addresses) -> Iterator[None]:
    """Errors of a result that is gone or damaged name its document, and what makes it again: the next run of its job.

    Raises NotFound, ResultDamaged.
    """
    try:
        yield
    except NotFound as error:
        raise NotFound(
            f"{title(job)}: its result {store.address(key)} is not in the store any more; {_run_again(job)}"
        ) from error
    except ResultDamaged as error:
        said = str(error).removesuffix("; run its job again").removesuffix("; convert it again")
        # What is whole, and only not as expected, has its own advice: another run would make the same.
        advice = "" if "'blobforge " in said else f"; {_run_again(job)}"
        raise ResultDamaged(f"{title(job)}: {said}{advice}") from error


def _run_again(job: Job) -> str:
    return f"run it again: blobforge retry {job.source_hash[:12]}"


def state_in_words(job: Job, *, now: datetime) -> str:
    """How it is doing, as a person would say it."""
    error = f"{job.last_error} [{job.error_code}]" if job.error_code else "no reason was recorded"
    match job.state:
        case State.PENDING:
            return f"it waits for a worker, for {_span(job.updated_at, now)}"
        case State.RUNNING:
            since = job.started_at or job.updated_at
            return f"{job.worker_id} is at work on it, for {_span(since, now)}"
        case State.FAILED:
            again = _span(now, job.available_at) if job.available_at is not None else "a while"
            return f"try {job.attempts} of {job.max_attempts} failed, the next is in {again}: {error}"
        case State.DEAD:
            return f"it is dead after {job.attempts} of {job.max_attempts} tries: {error}"
        case State.CANCELLED:
            return "it was cancelled"
        case State.COMPLETED:
            return "it is completed"


def _span(since: datetime, until: datetime) -> str:
    seconds = max(int((until - since).total_seconds()), 0)
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
