"""Lost letters come back from another reader of the page."""

from collections.abc import Sequence

from tests.unit.processors.layout.made_glyphs import chars

from blobforge.processors.pdf_markdown.layout.ligatures import (
    LOST,
    Found,
    Look,
    Place,
    Raw,
    in_place,
    with_lost_letters,
)


def _raws(text: str) -> list[Raw]:
    return [
        (char.char, char.origin_x, char.origin_y, char.advance_width, "Serif", 10.0, (0.0,), 0.0)
        for char in chars(text)
    ]


def _text(raws: Sequence[Raw | None]) -> str:
    return "".join(raw[0] for raw in raws if raw is not None)


def _look(**letters: float) -> Look:
    """What another reader finds, and where it begins; each is six points wide."""

    def look(places: Sequence[Place]) -> dict[Place, Found]:
        found = {x: Found(text, 6.0) for text, x in letters.items()}
        return {place: found[place.x] for place in places if place.x in found}

    return look


def test_the_letters_at_the_same_place_come_back_and_end_where_the_next_begins() -> None:
    raws = _raws("modi\ufffder")
    raws[4] = (LOST, raws[4][1], 700.0, 0.0, *raws[4][4:])

    mended = with_lost_letters(raws, _look(fi=raws[4][1]))

    assert _text(mended) == "modifier"
    assert mended[4] is not None
    assert mended[4][3] == 5.0


def test_a_second_lost_one_within_the_first_was_part_of_it() -> None:
    first, one, other, last = _raws("o\ufffd\ufffdc")
    one = (LOST, one[1], 700.0, 2.0, *one[4:])
    other = (LOST, one[1] + 2.0, 700.0, 2.0, *other[4:])

    def look(places: Sequence[Place]) -> dict[Place, Found]:
        return {place: Found("ffi", 8.0) for place in places if place.x == one[1]}

    assert _text(with_lost_letters([first, one, other, last], look)) == "offic"


def test_what_is_not_found_stays_lost() -> None:
    raws = _raws("a\ufffdb")

    assert _text(with_lost_letters(raws, _look(fi=3.0))) == "a\ufffdb"
    assert _text(with_lost_letters(raws, lambda places: dict.fromkeys(places, Found(" \x02", None)))) == "a\ufffdb"


def test_a_mark_without_width_that_nobody_sees_goes() -> None:
    first, lost, last = _raws("r\ufffdb")
    unseen = (LOST, last[1], 700.0, 2.0, *lost[4:])

    assert _text(with_lost_letters([first, unseen, last], _look(b=last[1]))) == "rb"


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
