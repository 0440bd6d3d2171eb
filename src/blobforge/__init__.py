"""BlobForge: libraries of PDFs become Markdown, on a queue that loses nothing."""

from blobforge.version import __version__

__all__ = ["__version__"]
