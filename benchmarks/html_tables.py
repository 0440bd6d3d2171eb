"""Tables in HTML as rows of texts. A cell over several places has its text in the first, as pipe tables have it."""

from html.parser import HTMLParser

Rows = list[list[str]]


def html_tables(content: str) -> list[Rows]:
    reader = _Reader()
    reader.feed(content)
    return reader.tables


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Rows] = []
        self._taken: set[tuple[int, int]] = set()
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        match tag:
            case "table":
                self.tables.append([])
                self._taken = set()
            case "tr":
                self.tables[-1].append([])
                self._fill()
            case "td" | "th":
                extent = dict(attrs)
                self._take(int(extent.get("rowspan") or 1), int(extent.get("colspan") or 1))
                self.tables[-1][-1].append("")
                self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False
            # What this cell covers to its right, and what others cover from above.
            self._fill()

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            row = self.tables[-1][-1]
            row[-1] += data

    def _take(self, rows: int, columns: int) -> None:
        row, column = len(self.tables[-1]) - 1, len(self.tables[-1][-1])
        self._taken |= {(row + down, column + right) for down in range(rows) for right in range(columns)}

    def _fill(self) -> None:
        row = self.tables[-1][-1]
        while (len(self.tables[-1]) - 1, len(row)) in self._taken:
            row.append("")
