"""Results on their way into a bucket, where publishing one is a move of the queue itself."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job


class Archives(Protocol):
    def opened(self, job: Job) -> AbstractContextManager[Path | None]:
        """The archive of a completed job as a local file, which may be changed; None when its run made none.

        It is let go of when the block ends without an error.
        """
        ...

    def keep_replaced(self, source_hash: SourceHash, *, published: str | None, by: str | None) -> None:
        """Keeps the published result of one recipe before that of another takes its place. Raises StoreUnavailable."""
        ...


class NoArchives:
    """For queues whose jobs leave nothing."""

    @contextmanager
    def opened(self, job: Job) -> Iterator[Path | None]:  # noqa: ARG002 - fixed by the port
        yield None

    def keep_replaced(self, source_hash: SourceHash, *, published: str | None, by: str | None) -> None:
        """There is nothing to keep."""
