"""The rulebook: one chapter of an invented game, set in two columns on tinted paper."""

from pathlib import Path

from examples.typesetting import rulebook_passage as passage
from examples.typesetting import rulebook_reeds as reeds
from examples.typesetting.press import Flowable, frame, open_document
from examples.typesetting.rulebook_style import (
    BOTTOM,
    COLUMN_HEIGHT,
    COLUMN_WIDTH,
    FULL_WIDTH,
    GUTTER,
    MARGIN,
    draw_paper,
)
from reportlab.lib.pagesizes import letter
from reportlab.platypus import PageTemplate

OPENING_HEIGHT = 118
WARES_HEIGHT = 196
RIGHT_COLUMN = MARGIN + COLUMN_WIDTH + GUTTER


def write(path: Path) -> None:
    document = open_document(
        path,
        title="Wick & Weir: Travelling the Long Water",
        subject="A chapter of an invented role-playing game, written for BlobForge",
        page_size=letter,
    )
    document.addPageTemplates(_page_templates())
    first_half = [*passage.opening(), *passage.setting_out(), *passage.locks(), *passage.weather()]
    document.build([*first_half, *reeds.creatures(), *reeds.wares()])


def _page_templates() -> list[Flowable]:
    def columns(*, bottom: float, height: float) -> list[Flowable]:
        return [
            frame("left", left=MARGIN, bottom=bottom, width=COLUMN_WIDTH, height=height),
            frame("right", left=RIGHT_COLUMN, bottom=bottom, width=COLUMN_WIDTH, height=height),
        ]

    title = frame(
        "title",
        left=MARGIN,
        bottom=BOTTOM + COLUMN_HEIGHT - OPENING_HEIGHT + 12,
        width=FULL_WIDTH,
        height=OPENING_HEIGHT,
    )
    wares = frame("wares", left=MARGIN, bottom=BOTTOM, width=FULL_WIDTH, height=WARES_HEIGHT)
    opening = [title, *columns(bottom=BOTTOM, height=COLUMN_HEIGHT - OPENING_HEIGHT)]
    closing = [*columns(bottom=BOTTOM + WARES_HEIGHT, height=COLUMN_HEIGHT - WARES_HEIGHT), wares]
    return [
        PageTemplate("opening", frames=opening, onPage=draw_paper),
        PageTemplate("inside", frames=columns(bottom=BOTTOM, height=COLUMN_HEIGHT), onPage=draw_paper),
        PageTemplate("closing", frames=closing, onPage=draw_paper),
    ]
