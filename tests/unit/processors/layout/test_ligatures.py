"""Lost letters come back from pdf-oxide's spans."""

from types import SimpleNamespace

from tests.unit.processors.layout.made_glyphs import chars

from blobforge.processors.pdf_markdown.layout.ligatures import LOST, Raw, Span, in_place, spans_in, with_lost_letters


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


def test_what_follows_a_glyph_of_unknown_width_is_put_back_in_its_place() -> None:
    drawn = _raws("a\ufffdxb")
    lost = (drawn[1][0], 55.0, 700.0, 10.0, *drawn[1][4:])
    shifted = [(raw[0], x, *raw[2:]) for raw, x in ((drawn[2], 70.0), (drawn[3], 75.0))]
    next_word = [(raw[0], raw[1] + 21.0, *raw[2:]) for raw in _raws("cd")]

    drawn = [drawn[0], lost, *sorted([*shifted, *next_word], key=lambda raw: raw[1])]

    chars, raws = in_place([raw[0] for raw in drawn], drawn)

    assert [raw[1] for raw in raws] == [50.0, 55.0, 60.0, 65.0, 71.0, 76.0]
    assert chars == ["a", LOST, "x", "b", "c", "d"]


def test_a_glyph_of_known_width_moves_nothing() -> None:
    drawn = _raws("a\ufffdb")

    assert in_place("a\ufffdb", drawn)[1] == drawn


def test_a_word_in_a_font_that_names_no_letters_takes_them_one_by_one() -> None:
    lost = f"C{LOST * 7} {LOST * 40}"

    mended = with_lost_letters(_raws(lost), [Span(f"Capitals {'w' * 60}", 50.0, 700.0, 400.0)])

    assert _text(mended) == f"Capitals {LOST * 40}"
