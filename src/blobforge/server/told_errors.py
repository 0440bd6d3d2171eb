"""What a client hears of the server's own troubles: that there is one, and not where its queue and its store are."""

from blobforge.domain.errors import BlobForgeError, DiskFull, InvalidSettings, OutputUnwritable, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wire.queue import Outcome

log = LazyLogger(__name__)

AWAY = "the queue or the store of this server does not answer now: try again in a few seconds"
UNUSABLE = "this server cannot use its queue or its store now; its log says why"
FULL = "no space is left where this server keeps documents and results"


def told(error: BlobForgeError, *, request_id: str | None = None) -> BlobForgeError:
    """The same for clients; the log has the whole of it. Settings and files of the server are no fault of a request."""
    kept: BlobForgeError
    match error:
        case DiskFull():
            kept = DiskFull(FULL)
        case StoreUnavailable():
            kept = StoreUnavailable(AWAY)
        case InvalidSettings() | OutputUnwritable():
            kept = StoreUnavailable(UNUSABLE)
        case _:
            return error
    log.warning("the queue or the store failed a request", error=str(error), code=error.code, request_id=request_id)
    return kept


def outcome_for_clients(outcome: Job | BlobForgeError) -> Outcome:
    return Outcome.of(outcome if isinstance(outcome, Job) else told(outcome))
