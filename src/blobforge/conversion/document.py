"""A document of one run, and what became of it."""

from dataclasses import dataclass, field
from enum import StrEnum

from blobforge.domain.errors import BlobForgeError
from blobforge.ports.hash_cache import FileStat


class Outcome(StrEnum):
    CONVERTED = "converted"
    CACHED = "cached"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A source and the Markdown file that it becomes."""

    stat: FileStat
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReport:
    """One entry of a run's account. `page_codes` say why pages are missing, `code` why the whole document is."""

    path: str
    outcome: Outcome
    output: str | None = None
    pages: int = 0
    pages_failed: int = 0
    page_codes: tuple[str, ...] = ()
    code: str | None = None
    message: str | None = None


def failed(path: str, error: BlobForgeError) -> DocumentReport:
    return DocumentReport(path=path, outcome=Outcome.FAILED, code=error.code, message=str(error))


@dataclass(slots=True, kw_only=True)
class Account:
    """What a run did, document by document."""

    documents: list[DocumentReport] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    def count(self, outcome: Outcome) -> int:
        return sum(report.outcome is outcome for report in self.documents)

    @property
    def pages(self) -> int:
        return sum(report.pages for report in self.documents)

    @property
    def pages_failed(self) -> int:
        return sum(report.pages_failed for report in self.documents)
