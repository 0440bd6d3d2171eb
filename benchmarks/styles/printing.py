"""Prints a source in a style: a PDF and its truth, from the same text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportlab import rl_config
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from benchmarks.styles.composer import Area, Canvas, Composer, Sheet, column_width
from benchmarks.styles.content import Block, Box, Columns, blocks, read_source, truth
from benchmarks.styles.look import BoxLook, Look
from benchmarks.styles.setting import set_blocks, set_box


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """`look` is chosen by the number of columns; `obstacles` draws a box by its page and says where it stands."""

    name: str
    title: str
    page_size: tuple[float, float]
    sheet: Sheet
    look: Callable[[int], Look]
    obstacles: Mapping[int, "Obstacle"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """A box that the text of several columns runs around. `gap` is the white around it."""

    look: BoxLook
    left: float
    top: float
    width: float
    gap: float = 8.0


def print_style(style: Style, folder: Path) -> Sequence[Path]:
    pdf, markdown = folder / f"{style.name}.pdf", folder / f"{style.name}.md"
    source = read_source(style.name)
    markdown.write_text(truth(source), encoding="utf-8")
    canvas = _open_canvas(pdf, style)
    content = blocks(source)
    composer = Composer(canvas, style.sheet, obstacles=_obstacles(style, content))
    for columns, section in _sections(content):
        width = column_width(style.sheet.body(composer.page).width, columns, style.sheet.gutter)
        composer.add(set_blocks(section, style.look(columns), width=width), columns=columns)
    composer.finish()
    canvas.save()
    return [pdf, markdown]


def _open_canvas(path: Path, style: Style) -> Canvas:
    rl_config.useA85 = 0
    canvas = PdfCanvas(str(path), pagesize=style.page_size, invariant=1, pageCompression=1)
    canvas.setTitle(style.title)
    canvas.setAuthor("The BlobForge authors")
    canvas.setCreator("benchmarks.styles")
    return canvas


def _sections(content: Sequence[Block]) -> Iterator[tuple[int, Sequence[Block]]]:
    columns, section = 1, list[Block]()
    for block in content:
        if isinstance(block, Columns):
            if section:
                yield columns, section
            columns, section = block.count, []
        elif not _is_obstacle(block):
            section.append(block)
    yield columns, section


def _is_obstacle(block: Block) -> bool:
    return isinstance(block, Box) and "obstacle" in block.hints


def _obstacles(style: Style, content: Sequence[Block]) -> Mapping[int, Callable[[Canvas], Area]]:
    boxes = [block for block in content if isinstance(block, Box) and _is_obstacle(block)]
    return {page: _placing(box, obstacle) for (page, obstacle), box in zip(style.obstacles.items(), boxes, strict=True)}


def _placing(box: Box, obstacle: Obstacle) -> Callable[[Canvas], Area]:
    def place(canvas: Canvas) -> Area:
        flowable = set_box(box, obstacle.look, width=obstacle.width)
        _, height = flowable.wrapOn(canvas, obstacle.width, 1000)
        flowable.drawOn(canvas, obstacle.left, obstacle.top - height)
        return Area(
            left=obstacle.left - obstacle.gap,
            width=obstacle.width + 2 * obstacle.gap,
            top=obstacle.top + obstacle.gap,
            bottom=obstacle.top - height - obstacle.gap,
        )

    return place
