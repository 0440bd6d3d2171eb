"""The place where results go, and results that are there."""

from blobforge.domain.errors.root import BlobForgeError


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
    """Two documents would have the same output file, in one run or over two."""

    code = "output_collision"


class ResultDamaged(OutputError):
    """A stored result cannot be read; it is made again."""

    code = "result_damaged"
    retryable = True
