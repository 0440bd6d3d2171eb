"""The queue and the store: what is not there, what a state does not allow, what does not answer."""

from blobforge.domain.errors.root import BlobForgeError


class QueueError(BlobForgeError):
    """Something about the queue."""

    code = "queue_error"


class NotFound(QueueError):
    """There is no such job or blob."""

    code = "not_found"


class NotReady(QueueError):
    """The job has no result, because it is not completed; the message says how it is doing."""

    code = "not_ready"


class AlreadyExists(QueueError):
    """Something of that name is there already."""

    code = "already_exists"


class RequestUnderWay(QueueError):
    """The same request came before and is not answered yet; asking again soon helps."""

    code = "request_under_way"
    retryable = True


class InvalidMove(QueueError):
    """The state of the job does not allow this."""

    code = "invalid_move"


class NotClaimable(InvalidMove):
    """The job is not waiting for a worker."""

    code = "not_claimable"


class ChangedMeanwhile(InvalidMove):
    """The job is not as it was seen any more; look at it again, and decide anew."""

    code = "changed_meanwhile"


class LeaseLost(QueueError):
    """Another worker has the job now, or it was cancelled; what this one did does not count."""

    code = "lease_lost"


class JobCancelled(LeaseLost):
    """Somebody cancelled the job while it ran: nobody has it, and nothing went wrong."""

    code = "job_cancelled"


class ManifestDamaged(QueueError):
    """The manifest of the library cannot be understood; it is left as it is until someone rebuilds it."""

    code = "manifest_damaged"


class PlaceNotUnderstood(QueueError):
    """Something among the objects of the queue is not BlobForge's; nothing is deleted, as what it needs is unknown."""

    code = "place_not_understood"


class PlaceInUse(QueueError):
    """A worker of another program is at work in the bucket; a queue is taken over when that one was stopped."""

    code = "place_in_use"


class StoreUnavailable(QueueError):
    """The queue or the store does not answer; trying again later helps."""

    code = "store_unavailable"
    retryable = True


class WriteRefused(StoreUnavailable):
    """A foreign database answers, and does not take what is written: its owner has another form or rule for it."""

    code = "write_refused"
