"""Results on their way into a queue for which publishing is a transition of its own."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from blobforge.domain.job import Job
from blobforge.domain.result_record import result_record


class ResultStaging(Protocol):
    """Gives the archive of a result when its job is completed; until then nobody else sees it."""

    def opened(self, job: Job) -> AbstractContextManager[Path | None]:
        """The archive of a completed job as a local file, which may be changed; None when its result names none.

        It leaves the staging when the block ends without an error. Raises NotFound where the archive is gone.
        """
        ...

    def keep_replaced(self, job: Job, *, published: str | None, by: str | None) -> None:
        """Keeps the published result of one recipe, before that of another one replaces it.

        Raises StoreUnavailable.
        """
        ...


def archive_key(job: Job) -> str | None:
    """The key of the zip, as the job's result names it."""
    return result_record(job).key


class NoStaging:
    """For queues that publish no results."""

    @contextmanager
    def opened(self, job: Job) -> Iterator[Path | None]:  # noqa: ARG002 - fixed by the port
        yield None

    def keep_replaced(self, job: Job, *, published: str | None, by: str | None) -> None:
        """There is nothing to keep."""
