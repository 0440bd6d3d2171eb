"""Tables of a whole page, before its columns are known."""

from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, TITLE, column, line, page

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, Style, TextLine
from blobforge.processors.pdf_markdown.layout.tables.search import TableSearch, without_tables

LONG = "a line that is as long as the column"


def row(*texts: str, base: float, left: float = 50.0, style: Style = BODY) -> list[TextLine]:
    return [line(text, left=left + 70 * place, base=base, style=style) for place, text in enumerate(texts)]


def spells(*, left: float, base: float = 100.0) -> list[TextLine]:
    lines = row("Spell", "School", "Notes", base=base, left=left, style=BOLD)
    for place, name in enumerate(("Aid", "Bane", "Wake", "Light"), start=1):
        lines += row(name, "Abjuration", "C", base=base + 4 + 14 * place, left=left)
    return lines


def heads(lines: list[TextLine], rules: list[Rectangle] | None = None) -> list[str]:
    search = TableSearch(page(lines)._replace(horizontals=rules or []), SURVEY)
    return [table.rows[0][0][0].text for table in search.across(lines)]


def test_tables_side_by_side_are_told_apart_by_their_rules() -> None:
    lines = [*spells(left=50), *spells(left=330, base=107)]

    assert heads(lines, [Rectangle(48, 104, 260, 104), Rectangle(328, 111, 540, 111)]) == ["Spell", "Spell"]


def test_a_bold_header_finds_its_table_beside_running_text() -> None:
    lines = [*spells(left=50), *column(*[LONG] * 8, left=330)]

    assert heads(lines) == ["Spell"]


def test_a_header_that_begins_again_is_that_of_another_table() -> None:
    assert heads([*spells(left=50), *spells(left=330)]) == ["Spell", "Spell"]


def test_headings_side_by_side_are_no_header() -> None:
    lines = [line(text, left=left, style=TITLE) for text, left in (("Why", 50), ("Who", 250), ("When", 450))]
    lines += [found for left in (50, 250, 450) for found in column(*[LONG] * 5, left=left, base=120)]

    assert heads(lines) == []


def test_a_rule_under_some_cells_belongs_to_the_whole_table() -> None:
    lines = [*row("Boats", "Crew", base=100, left=120, style=BOLD), *row("Night", "Old", "New", base=114, style=BOLD)]
    lines += [found for place in range(4) for found in row("Monday", "12", "14", base=130 + 12 * place)]
    rules = [Rectangle(48, y, 260, y) for y in (90, 118, 172)] + [Rectangle(118, 104, 260, 104)]

    search = TableSearch(page(lines)._replace(horizontals=rules), SURVEY)

    assert [len(table.rows[-1]) for table in search.across(lines)] == [3]


def test_the_lines_of_tables_are_taken_out_whole() -> None:
    lines = [*spells(left=50), line("Other", base=300)]
    search = TableSearch(page(lines), SURVEY)

    assert [other.text for other in without_tables(lines, search.within(lines))] == ["Other"]


def test_rules_of_many_lengths_are_a_drawing() -> None:
    rules = [Rectangle(48, 100 + place, 260 + 5 * place, 100 + place) for place in range(70)]

    assert heads(column(*[LONG] * 8), rules) == []


def test_the_labels_of_a_chart_are_no_table() -> None:
    labels = [line(str(place), left=left, base=105 + 20 * place) for place in range(4) for left in (40, 305)]
    bars = [Rectangle(x, 100, x, 180) for x in range(50, 301, 25)]
    lines_across = [Rectangle(50, y, 300, y) for y in range(100, 181, 20)]
    drawn = page(labels)._replace(horizontals=lines_across, verticals=bars)

    assert TableSearch(drawn, SURVEY).within(labels) == []


def test_rules_over_the_figures_only_leave_the_first_column_in_the_table() -> None:
    lines = row("Gear", "Spring", "Autumn", base=100, style=BOLD)
    for place, name in enumerate(("Nets", "Lines", "Total", "Oil", "Coal", "Fuel")):
        lines += row(name, "12", "14", base=114 + 12 * place)
    rules = [Rectangle(48, y, 260, y) for y in (90, 104, 178)] + [Rectangle(110, y, 260, y) for y in (129, 165)]

    assert heads(lines, rules) == ["Gear"]


def test_words_left_of_each_row_are_its_first_column_though_they_have_no_head() -> None:
    lines = row("Boats", "Crew", "Catch", base=100, left=190, style=BOLD)
    for place, name in enumerate(("Harrow", "Holm", "Skerry", "Corda"), start=1):
        lines += [line(name, left=50, base=100 + 12 * place), *row("12", "48", "310", base=100 + 12 * place, left=190)]

    (table,) = TableSearch(page(lines), SURVEY).across(lines)

    assert [cell[0].text for cell in table.rows[1]] == ["Harrow", "12", "48", "310"]


def test_a_column_of_text_beside_a_table_is_not_its_first_column() -> None:
    lines = spells(left=330)
    lines += column(*["and so the line is as long as the column"] * 8, left=50, base=100, step=14)

    assert heads(lines) == ["Spell"]


def test_a_lattice_is_filled_once_for_the_page_and_its_columns() -> None:
    lines = [found for place in range(3) for found in row("Nets", "12", base=112 + 20 * place)]
    drawn = page(lines)._replace(
        horizontals=[Rectangle(45, y, 190, y) for y in (100, 120, 140, 160)],
        verticals=[Rectangle(x, 100, x, 160) for x in (45, 115, 190)],
    )
    search = TableSearch(drawn, SURVEY)

    (across,) = search.across(lines)
    (within,) = search.within(lines)

    assert within is across


def test_the_column_of_a_box_that_was_searched_is_not_searched_again() -> None:
    lines = spells(left=50)
    search = TableSearch(page(lines), SURVEY)

    (first,) = search.within(lines)
    (again,) = search.within(lines[::-1])

    assert again is first
