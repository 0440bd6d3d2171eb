"""A display for tests of conversions."""

from collections.abc import Sequence

from blobforge.conversion.document import DocumentReport
from blobforge.conversion.run import InWork


class Notes:
    """A display that writes down what it is shown."""

    def __init__(self) -> None:
        self.progressed: list[tuple[int, int]] = []
        self.in_work: list[list[InWork]] = []
        self.reports: list[DocumentReport] = []
        self.troubles: list[str] = []

    def begin(self, *, documents: int, size: int) -> None:
        """Told by the conversion, and not by its run."""

    def progress(self, *, pages: int, size: int, in_work: Sequence[InWork] = ()) -> None:
        self.progressed.append((pages, size))
        self.in_work.append(list(in_work))

    def document(self, report: DocumentReport) -> None:
        self.reports.append(report)

    def trouble(self, message: str) -> None:
        self.troubles.append(message)
