"""What keeps a worker from claiming: a store that is away, and a full disk under its workspaces."""

from collections.abc import Callable
from datetime import timedelta

from blobforge.ports.runtime import Runtime
from blobforge.worker.disk_space import DiskSpace
from blobforge.worker.documents_at_work import DocumentsAtWork
from blobforge.worker.loop_messages import DiskWait, Message, StoreAnswer
from blobforge.worker.observer import WorkerObserver
from blobforge.worker.store_gate import StoreGate


class ClaimGate:
    """Closed, it costs no job an attempt: nothing is claimed that would only be given back."""

    def __init__(
        self, tell: Callable[[Message], None], watcher: WorkerObserver, *, first: timedelta, runtime: Runtime
    ) -> None:
        """`tell` puts a message into the inbox of the loop; `first` is how long it waits before it looks again."""
        seconds = first.total_seconds()
        self.store = StoreGate(
            lambda problem: tell(StoreAnswer(problem)), watcher.waiting, first_seconds=seconds, runtime=runtime
        )
        self.disk_space = DiskSpace(lambda problem: tell(DiskWait(problem)), first_seconds=seconds, runtime=runtime)
        self.at_work = DocumentsAtWork(self.disk_space, runtime=runtime)

    def places(self, wanted: int) -> int:
        """For how many documents there is room, of so many."""
        return self.at_work.may_be_begun(wanted) if self.store.is_open else 0

    def waits(self) -> list[float]:
        """Seconds until something is to be looked at again."""
        looks = (self.at_work.seconds_to_look(), self.store.seconds_to_ask())
        return [max(seconds, 0.001) for seconds in looks if seconds is not None]
