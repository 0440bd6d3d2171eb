"""Rules of the layout engine are switched off one at a time, and are back afterwards."""

import pytest
from benchmarks.ablation.rules import Rule, all_rules, switched_off
from benchmarks.ablation.watching import watched
from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.text import captions, list_contents, list_entries


def _rule(title: str) -> Rule:
    (found,) = [rule for rule in all_rules() if rule.title == title]
    return found


def test_a_predicate_that_is_never_true_is_so_for_all_who_import_it() -> None:
    led = [line(f"Of tides {place} . . . . . . {place}") for place in range(4, 9)]

    with switched_off(_rule("text.list_entries.has_leader"), "never"):
        assert not list_contents.contents_in(led)

    assert list_contents.contents_in(led)


def test_a_number_is_nothing_or_beyond_all_bounds() -> None:
    rule = _rule("text.list_entries._DEEPER")

    assert rule.variants == ("zero", "huge")
    with switched_off(rule, "zero"):
        assert list_entries._DEEPER == 0.0


def test_a_pattern_matches_nothing() -> None:
    with switched_off(_rule("text.captions._CAPTION"), "empty"):
        assert not captions.is_caption("Figure 3: a lamp")


@pytest.mark.parametrize(("variant", "concerned"), [("never", False), ("always", True)])
def test_a_document_is_concerned_where_a_predicate_answered_otherwise(variant: str, *, concerned: bool) -> None:
    with watched() as seen:
        captions.is_caption("No figure here")

    assert seen.concerns(_rule("text.captions.is_caption"), variant) is concerned


def test_a_document_is_concerned_by_a_constant_that_one_of_its_functions_reads() -> None:
    with watched() as seen:
        captions.is_caption("No figure here")

    assert seen.concerns(_rule("text.captions._CAPTION"), "empty")
    assert not seen.concerns(_rule("text.list_entries._LEADER"), "empty")


def test_no_rule_is_listed_twice() -> None:
    titles = [rule.title for rule in all_rules()]

    assert len(titles) == len(set(titles)) > 100
