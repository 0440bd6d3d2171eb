"""The layouts: what stands in which column, where flags go, how a range is written."""

from typing import Literal, NamedTuple

Part = Literal["name", "value", "unit", "range", "flag", "previous", "index", "method", "low", "high", "earlier"]
RangeStyle = Literal["spaced", "tight", "dash", "words", "brackets", "square", "labelled"]
FlagStyle = Literal["letter", "glued", "star", "arrow", "sign", "before", "word", "none"]


class Layout(NamedTuple):
    """`form`: a table, two of them side by side, lines with colons, lines of plain text, dots that lead to the value,
    or a range on the line below. `sides` is how columns are aligned. Where it is `dated`, days head the columns of
    results."""

    name: str
    form: Literal["table", "twins", "colons", "plain", "leaders", "below", "cards"] = "table"
    columns: tuple[Part, ...] = ("name", "value", "unit", "range")
    head: bool = True
    ruled: bool = False
    sides: Literal["left", "right", "center"] = "left"
    ranges: RangeStyle = "spaced"
    flags: FlagStyle = "none"
    unit_in_value: bool = False
    font: str = "Libertinus Serif"
    size: float = 9.0
    person: int = 0
    watermark: bool = False
    footnotes: bool = False
    overprint: bool = False
    wrapped: bool = False
    notes_beside: bool = False
    tight: bool = False
    methods: bool = False
    dated: bool = False


_NVUR: tuple[Part, ...] = ("name", "value", "unit", "range")
LAYOUTS = (
    Layout("plain-table"),
    Layout("ruled-right", ruled=True, sides="right", ranges="tight", person=1),
    Layout(
        "centred", sides="center", ranges="dash", flags="letter", columns=("name", "value", "flag", "unit", "range")
    ),
    Layout("range-before-value", columns=("name", "range", "value", "unit"), ranges="brackets", person=1),
    Layout("unit-first", columns=("name", "unit", "range", "value"), flags="star", person=2),
    Layout("range-before-unit", columns=("name", "value", "range", "unit"), flags="glued", ranges="tight"),
    Layout("flag-first", columns=("flag", "name", "value", "unit", "range"), flags="star", person=1),
    Layout("flag-last", columns=("name", "value", "unit", "range", "flag"), flags="word", ranges="words"),
    Layout("unit-in-value", columns=("name", "value", "range"), unit_in_value=True, flags="arrow", person=2),
    Layout("headless", head=False, ranges="brackets", flags="before", person=1),
    Layout("headless-range-first", head=False, columns=("name", "range", "value", "unit"), ranges="square"),
    Layout("indexed", columns=("index", "name", "value", "unit", "range"), ruled=True, flags="sign", person=2),
    Layout("previous", columns=("name", "value", "unit", "range", "previous"), flags="letter", person=1),
    Layout("previous-between", columns=("name", "value", "previous", "unit", "range"), sides="right"),
    Layout("low-high", columns=("name", "value", "unit", "low", "high"), sides="right", person=2),
    Layout("method-column", columns=("name", "method", "value", "unit", "range"), ranges="dash"),
    Layout("twins", form="twins", size=7.0, ranges="tight", person=1),
    Layout("twins-headless", form="twins", head=False, size=7.0, ranges="tight", flags="glued"),
    Layout("colons", form="colons", ranges="labelled", flags="word", head=False),
    Layout("colons-brackets", form="colons", ranges="brackets", flags="letter", head=False, person=2),
    Layout("plain-text", form="plain", ranges="spaced", flags="star", head=False, person=2),
    Layout("plain-text-brackets", form="plain", ranges="brackets", flags="letter", head=False, person=1),
    Layout("leaders", form="leaders", ranges="words", flags="star", head=False, person=1),
    Layout("range-below", form="below", ranges="labelled", head=False, person=0),
    Layout("watermarked", watermark=True, flags="letter", columns=("name", "value", "flag", "unit", "range"), person=1),
    Layout("footnotes", footnotes=True, ranges="tight", person=2),
    Layout("overprinted", overprint=True, flags="glued"),
    Layout("wrapped-names", wrapped=True, columns=_NVUR, ranges="dash", person=1),
    Layout("notes-beside", notes_beside=True, size=8.0, ranges="tight", person=2),
    Layout("typewriter", font="DejaVu Sans Mono", size=7.5, flags="before", ranges="spaced"),
    Layout(
        "tight-columns", tight=True, ranges="tight", flags="letter", columns=("name", "value", "flag", "unit", "range")
    ),
    Layout("method-lines", methods=True, ranges="spaced", person=1, flags="sign"),
    Layout(
        "newest-last", dated=True, columns=("name", "earlier", "value", "unit", "range"), sides="right", ranges="tight"
    ),
    Layout("newest-first", dated=True, columns=("name", "unit", "range", "value", "earlier"), flags="letter", person=1),
    Layout("cards", form="cards", head=False, ranges="labelled", person=2),
)
