"""Frames whose sides were drawn one by one."""

from tests.unit.processors.layout.made import SURVEY, column, page

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.rulings.frames import ruled_frames
from blobforge.processors.pdf_markdown.layout.rulings.separators import boxes_of

CARD = Rectangle(50, 80, 250, 200)
NEXT = Rectangle(256, 80, 456, 200)


def level(*frames: Rectangle) -> list[Rectangle]:
    return [Rectangle(frame.left, y, frame.right, y) for frame in frames for y in (frame.top, frame.bottom)]


def upright(*frames: Rectangle) -> list[Rectangle]:
    return [Rectangle(x, frame.top, x, frame.bottom) for frame in frames for x in (frame.left, frame.right)]


def test_four_rules_that_meet_are_a_frame() -> None:
    assert ruled_frames(level(CARD), upright(CARD)) == [CARD]


def test_cards_side_by_side_are_frames_of_their_own() -> None:
    assert ruled_frames(level(CARD, NEXT), upright(CARD, NEXT)) == [CARD, NEXT]


def test_what_lacks_a_side_is_no_frame() -> None:
    assert ruled_frames(level(CARD), upright(CARD)[:1]) == []
    assert ruled_frames(level(CARD)[:1], upright(CARD)) == []


def test_cells_that_share_a_side_are_no_frames() -> None:
    beside = CARD._replace(left=CARD.right, right=400)

    assert ruled_frames(level(CARD, beside), upright(CARD, beside)) == []


def test_a_frame_with_columns_in_it_is_a_table() -> None:
    assert ruled_frames(level(CARD), [*upright(CARD), Rectangle(120, 80, 120, 200)]) == []


def test_a_rule_under_the_title_of_a_card_does_not_matter() -> None:
    assert ruled_frames([*level(CARD), Rectangle(50, 100, 250, 100)], upright(CARD)) == [CARD]


def test_text_in_such_a_frame_is_kept_together() -> None:
    lines = column("The Song", "One of you has it", "in his head", left=60)
    made = page(lines)._replace(horizontals=level(CARD), verticals=upright(CARD))

    assert boxes_of(made, lines, SURVEY.size) == [CARD]
