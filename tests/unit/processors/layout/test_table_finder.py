"""Tables by what keeps to the same gaps."""

from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, TITLE, column, line

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.tables.finder import TableFinder

LEFTS = (50.0, 120.0, 200.0)


def row(*texts: str, base: float, style: Style = BODY) -> list[TextLine]:
    return [line(text, left=left, base=base, style=style) for left, text in zip(LEFTS, texts, strict=False) if text]


def rules(*ys: float, left: float = 48.0, right: float = 250.0) -> list[Separator]:
    return [Separator(left, right, y) for y in ys]


def tables(lines: list[TextLine], marks: list[Separator] | None = None) -> list[list[list[str]]]:
    found = TableFinder(lines, marks or [], SURVEY).find()
    return [[[" ".join(piece.text for piece in cell) for cell in cells] for cells in table.rows] for table in found]


HEADER = row("Item", "Cost", "Weight", base=100, style=BOLD)
BODY_ROWS = [*row("Rope", "1 gp", "10 lb.", base=112), *row("Oil", "1 sp", "1 lb.", base=124)]
TABLE = [["Item", "Cost", "Weight"], ["Rope", "1 gp", "10 lb."], ["Oil", "1 sp", "1 lb."]]


def test_rows_under_a_bold_header_are_a_table() -> None:
    assert tables([*HEADER, *BODY_ROWS]) == [TABLE]


def test_a_header_over_one_row_of_values_is_a_table() -> None:
    assert tables([*row("Might", "Grace", "Wits", base=100, style=BOLD), *row("9", "3", "6", base=112)]) == [
        [["Might", "Grace", "Wits"], ["9", "3", "6"]]
    ]


def test_a_numbered_heading_over_text_is_none() -> None:
    lines = [*row("4.3.1", "Tuning", base=100, style=BOLD), *row("Datasets.", "We present", base=112)]

    assert tables(lines) == []


def test_a_slanted_header_is_a_header() -> None:
    lines = [*row("Might", "Grace", "Wits", base=100, style=BODY._replace(italic=True)), *row("9", "3", "6", base=112)]

    assert len(tables(lines)) == 1


def test_text_in_two_columns_is_none() -> None:
    texts = ["and so the river went on until the morning", "that was all that he had ever wanted to say"] * 3
    lines = [line(texts[place % 2], left=left, base=100 + 12 * place) for place in range(6) for left in (50, 300)]

    assert tables(lines) == []


def test_notes_with_their_numbers_are_none() -> None:
    note = "Richard Walker, Memoirs of Medicine, with some account of the colleges"
    lines = [found for place in range(5) for found in row(f"{place}", note, base=100 + 12 * place)]

    assert tables(lines) == []


def test_dot_leaders_are_a_table_of_contents() -> None:
    lines = [found for place in range(5) for found in row("Rivers ........", "12", base=100 + 12 * place)]

    assert tables(lines) == []


def test_a_line_of_a_cell_goes_to_the_row_above_it() -> None:
    lines = [
        *HEADER,
        *row("Rope", "1 gp", "ten or", base=112),
        *row("", "", "so", base=124),
        *row("Oil", "x", "y", base=136),
    ]

    assert tables(lines)[0][1] == ["Rope", "1 gp", "ten or so"]


def test_a_paragraph_ends_the_table() -> None:
    lines = [*HEADER, *BODY_ROWS, *column("A line of text that runs across all the gaps", base=136)]

    assert tables(lines) == [TABLE]


def test_a_larger_line_ends_the_table() -> None:
    assert tables([*HEADER, *BODY_ROWS, line("Next", base=140, style=TITLE)]) == [TABLE]


def test_another_header_begins_another_table() -> None:
    lines = [*HEADER, *BODY_ROWS, *row("Spell", "School", "Special", base=148, style=BOLD)]
    lines += [*row("Aid", "Abjuration", "C", base=160), *row("Bane", "Enchantment", "R", base=172)]

    assert [table[0][0] for table in tables(lines)] == ["Item", "Spell"]


def test_text_under_the_last_rule_is_not_part_of_the_table() -> None:
    lines = [*HEADER, *BODY_ROWS, *row("", "", "Text", base=140)]

    assert tables(lines, rules(104, 116, 128)) == [TABLE]


def test_a_header_whose_rule_is_longer_than_it_counts() -> None:
    lines = [line("d6 Event", base=100, style=BOLD)]
    lines[0].words[1] = lines[0].words[1]._replace(left=68, right=93)
    for place in range(3):
        lines += [
            line(f"{place}", base=114 + 24 * place),
            line("a thing that is said at some length", left=70, base=114 + 24 * place),
        ]
        lines += [line("and then goes on", left=70, base=126 + 24 * place)]

    found = tables(lines, [Separator(48, 290, 104)])

    assert [cells[0] for cells in found[0]] == ["d6", "0", "1", "2"]


def test_merged_header_cells_do_not_join_the_columns_under_them() -> None:
    lines = [
        line("Crossings", left=90, base=100, style=BOLD),
        line("Wait in all the nights", left=160, base=100, style=BOLD),
    ]
    lines += [found for place in range(4) for found in row("Monday", "196", "231", base=114 + 12 * place)]

    found = tables(lines, rules(90, 104, 154, right=280))

    assert found[0][1] == ["Monday", "196", "231"]


def test_a_header_that_no_stripe_touches_is_found_above_them() -> None:
    lines = [*HEADER, *BODY_ROWS, *row("Pole", "2 cp", "7 lb.", base=136)]
    stripes = rules(127, 139)

    found = TableFinder(lines, stripes, SURVEY, marked_only=True).find()

    assert len(found[0].rows) == 4


def test_a_cell_that_is_centred_in_its_row_is_in_that_row() -> None:
    lines = [*HEADER, *row("", "April 30,", "", base=116), *row("1.0", "", "Original", base=121)]
    lines += [*row("", "2022", "", base=126), *row("", "June 3,", "small", base=148), *row("1.1", "", "", base=153)]
    lines += [*row("", "2022", "edits", base=158)]

    assert tables(lines)[0][1:] == [["1.0", "April 30, 2022", "Original"], ["1.1", "June 3, 2022", "small edits"]]


def test_a_row_of_sums_in_bold_ends_no_table() -> None:
    lines = [*HEADER, *BODY_ROWS, *row("Both", "2 gp", "11 lb.", base=136, style=BOLD)]

    assert [cells[0] for cells in tables(lines)[0]] == ["Item", "Rope", "Oil", "Both"]


def test_a_label_over_a_section_is_a_row() -> None:
    lines = [*HEADER, *BODY_ROWS, line("Arms, large and", base=136), *row("Axe", "5 gp", "4 lb.", base=148)]

    assert [cells[0] for cells in tables(lines)[0]] == ["Item", "Rope", "Oil", "Arms, large and", "Axe"]


def test_labels_strewn_about_a_chart_are_none() -> None:
    lines = [*row("400", "", "22", base=100), *row("", "Male", "", base=112), *row("", "", "2016", base=124)]
    lines += [*row("0", "", "7", base=136), *row("", "7", "", base=148)]

    assert tables(lines) == []


def test_a_first_cell_of_two_lines_ends_where_its_stripe_ends() -> None:
    lines = [*HEADER, *row("Old", "883", "901", base=116), *row("Staithe", "", "", base=128)]
    lines += [*row("Total", "4", "5", base=156)]

    assert [cells[0] for cells in tables(lines, rules(104, 134, 162))[0]] == ["Item", "Old Staithe", "Total"]


def test_bold_values_under_plain_labels_are_a_table() -> None:
    lines = [*row("Size", "Speed", "Reach", base=100), *row("Large", "9", "2", base=112, style=BOLD)]

    assert tables(lines) == [[["Size", "Speed", "Reach"], ["Large", "9", "2"]]]


def test_a_title_in_spread_letters_is_no_header() -> None:
    title = line("B A", base=88, style=BOLD)
    title.words = [title.words[0], title.words[1]._replace(left=60, right=65)]

    assert tables([title, *HEADER, *BODY_ROWS], rules(91)) == [TABLE]


def test_a_head_over_two_columns_keeps_them_apart() -> None:
    lines = [line("Group", base=100), line("Delay in minutes", left=120, base=100)]
    lines += [line("mean", left=120, base=114), line("s.d.", left=160, base=114)]
    for base, name in ((130, "None"), (146, "One"), (162, "Two")):
        lines += [line(name, base=base), line("4.0", left=125, base=base), line("1.7", left=165, base=base)]

    found = tables(lines, [*rules(92, 118, 166), Separator(118, 250, 104)])

    assert found[0][:3] == [["Group", "Delay in minutes", ""], ["", "mean", "s.d."], ["None", "4.0", "1.7"]]


def test_a_smaller_line_under_the_last_rule_is_a_note() -> None:
    note = [*row("a fully", "b once", base=142, style=BODY._replace(size=8.0))]

    assert tables([*HEADER, *BODY_ROWS, *note], rules(92, 104, 129)) == [TABLE]


def test_the_last_lines_of_a_tall_first_cell_belong_to_the_last_row() -> None:
    lines = [*HEADER, *BODY_ROWS, *column("for lamps", "and locks", base=136), line("Text goes on.", base=176)]

    assert tables(lines, rules(92, 104, 153)) == [[*TABLE[:2], ["Oil for lamps and locks", "1 sp", "1 lb."]]]


def test_leaders_to_several_figures_are_those_of_a_table() -> None:
    lines = [found for base in (100, 112, 124, 136) for found in row("Boats ....", "12", "14", base=base)]

    assert len(tables(lines)) == 1


def test_rows_that_keep_the_same_wide_step_are_a_table() -> None:
    lines = [*HEADER]
    for place, name in enumerate(("Rope", "Oil", "Tar"), start=1):
        lines += row(name, "1 gp", "10 lb.", base=100 + 30 * place)

    assert [len(found) for found in tables(lines)] == [4]


def test_a_head_over_a_later_column_alone_is_the_header() -> None:
    lines = [line("Paid", left=200, style=BOLD)]
    for place, name in enumerate(("Old mill", "New mill", "Bridge", "Tower"), start=1):
        lines += row(name, "", "Yes", base=100 + 12 * place)

    assert tables(lines)[0][:2] == [["", "Paid"], ["Old mill", "Yes"]]


def test_the_words_of_the_last_first_cell_may_go_on() -> None:
    lines = [*HEADER, *BODY_ROWS, line("for lamps", base=136), line("Text goes on here.", base=176)]

    assert tables(lines) == [[*TABLE[:2], ["Oil for lamps", "1 sp", "1 lb."]]]


def test_a_row_between_rules_may_have_its_first_cell_only() -> None:
    lines = [*HEADER, *BODY_ROWS, line("Tar", base=136), line("Text goes on here.", base=156)]

    assert tables(lines, rules(92, 103, 115, 127, 139)) == [[*TABLE, ["Tar", "", ""]]]


def test_rows_between_rules_may_stand_far_apart() -> None:
    lines = [
        *row("Item", "Cost", "Weight", base=100),
        *row("Rope", "1 gp", "10 lb.", base=110),
        line("of hemp", base=120),
    ]
    lines += [*row("Oil", "1 sp", "1 lb.", base=148), line("for lamps", base=158)]

    assert len(tables(lines, rules(90, 103, 134, 172))[0]) == 3


def test_a_line_of_text_with_wide_gaps_begins_no_table() -> None:
    text = [
        line("the long first part of a line of running text", left=50, base=88),
        line("ends here", left=300, base=88),
    ]

    assert tables([*text, *HEADER, *BODY_ROWS]) == [TABLE]


def test_rows_that_begin_with_what_a_die_shows_are_a_table_though_all_cells_read_like_prose() -> None:
    slanted = BODY._replace(italic=True)
    lines = row("d20", "Grievance", "Courtesy", base=100, style=slanted)
    for place, number in enumerate(("1-2", "3-4", "5-6", "7", "8")):
        lines += row(number, "they want", "light it", base=112 + 24 * place)
        lines += row("", "a spade", "soon", base=124 + 24 * place)

    (found,) = tables(lines)

    assert found[1] == ["1-2", "they want a spade", "light it soon"]


def test_a_line_that_looks_like_the_title_of_the_table_ends_it_and_is_the_title_of_the_next() -> None:
    lines = row("POWER", base=100, style=BOLD)
    lines += [*row("Fuse", "10 A", base=120), *row("Plug", "2 A", base=138), *row("Load", "9 A", base=156)]
    lines += row("SIZE", base=186, style=BOLD)
    lines += [*row("Height", "3 m", base=206), *row("Width", "4 m", base=224), *row("Depth", "5 m", base=242)]

    found = tables(lines, rules(125, 143, 161, 211, 229, 247))

    assert [table[0] for table in found] == [["Fuse", "10 A"], ["Height", "3 m"]]


def test_cells_that_are_centred_beside_taller_ones_are_rows_to_the_end() -> None:
    lines = [*row("Region", "Remarks", base=100, style=BOLD), *row("Lower", "Coast and water", base=114)]
    lines += [*row("Upper", "Mill and pier", base=128), *row("", "Survey of the light", base=142)]
    lines += [*row("Labour", base=148), *row("", "and of the purchase", base=154)]
    lines += [*row("", "Measure of the rope", base=168), *row("Winter", base=174), *row("", "and of iron", base=180)]

    (found,) = tables(lines)

    assert found[-2:] == [
        ["Labour", "Survey of the light and of the purchase"],
        ["Winter", "Measure of the rope and of iron"],
    ]


def test_bold_heads_that_fill_their_columns_are_cut_where_words_begin_over_them() -> None:
    head = line("Measure Dry sand Wet", style=BOLD)
    lefts = [word.left for word in head.words if word.text != "sand"]
    cells = [("2", "24", "0"), ("3", "12", "12"), ("4", "4", "16")]
    body = [
        line(text, left=left, base=114 + 14 * at)
        for at, texts in enumerate(cells)
        for left, text in zip(lefts, texts, strict=True)
    ]

    assert tables([head, *body]) == [[["Measure", "Dry sand", "Wet"], *map(list, cells)]]


def test_a_running_head_over_its_rule_is_no_row_of_the_table_below() -> None:
    running = [line("College", left=50, base=70), line("Part 3", left=400, base=70)]
    head = row("Item", "Cost", "Weight", base=100)
    rule = rules(76, left=40, right=440)

    found = tables(
        [
            *running,
            *head,
            *row("Rope", "1 gp", "10", base=114),
            *row("Oil", "1 sp", "1", base=128),
            *row("Tar", "2 sp", "3", base=142),
        ],
        rule,
    )

    assert found[0][0] == ["Item", "Cost", "Weight"]
