"""One report, read: from the words of its pages to the person, the language, the observations and what is left."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blobforge.processors.lab_report import observations, values
from blobforge.processors.lab_report.asides import without_asides
from blobforge.processors.lab_report.dates import date_order
from blobforge.processors.lab_report.documents import Reader
from blobforge.processors.lab_report.found import HEADER, Found
from blobforge.processors.lab_report.language import language_of
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import lines_of
from blobforge.processors.lab_report.people import Person, person_of
from blobforge.processors.lab_report.regions import rows_in_order
from blobforge.processors.lab_report.rows import Row
from blobforge.processors.lab_report.running_text import with_paragraphs
from blobforge.processors.lab_report.words import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    rows: tuple[Found, ...]
    person: Person
    language: str | None
    decimal_mark: values.Mark


def read_report(pages: Mapping[int, Sequence[Word]], reader: Reader, lexicon: Lexicon) -> Report:
    rows = [
        row
        for number, words in sorted(pages.items())
        for row in with_paragraphs(without_asides(rows_in_order(number, words)))
    ]
    text = "\n".join(row.text for row in rows)
    # What the results are is asked later for the language, and the order of dates is asked for the results.
    order = date_order(text, language=language_of([row.text for row in rows]))
    found = observations.read_lines(lines_of(rows, reader), lexicon, order)
    language = language_of(_spoken(rows, found))
    read = frozenset(place for place, each in enumerate(found) if each.readings or each.rule == HEADER)
    person = person_of(rows, language=language, order=date_order(text, language=language), without=read)
    printed = [reading.value for each in found for reading in each.readings]
    printed += [reading.range or "" for each in found for reading in each.readings]
    return Report(
        rows=tuple(found),
        person=person,
        language=language,
        decimal_mark=values.decimal_mark(printed, language=language),
    )


def _spoken(rows: Sequence[Row], found: Sequence[Found]) -> list[str]:
    """Each line once; names of tests count, the units beside them do not."""
    once = Counter(row.text for row in rows)
    read = {each.line.row.text: [reading.name for reading in each.readings] for each in found if each.readings}
    return [part for text in once for part in read.get(text, [text])]
