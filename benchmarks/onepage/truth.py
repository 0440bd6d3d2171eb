"""The true Markdown of a page, from the same HTML that it is printed from: what comes first there is read first."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "img", "hr", "col"}
UNREAD = {"style", "svg"}
BLOCKS = {"p", "div", "ul", "ol", "li", "table", "tr", "td", "th", "h1", "h2", "h3", "h4", "section", "aside", "pre"}
EMPHASIS = {"b": "**", "i": "*"}


@dataclass(slots=True)
class Element:
    name: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    def parts(self) -> Iterator["Element"]:
        return (child for child in self.children if isinstance(child, Element))

    def has_blocks(self) -> bool:
        return any(part.name in BLOCKS for part in self.parts())


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("div", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            closed = self._open.pop()
            if closed.name != tag:
                raise ValueError(f"<{closed.name}> is closed by </{tag}>")

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def tree_of(html: str) -> Element:
    parser = _Tree()
    parser.feed(html)
    parser.close()
    return parser.root


def truth_of(html: str) -> str:
    root = tree_of(html)
    notes = {part.attributes["data-note"]: part for part in _all(root) if "data-note" in part.attributes}
    return "\n\n".join(_with_notes(_blocks(root), notes)) + "\n"


def _all(element: Element) -> Iterator[Element]:
    yield element
    for part in element.parts():
        yield from _all(part)


def _with_notes(blocks: Iterator[str], notes: dict[str, Element]) -> Iterator[str]:
    """A note at the foot of the page goes after the paragraph that refers to it."""
    for block in blocks:
        yield block
        for name, note in notes.items():
            if f"[^{name}]" in block:
                yield f"[^{name}]: {_inline(note).removeprefix(f'[^{name}]').strip()}"


def _blocks(element: Element) -> Iterator[str]:
    if element.name in UNREAD or "data-note" in element.attributes:
        return
    if element.name == "table":
        yield _table(element)
    elif element.name in ("ul", "ol"):
        yield "\n".join(_items(element, depth=0))
    elif element.name == "aside":
        inner = "\n\n".join(block for part in element.parts() for block in _blocks(part)) or _inline(element)
        yield "\n".join(f"> {line}".rstrip() for line in inner.splitlines())
    elif element.has_blocks():
        for part in element.parts():
            yield from _blocks(part)
    elif text := _inline(element):
        hashes = "#" * int(element.name[1]) if element.name in ("h1", "h2", "h3", "h4") else ""
        yield f"{hashes} {text}".strip()


def _inline(element: Element) -> str:
    return " ".join("".join(_words(element)).split())


def _words(element: Element) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, str):
            yield child
        elif child.name == "sup" and "ref" in child.attributes:
            yield f"[^{_inline(child)}]"
        elif child.name == "br" or child.name in BLOCKS:
            yield " "
        elif child.name not in UNREAD:
            mark = EMPHASIS.get(child.name, "")
            yield f"{mark}{''.join(_words(child))}{mark}"


def _items(element: Element, depth: int) -> Iterator[str]:
    for number, item in enumerate(element.parts(), start=int(element.attributes.get("start", "1"))):
        marker = f"{number}." if element.name == "ol" else "-"
        yield f"{'    ' * depth}{marker} {_inline(_without_lists(item))}"
        for part in item.parts():
            if part.name in ("ul", "ol"):
                yield from _items(part, depth + 1)


def _without_lists(item: Element) -> Element:
    inner = [child for child in item.children if isinstance(child, str) or child.name not in ("ul", "ol")]
    return Element(item.name, item.attributes, inner)


def _table(element: Element) -> str:
    rows = [[_inline(cell) for cell in row.parts()] for row in _all(element) if row.name == "tr"]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])
