"""Words with hyphens, as a document writes them."""

from tests.unit.processors.layout.made import column, page

from blobforge.processors.pdf_markdown.layout.words.hyphens import hyphenated_in


def test_a_word_with_a_hyphen_within_a_line_is_known() -> None:
    assert "well-known" in hyphenated_in([page(column("a well-known tune"))])


def test_halves_of_a_compound_that_are_no_words_by_themselves_are_put_together() -> None:
    found = hyphenated_in([page(column("goods that are mass-pro-", "duced in this town"))])

    assert "mass-produced" in found


def test_a_compound_whose_next_part_is_a_word_of_the_document_was_broken_at_its_hyphen() -> None:
    lines = column("a mixture-of-", "experts that is asked", "when one of them fails")

    assert "mixture-ofexperts" not in hyphenated_in([page(lines)])


def test_a_compound_is_put_together_where_its_last_part_is_a_word_of_the_document() -> None:
    lines = column("goods that are mass-pro-", "duced in this town", "or made by a pro who", "has produced more")

    assert "mass-produced" in hyphenated_in([page(lines)])


def test_a_word_goes_on_below_and_not_beside() -> None:
    other = column("elsewhere it is", "told in another way", left=300.0)
    lines = [*other, *column("goods that are mass-pro-", "duced in this town")]

    assert hyphenated_in([page(lines)]) >= {"mass-produced"}
