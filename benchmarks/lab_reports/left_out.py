"""Reading a report with a table of biomarkers that has never seen its names.

Every row that has a name or a synonym printed anywhere in the report is taken out of the table. What is then still
read is read by its place and its shape alone, as the names of a laboratory that nobody knew are; codes are no part of
it, since there can be none.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from blobforge.processors.lab_report.biomarkers import BiomarkerTable, folding, table
from blobforge.processors.lab_report.lines.tagger import LineTagger
from blobforge.processors.lab_report.options import LabOptions
from blobforge.processors.lab_report.output.normal_form import normal_form
from blobforge.processors.lab_report.page.rows import rows_of
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.report import read_report

_LONGEST = 8
"""Words of a name."""


def read_unknowing(pages: Mapping[int, Sequence[PositionedWord]]) -> bytes:
    """The normalised result, as JSON."""
    lines = [row.text for number, words in sorted(pages.items()) for row in rows_of(number, words)]
    lexicon = table_without(lines)
    report = read_report(pages, LineTagger(LabOptions().spacy_model, lexicon), lexicon)
    return json.dumps(normal_form(report, lexicon), ensure_ascii=False).encode()


def table_without(lines: Sequence[str]) -> BiomarkerTable:
    printed = {run for line in lines for run in _runs(folding.tokens_of(folding.fold(line)))}
    return BiomarkerTable(
        row
        for row in table().rows()
        if not any(folding.joined(folding.fold(name)) in printed for names in row.names.values() for name in names)
    )


def _runs(tokens: Sequence[str]) -> Iterator[str]:
    """Every run of words, without what stands between them."""
    for start in range(len(tokens)):
        run = ""
        for token in islice(tokens, start, start + _LONGEST):
            run += token
            yield run
