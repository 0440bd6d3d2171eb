"""The sources of typeset benchmark pages: what is printed and what counts as true about it."""

from pathlib import Path

from benchmarks.typeset import NAMES, make_all
from benchmarks.typeset.markup import as_typst
from benchmarks.typeset.source import read_source, without_hints


def test_the_truth_is_the_source_without_its_hints() -> None:
    assert without_hints("<!-- as title -->\n# Name\n\n> <!-- as line -->\n> Text.") == "# Name\n\n> Text.\n"


def test_a_hint_names_the_function_that_sets_the_next_block() -> None:
    assert as_typst("<!-- as title(2) -->\n# Name\n\nText.") == "#title(2, [Name])\n\nText\\."


def test_a_first_letter_can_be_set_apart() -> None:
    assert as_typst("<!-- cap opening -->\nThe *old* wood") == "#opening([T], ([he], [#emph[old]], [wood],))"


def test_a_note_is_set_where_its_mark_stands() -> None:
    assert as_typst("Dice[^1] roll.\n\n[^1]: Bones.") == "Dice#footnote[Bones\\.] roll\\."


def test_every_style_has_a_page_and_its_truth(tmp_path: Path) -> None:
    made = make_all(tmp_path)

    assert [path.name for path in made] == [f"{name}.{kind}" for name in NAMES for kind in ("pdf", "md")]
    assert all("<!--" not in without_hints(read_source(name)) for name in NAMES)
