"""BlobForge: libraries of PDFs become Markdown, on a queue that loses nothing."""

from typing import TYPE_CHECKING

from blobforge.version import __version__

if TYPE_CHECKING:
    from blobforge.library import ConvertedDocument, convert

__all__ = ["ConvertedDocument", "__version__", "convert"]

_FROM_LIBRARY = frozenset({"ConvertedDocument", "convert"})


def __getattr__(name: str) -> object:
    # Loaded when asked for, so that `import blobforge` and the command line stay quick.
    if name in _FROM_LIBRARY:
        from blobforge import library

        return getattr(library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
