"""The border to foreign code: whatever an engine raises becomes one of our errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from blobforge.domain.errors import BlobForgeError, EngineFailed, MemoryLimit


@contextmanager
def foreign_errors(engine: str) -> Iterator[None]:
    """Raises EngineFailed or MemoryLimit."""
    try:
        yield
    except (BlobForgeError, GeneratorExit):
        raise
    except MemoryError as error:
        raise MemoryLimit(
            f"{engine} ran out of the memory that child_memory_mb (BLOBFORGE_CHILD_MEMORY_MB) allows"
        ) from error
    except BaseException as error:
        if not _is_a_fault(error):
            raise
        raise EngineFailed(f"{engine}: {str(error) or type(error).__name__}") from error


def _is_a_fault(error: BaseException) -> bool:
    """A panic in Rust is no Exception in Python, yet a fault like any other."""
    return isinstance(error, Exception) or is_panic(error)


def is_panic(error: BaseException) -> bool:
    """Of Rust, whose libraries do not reckon with being asked again after it."""
    return type(error).__name__ == "PanicException"
