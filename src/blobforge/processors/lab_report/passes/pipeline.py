"""From the lines of a document to its results: the passes, in their order.

The order matters where a pass takes what another one gives: values are named before lines are read by the results
beside them, and what is told twice is known only when all is read.
"""

from collections.abc import Sequence

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.notation.dates import DAY_FIRST, DateOrder
from blobforge.processors.lab_report.passes.adjacent_lines import read_adjacent_lines
from blobforge.processors.lab_report.passes.cards import read_cards
from blobforge.processors.lab_report.passes.duplicates import set_duplicates_aside
from blobforge.processors.lab_report.passes.line_pass import LinePass, PassContext
from blobforge.processors.lab_report.passes.name_lines import complete_names_of_bare_lines, complete_names_of_rows
from blobforge.processors.lab_report.passes.naming import drop_common_marks, name_other_units, name_the_nameless
from blobforge.processors.lab_report.passes.reading_order import read_in_order
from blobforge.processors.lab_report.passes.transposed import read_transposed

_ROWS = frozenset((Rule.TABLE_ROW, Rule.FREE_ROW))
_BARE = frozenset((Rule.BARE_ROW,))
_MORE = frozenset((Rule.CONTINUATION,))
_FREE = frozenset((Rule.UNREAD,))
_NAMELESS = frozenset((Rule.NAMELESS,))
_NAMED = frozenset((Rule.TWO_LINES,))
_OTHERS = frozenset((Rule.OTHER_UNIT, Rule.WORDS, Rule.RUNNING_TEXT))
_RESULTS = _ROWS | _BARE | _NAMED | _OTHERS

PASSES = (
    LinePass(
        name="line by line",
        takes=_FREE,
        gives=frozenset(Rule) - {Rule.BARE_ROW, Rule.TWO_LINES, Rule.REPEAT},
        run=read_in_order,
    ),
    LinePass(
        name="tables on their side",
        takes=_FREE | _NAMELESS | {Rule.WORDS},
        gives=_MORE | {Rule.TABLE_ROW, Rule.EARLIER},
        run=read_transposed,
    ),
    LinePass(name="names of rows", takes=_ROWS | _FREE, gives=_ROWS | _MORE, run=complete_names_of_rows),
    LinePass(name="cards", takes=_NAMELESS | _FREE, gives=_NAMED | _MORE, run=read_cards),
    LinePass(name="names of values", takes=_NAMELESS | _FREE, gives=_NAMED | _MORE | _FREE, run=name_the_nameless),
    LinePass(name="names of other units", takes=_RESULTS - _BARE, gives=_RESULTS - _BARE, run=name_other_units),
    LinePass(name="adjacent lines", takes=_FREE | _BARE, gives=_BARE | _MORE, run=read_adjacent_lines),
    LinePass(name="names of bare lines", takes=_BARE | _FREE, gives=_BARE | _MORE, run=complete_names_of_bare_lines),
    LinePass(name="common marks", takes=_RESULTS, gives=_RESULTS, run=drop_common_marks),
    LinePass(name="duplicates", takes=_RESULTS, gives=frozenset((Rule.REPEAT,)), run=set_duplicates_aside),
)


def read_lines(lines: Sequence[TaggedLine], lexicon: Lexicon, order: DateOrder = DAY_FIRST) -> list[LineRecord]:
    """A record for each line, in order."""
    context = PassContext(lexicon, order)
    records = [LineRecord(line) for line in lines]
    for each in PASSES:
        records = each.run(records, context)
    return records
