"""Every deliberate error, each with a stable code and whether trying again can help. HTTP statuses and exit codes are
tables at the edges, checked for totality by a test.

    BlobForgeError
    ├── InvalidValue                 a value from outside that makes no sense
    │   ├── InvalidSettings
    │   │   └── StoreMismatch
    │   └── InvalidOptions
    ├── QueueError
    │   ├── NotFound, NotReady, AlreadyExists, ManifestDamaged, PlaceNotUnderstood, PlaceInUse
    │   ├── InvalidMove              the job's state does not allow it
    │   │   └── NotClaimable
    │   ├── LeaseLost
    │   │   └── JobCancelled
    │   └── StoreUnavailable
    │       └── WriteRefused
    ├── SourceError                  the document itself, or the way to it
    │   ├── SourceMissing, SourceUnreadable, SourceForbidden, SourceChanged, SourceDamaged, SourceTooLarge
    │   └── NotAPdf, EmptySource, DamagedSource, EncryptedSource, NoPages, NoText, TooManyPages, TooManyPictures
    ├── ProcessingError              what the work on it ran into
    │   ├── EngineUnavailable, EngineFailed, OcrUnavailable, OcrFailed, NoPageConverted
    │   ├── UnknownProcessor, DocumentCpuLimit
    │   └── ChildError
    │       ├── ChildKilled, ChildExited, ChildTimedOut, ChildStalled
    │       └── MemoryLimit, CpuLimit, OutputLimit, ProcessLimit, ChildMisbehaved, WorkGivenUp
    ├── OutputError                  the place where results go
    │   └── OutputUnwritable, DiskFull, DiskTooSmall, OutputEdited, OutputCollision, ResultDamaged
    └── Interrupted
"""

from typing import ClassVar


class BlobForgeError(Exception):
    """The root: everything that the product raises on purpose."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False


class InvalidValue(BlobForgeError):
    """A value from outside makes no sense."""

    code = "invalid_value"


class InvalidSettings(InvalidValue):
    """A setting is unknown, or its value cannot be used."""

    code = "invalid_settings"


class StoreMismatch(InvalidSettings):
    """The queue and the store do not belong together: one is set to the wrong place, or the store lost what it held."""

    code = "store_mismatch"


class InvalidOptions(InvalidValue):
    """An option of a processor is unknown, or its value cannot be used."""

    code = "invalid_options"


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


class InvalidMove(QueueError):
    """The state of the job does not allow this."""

    code = "invalid_move"


class NotClaimable(InvalidMove):
    """The job is not waiting for a worker."""

    code = "not_claimable"


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


class SourceError(BlobForgeError):
    """Something about the document itself, or the way to it."""

    code = "source_error"


class SourceMissing(SourceError):
    """The document is neither where it was nor in the store."""

    code = "source_missing"
    retryable = True  # an upload may be late, a network disk may be away


class SourceUnreadable(SourceError):
    """The file cannot be read: permissions, a broken link, a failing disk."""

    code = "source_unreadable"


class SourceForbidden(SourceError):
    """The file lies where it must not be read: on another disk, outside its folder, or behind a link."""

    code = "source_forbidden"


class SourceChanged(SourceError):
    """The file was changed after it was hashed; convert or submit it again."""

    code = "source_changed"


class SourceDamaged(SourceError):
    """The stored copy of the document is not what its hash says."""

    code = "source_damaged"


class NotAPdf(SourceError):
    """The file is no PDF, whatever its name says."""

    code = "not_a_pdf"


class EmptySource(SourceError):
    """The file has no bytes."""

    code = "empty_file"


class DamagedSource(SourceError):
    """The PDF cannot be opened, and repairing it did not help."""

    code = "damaged_pdf"


class EncryptedSource(SourceError):
    """The PDF needs a password; give one with --password-file."""

    code = "encrypted_pdf"


class NoPages(SourceError):
    """The PDF has no pages."""

    code = "no_pages"


class NoText(SourceError):
    """No page of the PDF has text, and this processor reads text alone."""

    code = "no_text"


class SourceTooLarge(SourceError):
    """The document is larger than what is allowed."""

    code = "source_too_large"


class TooManyPages(SourceError):
    """The document has more pages than conversion_max_pages."""

    code = "too_many_pages"


class TooManyPictures(SourceError):
    """The document has more pictures than conversion_max_pictures."""

    code = "too_many_pictures"


class ProcessingError(BlobForgeError):
    """The work on the document failed in a way that has no name of its own."""

    code = "processing_error"


class UnknownProcessor(ProcessingError):
    """No processor of that name is installed."""

    code = "unknown_processor"


class EngineUnavailable(ProcessingError):
    """The engine's package or its weights are not installed."""

    code = "engine_unavailable"


class EngineFailed(ProcessingError):
    """The engine failed on this page or document."""

    code = "engine_failed"


class OcrUnavailable(ProcessingError):
    """The page has no text, and tesseract or its language is not installed."""

    code = "ocr_unavailable"


class OcrFailed(ProcessingError):
    """Tesseract failed on this page."""

    code = "ocr_failed"


class NoPageConverted(ProcessingError):
    """Every page failed, and not all for the same reason; the message names them."""

    code = "no_page_converted"


class DocumentCpuLimit(ProcessingError):
    """The document needs more processor time in all than conversion_cpu_seconds."""

    code = "document_cpu_limit"


class ChildError(ProcessingError):
    """The child process that did the work is gone; another try gets a new one."""

    code = "child_error"
    retryable = True


class ChildKilled(ChildError):
    """The child process was ended by a signal, such as a crash in native code."""

    code = "child_killed"


class ChildExited(ChildError):
    """The child process ended by itself."""

    code = "child_exited"


class ChildTimedOut(ChildError):
    """The document took longer than conversion_timeout_seconds."""

    code = "timed_out"
    retryable = False


class ChildStalled(ChildError):
    """There was no progress for stall_seconds."""

    code = "stalled"


class MemoryLimit(ChildError):
    """The document needs more memory than child_memory_mb."""

    code = "memory_limit"


class CpuLimit(ChildError):
    """One step of the document needs more processor time than child_cpu_seconds."""

    code = "cpu_limit"


class OutputLimit(ChildError):
    """What a child wrote grew beyond what is allowed or cannot be counted: a file, its workspace or its messages."""

    code = "output_limit"


class ProcessLimit(ChildError):
    """A child and what it started were more processes than child_processes."""

    code = "process_limit"


class ChildMisbehaved(ChildError):
    """The child process answered what makes no sense."""

    code = "child_misbehaved"


class WorkGivenUp(ChildError):
    """The work was cancelled, released or lost while it ran."""

    code = "given_up"


class OutputError(BlobForgeError):
    """Something about the place where results go."""

    code = "output_error"


class OutputUnwritable(OutputError):
    """The output cannot be written: permissions, or a file where a folder should be."""

    code = "output_unwritable"


class DiskFull(OutputError):
    """No space is left on the disk."""

    code = "disk_full"
    retryable = True


class DiskTooSmall(OutputError):
    """Even empty, the disk of this worker could not hold the document; that of another one may."""

    code = "disk_too_small"
    retryable = True


class OutputEdited(OutputError):
    """The output file was edited, or is somebody else's; --force overwrites it."""

    code = "output_edited"


class OutputCollision(OutputError):
    """Two documents would have the same output file."""

    code = "output_collision"


class ResultDamaged(OutputError):
    """A stored result cannot be read; it is made again."""

    code = "result_damaged"
    retryable = True


class Interrupted(BlobForgeError):
    """Somebody ended the run; the same command goes on."""

    code = "interrupted"
    retryable = True
