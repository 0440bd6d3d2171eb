"""BlobForge as a library: documents become Markdown in child processes, without a queue or any configuration."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Unpack

from blobforge.config.machine import usable_cores
from blobforge.library.chunking import Chunk
from blobforge.library.converter import Converter, OnProgressOfMany
from blobforge.library.document import BlockBox, CellSpan, ConvertedDocument, DocumentBlock, DocumentPage
from blobforge.library.many import ConversionResult
from blobforge.library.reading import read_result
from blobforge.library.sources import ConvertOptions, DocumentSource, require_many
from blobforge.ports.processor import Report
from blobforge.worker.limits import ChildLimits

__all__ = [
    "BlockBox",
    "CellSpan",
    "Chunk",
    "ConversionResult",
    "ConvertOptions",
    "ConvertedDocument",
    "Converter",
    "DocumentBlock",
    "DocumentPage",
    "DocumentSource",
    "aconvert",
    "aconvert_many",
    "convert",
    "convert_many",
    "read_result",
]


def convert(
    source: DocumentSource,
    *,
    name: str | None = None,
    jobs: int = 1,
    limits: ChildLimits | None = None,
    on_progress: Report | None = None,
    **options: Unpack[ConvertOptions],
) -> ConvertedDocument:
    """Converts one PDF to Markdown. Raises a BlobForgeError, whose `code` is stable.

    `source` is a path, bytes or a stream of bytes, which `name` names. `jobs` is how many children share a long
    document; `on_progress` is called from another thread. `ConvertOptions` says what else can be asked for: `engine`,
    `pages`, `password`, `ocr`, `ocr_languages`, `read_pictures`.
    """
    with Converter(jobs=jobs, limits=limits) as converter:
        return converter.convert(source, name=name, on_progress=on_progress, **options)


def convert_many(
    sources: Iterable[DocumentSource],
    *,
    jobs: int | None = None,
    limits: ChildLimits | None = None,
    on_progress: OnProgressOfMany | None = None,
    **options: Unpack[ConvertOptions],
) -> Iterator[ConversionResult]:
    """Converts many PDFs and gives each result as soon as it is there; one that failed is a result with its error.

    `jobs` children, as many as there are cores unless you say, are kept for all of them. `sources` is read as work
    goes on. The work ends with the iterator: leave the loop, and what is under way is given up.
    """
    require_many(sources, options)
    return _many(sources, _children(jobs), limits, on_progress, options)


async def aconvert(
    source: DocumentSource,
    *,
    name: str | None = None,
    jobs: int = 1,
    limits: ChildLimits | None = None,
    on_progress: Report | None = None,
    **options: Unpack[ConvertOptions],
) -> ConvertedDocument:
    """`convert` without holding up the event loop; cancelling the task ends the work."""
    converter = Converter(jobs=jobs, limits=limits)
    try:
        return await converter.aconvert(source, name=name, on_progress=on_progress, **options)
    finally:
        await asyncio.to_thread(converter.close)


async def aconvert_many(
    sources: Iterable[DocumentSource],
    *,
    jobs: int | None = None,
    limits: ChildLimits | None = None,
    on_progress: OnProgressOfMany | None = None,
    **options: Unpack[ConvertOptions],
) -> AsyncIterator[ConversionResult]:
    """`convert_many` without holding up the event loop. Whoever leaves the loop early closes it: `aclosing`."""
    converter = Converter(jobs=_children(jobs), limits=limits)
    try:
        async for result in converter.aconvert_many(sources, on_progress=on_progress, **options):
            yield result
    finally:
        await asyncio.to_thread(converter.close)


def _children(jobs: int | None) -> int:
    return usable_cores() if jobs is None else jobs


def _many(
    sources: Iterable[DocumentSource],
    jobs: int,
    limits: ChildLimits | None,
    on_progress: OnProgressOfMany | None,
    options: ConvertOptions,
) -> Iterator[ConversionResult]:
    with Converter(jobs=jobs, limits=limits) as converter:
        yield from converter.convert_many(sources, on_progress=on_progress, **options)
