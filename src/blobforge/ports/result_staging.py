"""Results on their way into a queue for which publishing one is a move of its own."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from blobforge.domain.job import Job
from blobforge.domain.result_record import result_record


class ResultStaging(Protocol):
    def opened(self, job: Job) -> AbstractContextManager[Path | None]:
        """The archive of a completed job as a local file, which may be changed; None when its run made none.

        It is let go of when the block ends without an error.
        """
        ...

    def keep_replaced(self, job: Job, *, published: str | None, by: str | None) -> None:
        """Keeps the result of one recipe that is published for this job, before that of another takes its place.

        Raises StoreUnavailable.
        """
        ...


def archive_key(job: Job) -> str | None:
    """Under which the archive was given away, as the job's result names it."""
    return result_record(job).key


class NoStaging:
    """For queues whose jobs leave nothing."""

    @contextmanager
    def opened(self, job: Job) -> Iterator[Path | None]:  # noqa: ARG002 - fixed by the port
        yield None

    def keep_replaced(self, job: Job, *, published: str | None, by: str | None) -> None:
        """There is nothing to keep."""
