"""What was drawn on a page, compared with what is told of it."""

from tests.unit.processors.layout.made import column, passage

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.output.completeness import (
    DOUBTFUL_LAYER,
    OVERLAPPING,
    TEXT_LOST,
    UNKNOWN_GLYPHS,
    Quality,
    quality_of,
)

LINES = column("The bridge was built in stone and", "stands to this day.")


def test_a_page_that_is_told_whole_is_trusted() -> None:
    told = passage("The bridge was built in stone and stands to this day.")

    assert quality_of(LINES, [told], unknown=0.0) == Quality(1.0, ())


def test_a_page_that_lost_a_line_is_flagged_with_the_share_that_is_left() -> None:
    quality = quality_of(LINES, [passage("The bridge was built in stone and")], unknown=0.0)

    assert quality.warnings == (TEXT_LOST,)
    assert 0.6 < quality.confidence < 0.7


def test_words_that_were_put_together_emphasised_or_put_into_cells_are_not_lost() -> None:
    lines = column("a won-", "derful table 1 2")
    text, table = (
        passage("a *wonderful*"),
        Passage(role=PassageRole.TABLE, page=1, box=Rectangle(0, 300, 9, 310), rows=[["table"]]),
    )
    table.rows.append(["1", "2"])
    quote = Passage(role=PassageRole.QUOTE, page=1, box=Rectangle(0, 200, 9, 210), children=[text])

    assert quality_of(lines, [quote, table], unknown=0.0) == Quality(1.0, ())


def test_glyphs_that_stand_for_nothing_are_flagged() -> None:
    told = passage("The bridge was built in stone and stands to this day.")

    assert quality_of(LINES, [told], unknown=0.25) == Quality(0.75, (UNKNOWN_GLYPHS,), unreadable=True)


def test_passages_over_each_other_are_flagged_but_not_words_on_a_picture() -> None:
    one, other = passage("One"), passage("Other", top=102)
    picture = Passage(role=PassageRole.FIGURE, page=1, box=Rectangle(0, 0, 600, 800))

    assert OVERLAPPING in quality_of([], [one, other], unknown=0.0).warnings
    assert quality_of([], [one, picture, passage("Below", top=300)], unknown=0.0).warnings == ()


def test_a_page_without_text_has_lost_none() -> None:
    assert quality_of([], [], unknown=0.0) == Quality(1.0, ())


def test_a_hidden_layer_of_words_is_trusted_and_one_of_noise_is_not() -> None:
    noise = column("Tl1c brldgc vv4s bu!lt ln st0nc", "xq zzt rrw ppk mnb")

    good = quality_of(LINES, [passage("The bridge was built in stone and stands to this day.")], unknown=0, invisible=1)
    bad = quality_of(noise, [passage(" ".join(line.text for line in noise))], unknown=0, invisible=1)

    assert (good.unreadable, bad.unreadable) == (False, True)
    assert bad.warnings == (DOUBTFUL_LAYER,)
