"""Turns the exit of a child process (signal, exit code, end of standard error) into one of our errors."""

import signal

from blobforge.domain.errors import ChildError, ChildExited, ChildKilled, CpuLimit, MemoryLimit, OutputLimit

EXIT_OUT_OF_MEMORY = 77
"""The child's own memory watch ended it."""
MEMORY_SETTING = "child_memory_mb (BLOBFORGE_CHILD_MEMORY_MB)"
_EXIT_OF_LOADER = 127
"""The loader of the C library could not go on: with a thread's own data, or with a library."""

# In small letters. Of the C library and its loader, of C++, Rust and Python, of image and OCR libraries: that there is
# no more memory is met anywhere, also where a thread is made or a library is loaded.
_OUT_OF_MEMORY_WORDS = (
    *(b"cannot allocate", b"can't allocate", b"could not allocate", b"couldn't allocate", b"unable to allocate"),
    *(b"failed to allocate", b"memory allocation of", b"memory allocation failed", b"bad_alloc", b"memoryerror"),
    *(
        b"out of memory",
        b"insufficient memory",
        b"not enough memory",
        b"no more memory",
        b"memory exhausted",
        b"enomem",
        b"failed to map segment",
    ),
)
_FORBIDDEN_WORDS = (b"operation not permitted", b"permission denied")
"""A library on a disk from which nothing may be run cannot be mapped either."""
# Who holds a buffer and is refused one of twice the size has used a third of the limit, and a little less if the limit
# counts more than what is held.
_LARGE_SHARE = 0.25


def diagnose_exit(code: int, last_words: bytes, *, memory_share: float = 0.0) -> ChildError:
    """`code` is negative for a signal; `last_words` is the end of what the child printed during its last request, and
    `memory_share` the share of its memory limit that this request made it use."""
    words = _quoted(last_words)
    if code == EXIT_OUT_OF_MEMORY or speaks_of_memory(last_words):
        return MemoryLimit(f"the child needed more memory than {MEMORY_SETTING} allows{words}")
    if code in (-signal.SIGABRT, _EXIT_OF_LOADER) and not words and memory_share >= _LARGE_SHARE:
        # PDFium aborts without a word when it is refused memory, and nobody hears the loader of a discreet child;
        # others say what they give up for.
        return MemoryLimit(
            f"the child gave up when it held much memory: it seems to need more than {MEMORY_SETTING} allows"
        )
    if code == -signal.SIGXCPU:
        return CpuLimit("the child used more processor time than it may")
    if code == -signal.SIGXFSZ:
        return OutputLimit("a file grew beyond the size that a child may write")
    if code < 0:
        hint = "; the system may have run out of memory" if code == -signal.SIGKILL else ""
        return ChildKilled(f"the child was ended by {_signal_name(-code)}{hint}{words}")
    return ChildExited(f"the child ended by itself with exit code {code}{words}")


def speaks_of_memory(last_words: bytes) -> bool:
    said = last_words.lower()
    return any(word in said for word in _OUT_OF_MEMORY_WORDS)


def is_import_without_memory(error: BaseException) -> bool:
    """Whether a library that is there could not be loaded within the limit of memory."""
    cause: BaseException | None = error
    while cause is not None:
        said = str(cause).lower().encode("utf-8", "replace")
        if isinstance(cause, MemoryError):
            return True
        if isinstance(cause, ImportError) and speaks_of_memory(said):
            return not any(word in said for word in _FORBIDDEN_WORDS)
        cause = cause.__cause__ or cause.__context__
    return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _quoted(last_words: bytes) -> str:
    lines = last_words.decode("utf-8", "replace").strip().splitlines()
    return f" (its last words: {lines[-1][:200]})" if lines else ""
