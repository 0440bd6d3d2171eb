"""Bars of fractions are no rules of tables."""

from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator, without_fractions

ABOVE, BELOW = line("p + q", left=90, base=97), line("r + s", left=90, base=111)
BAR = Separator(90.0, ABOVE.right, 100.0)


def test_a_rule_that_a_formula_goes_on_beside_is_the_bar_of_a_fraction() -> None:
    limit = line("lim", left=72, base=103)

    assert without_fractions([BAR], [limit, ABOVE, BELOW]) == []


def test_a_rule_between_two_lines_is_none() -> None:
    assert without_fractions([BAR], [ABOVE, BELOW]) == [BAR]


def test_a_rule_that_is_longer_than_what_stands_above_and_below_is_none() -> None:
    label, rule = line("Name", left=62, base=103), Separator(84.0, 160.0, 100.0)

    assert without_fractions([rule], [label, ABOVE, BELOW]) == [rule]
