"""From errors to exit codes."""

from collections.abc import Mapping

from blobforge.domain import errors
from blobforge.domain.access_errors import AccessError

OK = 0
ERROR = 1
USAGE = 2
PARTIAL = 3
"""Some documents were done and some were not."""
REFUSED = 4
"""A server does not know who we are, or does not let us: nothing gets better by itself."""

# What a shell reports for a program that a signal ended: 128 + SIGINT, 128 + SIGPIPE.
INTERRUPTED = 130
BROKEN_PIPE = 141

TABLE: Mapping[type[errors.BlobForgeError], int] = {
    errors.BlobForgeError: ERROR,
    errors.InvalidValue: USAGE,
    errors.QueueError: ERROR,
    AccessError: REFUSED,
    errors.SourceError: ERROR,
    errors.ProcessingError: ERROR,
    # Whoever asked for it is told what to install, as of a backend that is not there.
    errors.EngineUnavailable: USAGE,
    errors.OutputError: ERROR,
    errors.Interrupted: INTERRUPTED,
}


def exit_code(error: errors.BlobForgeError) -> int:
    """The entry of the error's class, or of the nearest class above it."""
    return next(TABLE[kind] for kind in type(error).__mro__ if kind in TABLE)
