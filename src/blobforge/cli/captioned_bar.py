"""A bar with a line of text below it."""

from collections.abc import Iterable

from rich.console import RenderableType
from rich.progress import Progress
from rich.text import Text


class CaptionedBar(Progress):
    """The caption is cut to the width of the terminal, so that the bar never jumps."""

    caption = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        yield Text(self.caption, style="dim", no_wrap=True, overflow="ellipsis")
