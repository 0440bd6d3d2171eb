"""The passes over the lines: each keeps to what it declares, and their order gives each what it takes."""

import re
from itertools import accumulate, chain
from pathlib import Path

import pytest
from tests.unit.processors.lab_report.sheets import moved, tagger, words

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, lines_of
from blobforge.processors.lab_report.page.rows import rows_of
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.passes.line_pass import LinePass, PassContext, Records, undeclared_changes
from blobforge.processors.lab_report.passes.pipeline import PASSES, read_lines

CONTEXT = PassContext(table())
HEAD = "Test                    Result     Units      Range"
NAME_OF_TWO_LINES = (
    (0, HEAD),
    (20, "Sodium                  139        mmol/L     136-145"),
    (42, "White Blood"),
    (54, "Cells                   11.9       10^9/L     4-11"),
    (76, "Chloride                101        mmol/L     98-107"),
)
SHEETS = {
    "line by line": "Glucose    5.1 mmol/L    3.9 - 5.6\nComplete after 30 min",
    "tables on their side": "Test        Sodium    Potassium    Chloride\nResult      139       4.1          101",
    "names of rows": "",
    "cards": "Results\nWBC\nNormal range: 4.0 - 11.0 K/uL\n4.0                 11.0\nValue 11.9     High",
    "names of values": "Haemoglobin\n13.4 g/dL",
    "names of other units": "Glycémie    1,12 g/L       0,70 - 1,10\n   soit     6,22 mmol/L    3,89 - 6,11",
    "adjacent lines": "Qwertin      39\nV.R.: 10 a 50",
    "names of bare lines": "",
    "common marks": "Sodium (C)     139 mmol/L   136 - 145\nPotassium (C)  4.1 mmol/L   3.5 - 5.1",
    "duplicates": f"{HEAD}\nLDL Cholesterol         3.4        mmol/L     < 3.0\n\nLDL Cholesterol < 1.8 mmol/L",
}
NAME_OF_A_BARE_LINE = (
    (0, "Sodium                  139 mmol/L     136-145"),
    (22, "White Blood"),
    (34, "Qwertin                 11.9"),
    (56, "Chloride                101 mmol/L     98-107"),
)


def spaced(*lines: tuple[float, str]) -> list[PositionedWord]:
    return [word for top, text in lines for word in moved(words(text), top)]


def lines_in(name: str) -> list[TaggedLine]:
    closer = {"names of rows": NAME_OF_TWO_LINES, "names of bare lines": NAME_OF_A_BARE_LINE}
    page = spaced(*closer[name]) if name in closer else words(SHEETS[name])
    return lines_of(rows_of(1, page), tagger())


def steps(name: str) -> list[list[LineRecord]]:
    """The records before the first pass and after each."""
    first = [LineRecord(line) for line in lines_in(name)]
    return list(accumulate(PASSES, lambda records, each: each.run(records, CONTEXT), initial=first))


@pytest.mark.parametrize("name", [each.name for each in PASSES])
def test_every_pass_has_a_sheet_that_it_changes(name: str) -> None:
    place = [each.name for each in PASSES].index(name)

    before, after = steps(name)[place : place + 2]

    assert before != after


@pytest.mark.parametrize("name", SHEETS)
def test_a_pass_changes_what_it_declares_and_nothing_else(name: str) -> None:
    records = steps(name)

    changes = chain.from_iterable(map(undeclared_changes, PASSES, records, records[1:]))

    assert list(changes) == []


def test_a_pass_takes_only_what_an_earlier_one_gives() -> None:
    given = {Rule.UNREAD}
    for each in PASSES:
        # What a pass gives it may take again: its steps build on each other.
        assert each.takes <= given | each.gives, each.name
        given |= each.gives


@pytest.mark.parametrize("name", SHEETS)
def test_no_value_is_handed_over_without_a_name(name: str) -> None:
    records = read_lines(lines_in(name), table())

    assert all(observation.name for each in records for observation in each.observations)
    assert Rule.NAMELESS not in {each.rule for each in records}


def test_the_docs_list_the_passes_in_their_order() -> None:
    page = (Path(__file__).parents[4] / "docs" / "lab-reading.md").read_text(encoding="utf-8")

    listed = re.findall(r"^\d+\. (.*)$", page, re.MULTILINE)

    assert len(listed) == len(PASSES)
    assert all(line.startswith(each.name) for line, each in zip(listed, PASSES, strict=True))


def test_a_pass_that_keeps_no_promise_is_found_out() -> None:
    def greedy(records: Records, _context: PassContext) -> list[LineRecord]:
        return [each.read_as(Rule.NOTE) for each in records]

    declared = LinePass(name="greedy", takes=frozenset(), gives=frozenset(), run=greedy)
    before = [LineRecord(line) for line in lines_in("line by line")]

    assert len(list(undeclared_changes(declared, before, declared.run(before, CONTEXT)))) == len(before)
