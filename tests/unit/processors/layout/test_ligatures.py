"""Lost letters come back from another reader of the page."""

from collections.abc import Sequence

import pytest
from tests.unit.processors.layout.made_glyphs import chars

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import (
    FoundGlyph,
    GlyphLookup,
    GlyphPosition,
    Raw,
    in_place,
    remembering,
    with_lost_letters,
)
from blobforge.processors.pdf_markdown.layout.words.characters import LOST


def _raws(text: str) -> list[Raw]:
    return [
        (char.char, char.origin_x, char.origin_y, char.advance_width, "Serif", 10.0, (0.0,), 0.0)
        for char in chars(text)
    ]


def _text(raws: Sequence[Raw | None]) -> str:
    return "".join(raw[0] for raw in raws if raw is not None)


def _look(**letters: float) -> GlyphLookup:
    """What another reader finds, and where it begins; each is six points wide."""

    def look(places: Sequence[GlyphPosition]) -> dict[GlyphPosition, FoundGlyph]:
        found = {x: FoundGlyph(text, 6.0) for text, x in letters.items()}
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

    def look(places: Sequence[GlyphPosition]) -> dict[GlyphPosition, FoundGlyph]:
        return {place: FoundGlyph("ffi", 8.0) for place in places if place.x == one[1]}

    assert _text(with_lost_letters([first, one, other, last], look)) == "offic"


def test_what_is_not_found_stays_lost() -> None:
    raws = _raws("a\ufffdb")

    assert _text(with_lost_letters(raws, _look(fi=3.0))) == "a\ufffdb"
    assert _text(with_lost_letters(raws, lambda places: dict.fromkeys(places, FoundGlyph(" \x02", None)))) == "a\ufffdb"


def test_a_sign_that_nobody_knows_is_as_wide_as_it_is_told() -> None:
    mended = with_lost_letters(_placed(("a", 50.0), (LOST, 55.0), ("b", 63.0), lost=5.5), _look(**{LOST: 55.0}))

    assert mended[1] is not None
    assert mended[1][3] == 5.5


def test_a_mark_without_width_that_nobody_sees_goes() -> None:
    first, lost, last = _raws("r\ufffdb")
    unseen = (LOST, last[1], 700.0, 2.0, *lost[4:])

    assert _text(with_lost_letters([first, unseen, last], _look(b=last[1]))) == "rb"


def _placed(*letters: tuple[str, float], lost: float = 10.0) -> list[Raw]:
    """Letters five points wide where they are told to begin; `lost` is what is told of the width of a lost one."""
    return [
        (letter, x, 700.0, lost if letter == LOST else 5.0, "Serif", 10.0, (0.0,), 0.0)
        for letter, x in sorted(letters, key=lambda each: each[1])
    ]


def _places(raws: Sequence[Raw]) -> list[tuple[str, float]]:
    return [(raw[0], raw[1]) for raw in raws]


@pytest.mark.parametrize("lost", [2.5, 10.0])
def test_what_was_drawn_after_a_ligature_is_put_back_in_its_place(lost: float) -> None:
    shifted = ("x", 61.0 + lost), ("b", 66.0 + lost)
    drawn = _placed(("a", 50.0), (LOST, 55.0), *shifted, ("c", 74.0), ("d", 79.0), lost=lost)

    chars, raws = in_place([raw[0] for raw in drawn], drawn, _look(fi=55.0))

    assert _places(raws) == [("a", 50.0), (LOST, 55.0), ("x", 61.0), ("b", 66.0), ("c", 74.0), ("d", 79.0)]
    assert chars == ["a", LOST, "x", "b", "c", "d"]


def test_a_ligature_after_another_is_looked_for_in_its_own_place() -> None:
    drawn = _placed((LOST, 50.0), ("c", 66.0), (LOST, 71.0), ("d", 87.0))

    raws = in_place(drawn, drawn, _look(ff=50.0, fi=61.0))[1]

    assert _places(raws) == [(LOST, 50.0), ("c", 56.0), (LOST, 61.0), ("d", 67.0)]


def test_a_ligature_of_three_letters_shifts_what_follows_twice() -> None:
    drawn = _placed((LOST, 50.0), (LOST, 52.0), ("c", 60.0), lost=2.0)

    raws = in_place(drawn, drawn, _look(ffi=50.0))[1]

    assert raws[-1][:2] == ("c", 56.0)


def test_what_stands_where_it_was_placed_anew_is_not_moved() -> None:
    drawn = _placed(("a", 50.0), (LOST, 55.0), ("b", 61.0), ("c", 66.0), ("d", 71.0))

    assert in_place(drawn, drawn, _look(fi=55.0))[1] == drawn


def test_a_glyph_of_known_width_moves_nothing() -> None:
    drawn = _raws("a\ufffdb")

    assert in_place("a\ufffdb", drawn, _look())[1] == drawn


def test_another_reader_is_asked_once_for_each_place() -> None:
    here, there = GlyphPosition(50.0, 700.0, 10.0), GlyphPosition(90.0, 700.0, 10.0)
    asked: list[GlyphPosition] = []

    def look(places: Sequence[GlyphPosition]) -> dict[GlyphPosition, FoundGlyph]:
        asked.extend(places)
        return {here: FoundGlyph("fi", 6.0)}

    remembered = remembering(look)

    assert remembered([here, there]) == remembered([here, there]) == {here: FoundGlyph("fi", 6.0)}
    assert asked == [here, there]
