"""Every deliberate error, each with a stable code and whether trying again can help.

    BlobForgeError
    ├── InvalidValue                 a value from outside that makes no sense
    │   ├── InvalidSettings
    │   └── InvalidOptions
    ├── QueueError
    │   ├── NotFound
    │   ├── AlreadyExists
    │   ├── InvalidMove              the job's state does not allow it
    │   │   └── NotClaimable
    │   ├── LeaseLost
    │   └── StoreUnavailable
    ├── SourceError                  the document itself, or the way to it
    │   ├── SourceMissing, SourceUnreadable, SourceChanged
    │   └── NotAPdf, EmptySource, DamagedSource, EncryptedSource, NoPages, SourceTooLarge
    ├── ProcessingError              what the work on it ran into
    │   ├── EngineUnavailable, EngineFailed, OcrUnavailable, OcrFailed
    │   ├── UnknownProcessor
    │   └── ChildError
    │       ├── ChildKilled, ChildExited, ChildTimedOut, ChildStalled
    │       ├── MemoryLimit, CpuLimit, OutputLimit, ChildMisbehaved
    │       └── WorkGivenUp          cancelled, released or lost while it ran
    ├── OutputError                  the place where results go
    │   ├── OutputUnwritable, DiskFull, OutputEdited, OutputCollision
    │   └── ResultDamaged
    └── Interrupted

HTTP statuses and exit codes are tables at the edges, checked for totality by a test.
"""

from typing import ClassVar


class BlobForgeError(Exception):
    """The root: everything that the product raises on purpose."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False


class InvalidValue(BlobForgeError):
    code = "invalid_value"


class InvalidSettings(InvalidValue):
    code = "invalid_settings"


class InvalidOptions(InvalidValue):
    code = "invalid_options"


class QueueError(BlobForgeError):
    code = "queue_error"


class NotFound(QueueError):
    code = "not_found"


class AlreadyExists(QueueError):
    code = "already_exists"


class InvalidMove(QueueError):
    code = "invalid_move"


class NotClaimable(InvalidMove):
    code = "not_claimable"


class LeaseLost(QueueError):
    code = "lease_lost"


class StoreUnavailable(QueueError):
    code = "store_unavailable"
    retryable = True


class SourceError(BlobForgeError):
    code = "source_error"


class SourceMissing(SourceError):
    """Retryable: an upload may be late, a network disk may be away."""

    code = "source_missing"
    retryable = True


class SourceUnreadable(SourceError):
    code = "source_unreadable"


class SourceChanged(SourceError):
    code = "source_changed"


class NotAPdf(SourceError):
    code = "not_a_pdf"


class EmptySource(SourceError):
    code = "empty_file"


class DamagedSource(SourceError):
    code = "damaged_pdf"


class EncryptedSource(SourceError):
    code = "encrypted_pdf"


class NoPages(SourceError):
    code = "no_pages"


class SourceTooLarge(SourceError):
    code = "source_too_large"


class ProcessingError(BlobForgeError):
    code = "processing_error"


class UnknownProcessor(ProcessingError):
    code = "unknown_processor"


class EngineUnavailable(ProcessingError):
    code = "engine_unavailable"


class EngineFailed(ProcessingError):
    code = "engine_failed"


class OcrUnavailable(ProcessingError):
    code = "ocr_unavailable"


class OcrFailed(ProcessingError):
    code = "ocr_failed"


class ChildError(ProcessingError):
    """The child process that did the work is gone; another try gets a new one."""

    code = "child_error"
    retryable = True


class ChildKilled(ChildError):
    code = "child_killed"


class ChildExited(ChildError):
    code = "child_exited"


class ChildTimedOut(ChildError):
    code = "timed_out"


class ChildStalled(ChildError):
    code = "stalled"


class MemoryLimit(ChildError):
    code = "memory_limit"


class CpuLimit(ChildError):
    code = "cpu_limit"


class OutputLimit(ChildError):
    code = "output_limit"


class ChildMisbehaved(ChildError):
    code = "child_misbehaved"


class WorkGivenUp(ChildError):
    code = "given_up"


class OutputError(BlobForgeError):
    code = "output_error"


class OutputUnwritable(OutputError):
    code = "output_unwritable"


class DiskFull(OutputError):
    code = "disk_full"
    retryable = True


class OutputEdited(OutputError):
    code = "output_edited"


class OutputCollision(OutputError):
    code = "output_collision"


class ResultDamaged(OutputError):
    code = "result_damaged"
    retryable = True


class Interrupted(BlobForgeError):
    code = "interrupted"
    retryable = True


def all_errors() -> dict[str, type[BlobForgeError]]:
    """Every error class by its code, the root included."""
    found: dict[str, type[BlobForgeError]] = {}
    pending: list[type[BlobForgeError]] = [BlobForgeError]
    while pending:
        error = pending.pop()
        found[error.code] = error
        pending.extend(error.__subclasses__())
    return found
