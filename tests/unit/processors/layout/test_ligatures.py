"""Lost letters come back from pdf-oxide's spans."""

from types import SimpleNamespace

from tests.unit.processors.layout.made_glyphs import chars

from blobforge.processors.pdf_markdown.layout.ligatures import Raw, Span, spans_in, with_lost_letters


def _raws(text: str) -> list[Raw]:
    return [
        (char.char, char.origin_x, char.origin_y, char.advance_width, "Serif", 10.0, (0.0,), 0.0)
        for char in chars(text)
    ]


def _text(raws: list[Raw]) -> str:
    return "".join(raw[0] for raw in raws)


def test_the_word_at_the_same_place_tells_the_letters() -> None:
    spans = [Span("deft effort", 50.0, 500.0, 100.0), Span("modifier left", 50.0, 700.0, 120.0)]

    assert _text(with_lost_letters(_raws("modi\ufffder le\ufffd"), spans)) == "modifier left"


def test_a_part_of_another_word_tells_nothing() -> None:
    assert _text(with_lost_letters(_raws("\ufffdy"), [Span("variety fly", 50.0, 700.0, 110.0)])) == "fly"


def test_what_no_span_knows_stays_unknown() -> None:
    assert _text(with_lost_letters(_raws("a\ufffdb"), [])) == "a\ufffdb"


def test_spans_that_touch_are_one() -> None:
    parts = [
        SimpleNamespace(text="Capit", bbox=(50.0, 700.0, 25.0, 10.0)),
        SimpleNamespace(text="als", bbox=(75.0, 700.0, 15.0, 10.0)),
        SimpleNamespace(text="far", bbox=(150.0, 700.0, 15.0, 10.0)),
    ]

    assert [span.text for span in spans_in(parts)] == ["Capitals", "far"]
