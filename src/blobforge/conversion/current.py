"""Which documents of a run are current: answered from the catalogue, without opening the queue."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from blobforge.conversion.document import ConversionOutcome, DocumentReport, InputDocument
from blobforge.conversion.writing import is_present
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.ports.hash_cache import HashCache
from blobforge.ports.output_ledger import Output, OutputLedger


class ToDo(NamedTuple):
    """A document that needs work, with the hash of its content where that is known."""

    document: InputDocument
    source_hash: SourceHash | None


class Sorted(NamedTuple):
    current: list[DocumentReport]
    to_do: list[ToDo]


def sort_out(
    documents: Iterable[InputDocument],
    *,
    hashes: HashCache,
    ledger: OutputLedger,
    recipe_id: RecipeId,
    mended: Callable[[], frozenset[str]],
    force: bool,
) -> Sorted:
    """A document is current when its content, its recipe and its output files are what they were.

    A file that a person has edited since counts as current, since it would not be overwritten, unless `force` asks for
    our version back.
    """
    documents = list(documents)
    known = hashes.known([document.stat for document in documents])
    written = ledger.written([document.output for document in documents])
    result = Sorted([], [])
    for document in documents:
        source_hash, output = known.get(document.stat.path), written.get(document.output)
        if not force and output is not None and _is_current(output, source_hash, recipe_id, mended):
            result.current.append(report_of(document, output, ConversionOutcome.CACHED))
        else:
            result.to_do.append(ToDo(document, source_hash))
    return result


def report_of(document: InputDocument, output: Output, outcome: ConversionOutcome) -> DocumentReport:
    return DocumentReport(
        path=document.stat.path,
        outcome=outcome,
        output=output.path,
        pages=output.pages,
        pages_failed=output.pages_failed,
        page_codes=output.codes,
        doubts=output.doubts,
    )


def _is_current(
    output: Output, source_hash: SourceHash | None, recipe_id: RecipeId, mended: Callable[[], frozenset[str]]
) -> bool:
    flaws = (*output.codes, *output.warnings)
    return (
        output.source_hash == source_hash
        and output.recipe_id == recipe_id
        and not (flaws and mended().intersection(flaws))
        and is_present(output)
    )
