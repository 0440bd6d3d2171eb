"""What the work on a document ran into: engines, OCR, and the child processes that do it."""

from blobforge.domain.errors.root import BlobForgeError


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
