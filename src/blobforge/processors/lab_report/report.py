"""One report, read: from the words of its pages to the person, the language, the observations and what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, joined, lines_of
from blobforge.processors.lab_report.lines.tagger import LineTagger
from blobforge.processors.lab_report.notation import numbers
from blobforge.processors.lab_report.notation.dates import date_order
from blobforge.processors.lab_report.page.margin_notes import without_margin_notes
from blobforge.processors.lab_report.page.paragraphs import with_paragraphs
from blobforge.processors.lab_report.page.regions import rows_in_order
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.passes import pipeline
from blobforge.processors.lab_report.person.person import Person, person_of
from blobforge.processors.lab_report.vocabulary.detection import language_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LabReport:
    rows: tuple[LineRecord, ...]
    person: Person
    language: str | None
    decimal_mark: numbers.DecimalMark


def read_report(pages: Mapping[int, Sequence[PositionedWord]], tagger: LineTagger, lexicon: Lexicon) -> LabReport:
    rows = [
        row
        for number, words in sorted(pages.items())
        for row in with_paragraphs(without_margin_notes(rows_in_order(number, words)))
    ]
    lines = lines_of(rows, tagger)
    language = language_of(_spoken(lines))
    order = date_order("\n".join(row.text for row in rows), language=language)
    records = pipeline.read_lines(lines, lexicon, order)
    read = frozenset(place for place, each in enumerate(records) if each.observations or each.rule == Rule.HEADER)
    printed = [observation.value for each in records for observation in each.observations]
    printed += [observation.range or "" for each in records for observation in each.observations]
    return LabReport(
        rows=tuple(records),
        person=person_of(rows, language=language, order=order, without=read),
        language=language,
        decimal_mark=numbers.decimal_mark(printed, language=language),
    )


def _spoken(lines: Sequence[TaggedLine]) -> list[str]:
    """Each line once, without its units: they are alike in all languages."""
    return [_words(line) for line in {line.row.text: line for line in lines}.values()]


def _words(line: TaggedLine) -> str:
    units = {place for span in line.spans if span.label == "UNIT" for place in range(span.first, span.last + 1)}
    return joined(token for place, token in enumerate(line.tokens) if place not in units)
