"""The sources of the documents of one page: what is printed and what counts as true about it."""

import pytest
from benchmarks import onepage
from benchmarks.likeness import reading_of
from benchmarks.onepage.source import body_of, names, page_of
from benchmarks.onepage.truth import truth_of
from benchmarks.printed import chromium


def test_a_page_has_the_sentences_that_it_asks_for_and_the_same_each_time() -> None:
    name = names()[0]

    assert "fill=" not in body_of(name)
    assert page_of(name) == page_of(name)


def test_headings_paragraphs_and_emphasis_are_true_in_their_order() -> None:
    assert truth_of("<h1>Mills</h1><p>They <b>grind</b>\nall day.</p>") == "# Mills\n\nThey **grind** all day.\n"


def test_a_list_may_hold_another_and_begin_at_any_number() -> None:
    html = '<ol start="3"><li>Wheel<ul><li>Axle</li></ul></li><li>Race</li></ol>'

    assert truth_of(html) == "3. Wheel\n    - Axle\n4. Race\n"


def test_a_table_has_its_first_row_as_header() -> None:
    html = "<table><tr><th>Mill</th><th>Pairs</th></tr><tr><td>Upper</td><td>2</td></tr></table>"

    assert truth_of(html) == "| Mill | Pairs |\n|---|---|\n| Upper | 2 |\n"


def test_a_note_follows_the_paragraph_that_refers_to_it() -> None:
    html = '<p>One<sup ref>1</sup>.</p><p>Two.</p><p data-note="1"><sup ref>1</sup> Said twice.</p>'

    assert truth_of(html) == "One[^1].\n\n[^1]: Said twice.\n\nTwo.\n"


def test_what_is_drawn_is_no_text() -> None:
    assert truth_of("<p>A<svg><text>label</text></svg>B</p><style>p { color: red }</style>") == "AB\n"


def test_an_element_that_is_closed_by_another_is_refused() -> None:
    with pytest.raises(ValueError, match="is closed by"):
        truth_of("<p><b>a</p></b>")


@pytest.mark.parametrize("name", names())
def test_every_page_says_something(name: str) -> None:
    assert len(reading_of(truth_of(body_of(name))).text) > 100


def test_without_chromium_nothing_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr(chromium, "PROGRAMS", ("no-such-program",))

    with pytest.raises(chromium.ChromiumMissing):
        onepage.make_all(tmp_path_factory.mktemp("pages"))
