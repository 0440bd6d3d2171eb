"""A processor of PDFs whose library dies over pages."""

import os
import signal

from blobforge.ports.processor import Plan, Report, Slice, Task
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor


class DeadlyPages(PdfMarkdownProcessor):
    """Reads PDFs; the library that is asked first dies over every second page."""

    def plan(self, task: Task) -> Plan:
        _make_pages_deadly()
        return super().plan(task)

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        _make_pages_deadly()
        super().run(task, plan, part, report)


def _make_pages_deadly() -> None:
    from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
    from blobforge.processors.pdf_markdown.layout.model.content import PageContent

    read = Source.page

    def die(source: Source, number: int) -> PageContent:
        if number % 2 == 0:
            os.kill(os.getpid(), signal.SIGSEGV)
        return read(source, number)

    setattr(Source, "page", die)  # noqa: B010 - a method of another class
