"""What the readers of lines ask of the table of biomarkers."""

from collections.abc import Iterable
from typing import Protocol

from blobforge.processors.lab_report.biomarkers.panel_files import Biomarker
from blobforge.processors.lab_report.vocabulary.specimens import Specimen


class Lexicon(Protocol):
    def find(self, name: str, *, unit: str | None, specimen: Specimen | None = None) -> Biomarker | None:
        """The biomarker of a printed name; None where it is unknown or where unit and specimen leave it open."""
        ...

    def names(self) -> Iterable[tuple[str, Biomarker]]:
        """All spellings."""
        ...
