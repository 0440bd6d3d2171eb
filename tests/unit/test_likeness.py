"""The measure of how like two Markdown texts are."""

from benchmarks.likeness import likeness, reading_of

TRUTH = """# Title

Some words of *prose* here.

## Part

| a | b |
|---|---|
| 1 | 2 |
"""


def test_a_text_is_like_itself() -> None:
    assert likeness(TRUTH, TRUTH) == (1.0, 1.0, 1.0)
    assert likeness(TRUTH, TRUTH).overall == 1.0


def test_a_reading_has_words_headings_and_tables() -> None:
    reading = reading_of(TRUTH)

    assert reading.text == "title some words of prose here. part a b 1 2"
    assert reading.headings == [(1, "title"), (2, "part")]
    assert reading.tables == [[["a", "b"], ["1", "2"]]]


def test_levels_are_counted_from_the_one_that_most_agree_with() -> None:
    deeper = TRUTH.replace("## Part", "### Part").replace("# Title", "## Title")

    assert likeness(TRUTH, deeper).headings == 1.0


def test_a_heading_at_another_level_has_half_its_worth_and_a_missing_one_none() -> None:
    flat = TRUTH.replace("## Part", "# Part")
    without = TRUTH.replace("## Part\n", "Part\n")

    assert (likeness(TRUTH, flat).headings, likeness(TRUTH, without).headings) == (0.75, 0.5)


def test_headings_and_tables_that_should_not_be_there_count_against_it() -> None:
    found = likeness("words", TRUTH)

    assert (found.headings, found.tables) == (1 / 3, 0.5)
    assert likeness("words", "words")[1:] == (None, None)


def test_a_table_that_was_missed_is_worth_nothing() -> None:
    assert likeness(TRUTH, TRUTH.replace("|", " ")).tables == 0.0


def test_half_a_table_is_worth_half() -> None:
    assert likeness(TRUTH, TRUTH.replace("| 1 | 2 |\n", "")).tables == 0.5


def test_a_cell_that_spans_is_like_a_cell_with_empty_ones_beside_and_below_it() -> None:
    pipes = "| Site | Rain | |\n|---|---|---|\n| | Mean | Most |\n| Moor | 7 | 9 |\n"
    cells = "<tr><th rowspan=2>Site</th><th colspan=2>Rain</th></tr><tr><th>Mean</th><th>Most</th></tr>"
    spanned = f"<table>\n{cells}\n<tr><td>Moor</td><td>7</td><td>9</td></tr>\n</table>\n"

    assert likeness(pipes, spanned) == (1.0, None, 1.0)
