"""Rules under whole lines."""

from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.words.underlines import with_underlined_bold


def rule(left: float, right: float, y: float = 101.5) -> Rectangle:
    return Rectangle(left, y, right, y)


def is_bold(made: TextLine, *rules: Rectangle) -> bool:
    (marked,) = with_underlined_bold([made], rules)
    return marked.is_bold and marked.style.bold


def test_a_line_over_a_rule_of_its_length_is_bold() -> None:
    made = line("Repair of the footbridge")

    assert is_bold(made, rule(made.left, made.right))


def test_a_rule_may_be_drawn_word_by_word() -> None:
    made = line("Repair of the footbridge")

    assert is_bold(made, rule(made.left, made.left + 40), rule(made.left + 40, made.right))


def test_a_rule_that_runs_on_belongs_to_a_form_or_a_table() -> None:
    made = line("Family name")

    assert not is_bold(made, rule(made.left, made.right + 100))


def test_a_rule_under_some_words_marks_only_them() -> None:
    made = line("Repair of the footbridge")

    assert not is_bold(made, rule(made.left, made.left + 40))


def test_a_rule_farther_below_separates_lines() -> None:
    made = line("Repair of the footbridge")

    assert not is_bold(made, rule(made.left, made.right, y=106.0))


def test_a_link_is_underlined_for_another_reason() -> None:
    made = line("Long description")
    made.words = [word._replace(link="https://example.org") for word in made.words]

    assert not is_bold(made, rule(made.left, made.right))
