"""A document of one run, and what became of it."""

from dataclasses import dataclass, field
from enum import StrEnum

from blobforge.domain.errors import BlobForgeError
from blobforge.domain.result_record import ResultRecord
from blobforge.ports.hash_cache import FileStat


class ConversionOutcome(StrEnum):
    CONVERTED = "converted"
    CACHED = "cached"
    FAILED = "failed"
    TO_CONVERT = "to_convert"
    """In a dry run: it would be converted, or taken from an existing result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputDocument:
    """A source and the Markdown file that it becomes."""

    stat: FileStat
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReport:
    """One entry of a run's account. `page_codes` say why pages are missing, `code` why the whole document is."""

    path: str
    outcome: ConversionOutcome
    output: str | None = None
    pages: int = 0
    pages_failed: int = 0
    page_codes: tuple[str, ...] = ()
    code: str | None = None
    message: str | None = None
    doubts: str = ""
    """How far its result can be trusted, in words; empty where there is nothing to say."""

    @property
    def gaps(self) -> str:
        """What is missing in it, in words."""
        codes = dict.fromkeys(self.page_codes, 0)
        return ResultRecord(pages=self.pages, pages_failed=self.pages_failed, codes=codes).gaps


def failed(path: str, error: BlobForgeError) -> DocumentReport:
    return DocumentReport(path=path, outcome=ConversionOutcome.FAILED, code=error.code, message=str(error))


@dataclass(slots=True, kw_only=True)
class ConversionAccount:
    """What a run did, document by document."""

    documents: list[DocumentReport] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    """Documents that were found and not wanted."""
    links_not_followed: list[str] = field(default_factory=list)
    """They lead out of what was named."""
    left_behind: list[str] = field(default_factory=list)
    """Markdown files in the output folder whose documents were moved or deleted."""
    emptied: list[str] = field(default_factory=list)
    """Folders without any document, from which some of these come."""
    left: int = 0
    """Documents that were found, but not processed before the run was interrupted."""
    seconds: float = 0.0
    interrupted: bool = False

    def count(self, outcome: ConversionOutcome) -> int:
        return sum(report.outcome is outcome for report in self.documents)

    @property
    def pages(self) -> int:
        return sum(report.pages for report in self.documents)

    @property
    def pages_failed(self) -> int:
        return sum(report.pages_failed for report in self.documents)
