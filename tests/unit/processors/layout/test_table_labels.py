"""The label of a table across the columns is read with it."""

from tests.unit.processors.layout.made import BOLD, column, line

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable
from blobforge.processors.pdf_markdown.layout.order.table_labels import labels_of

TABLE = DetectedTable(Rectangle(50, 105, 500, 200), rows=[], edges=(50.0, 500.0), order=0, lines=[])


def test_a_line_alone_right_above_a_table_is_its_label() -> None:
    label = line("Prices", style=BOLD)

    assert labels_of([TABLE], [label, line("far above", base=60)]) == {id(TABLE): label}


def test_the_last_line_of_a_text_is_no_label() -> None:
    assert labels_of([TABLE], column("a text that", "ends here", base=88)) == {}


def test_lines_of_two_columns_are_no_label() -> None:
    assert labels_of([TABLE], [line("left"), line("right", left=300)]) == {}
