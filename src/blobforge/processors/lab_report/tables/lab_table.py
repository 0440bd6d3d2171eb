"""Tables: a head, the edges of its columns, and which tokens of a line stand in which column."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.tables.heads import LabColumn

_STEP = 1.0
_MOST = 0.6
_SUITED = {
    "value": ("NUMBER", "LIMIT", "OUTCOME"),
    "previous": ("NUMBER", "LIMIT", "OUTCOME"),
    "unit": ("UNIT",),
    "range": ("RANGE", "LIMIT"),
}
_PER_SYSTEM = ("value", "unit", "range")


class LabTable(NamedTuple):
    """`edges` part the columns: column n lies between edges n and n + 1."""

    columns: tuple[LabColumn, ...]
    edges: tuple[float, ...]

    def column_at(self, x: float) -> int | None:
        for place in range(len(self.columns)):
            if self.edges[place] <= x < self.edges[place + 1]:
                return place
        return None


class ColumnCell(NamedTuple):
    """What stands in one column of a line: places of tokens, and spans that lie within."""

    kind: str
    places: tuple[int, ...]
    spans: tuple[TaggedSpan, ...]


def tables_of(columns: Sequence[LabColumn], body: Iterable[TaggedLine]) -> list[LabTable]:
    """One for each column of names: two tables side by side share a head line."""
    tabular = [line for line in body if len(cells_of(line.row)) > 1]
    columns = _retyped(columns, tabular)
    inner = [_edge(left, right, tabular) for left, right in pairwise(columns)]
    edges = (float("-inf"), *inner, float("inf"))
    columns = _with_results(columns)
    starts = [place for place, column in enumerate(columns) if column.kind == "name"]
    # What stands left of the names (a number, a code) belongs to them.
    cuts = [0, *(_start(columns, place) for place in starts[1:]), len(columns)]
    return [
        LabTable(system, edges[first : last + 1])
        for first, last in pairwise(cuts)
        if last > first
        for system in _systems(tuple(columns[first:last]))
    ]


def _with_results(columns: Sequence[LabColumn]) -> tuple[LabColumn, ...]:
    """A second column of names without one of values behind it is none."""
    names = [place for place, column in enumerate(columns) if column.kind == "name"]
    ends = [*names[1:], len(columns)]
    empty = {
        name
        for name, end in list(zip(names, ends, strict=True))[1:]
        if not any(column.kind == "value" for column in columns[name:end])
    }
    return tuple(column._replace(kind="") if place in empty else column for place, column in enumerate(columns))


def _systems(columns: tuple[LabColumn, ...]) -> Iterable[tuple[LabColumn, ...]]:
    """Results in two systems of units have columns of values, units and perhaps ranges for each: every one is read as
    if the others were not there."""
    kinds = [column.kind for column in columns]
    count = kinds.count("value")
    if count < 2 or count not in (kinds.count("unit"), kinds.count("range")):
        yield columns
        return
    for number in range(count):
        yield tuple(_only(columns, number))


def _only(columns: Sequence[LabColumn], number: int) -> Iterable[LabColumn]:
    """The columns, those of the other systems set aside."""
    seen: Counter[str] = Counter()
    for column in columns:
        is_other = column.kind in _PER_SYSTEM and seen[column.kind] != number
        yield column._replace(kind="previous") if is_other else column
        seen[column.kind] += 1


def _retyped(columns: Sequence[LabColumn], lines: Sequence[TaggedLine]) -> tuple[LabColumn, ...]:
    """What stands in a column tells more than its head: numbers are values, and where values are missing, a column of
    normal and abnormal ones has them."""
    inside = [_labels(column, columns, lines) for column in columns]
    kinds = [column.kind for column in columns]
    if not any(
        kind == "value" and _share(labels, "NUMBER", "LIMIT", "OUTCOME")
        for kind, labels in zip(kinds, inside, strict=True)
    ):
        # Left of the names stand numbers of lines.
        first = kinds.index("name") if "name" in kinds[:-1] else -1
        for place, labels in enumerate(inside):
            if place > first and kinds[place] in ("", "range", "flag", "other") and _share(labels, "NUMBER") > _MOST:
                kinds[place] = "value"
    if "unit" not in kinds:
        for place, labels in enumerate(inside):
            is_of_units = labels.count("UNIT") > _MOST * len(labels) and labels.count("UNIT") > _measured_units(
                kinds, inside
            )
            if kinds[place] in ("", "flag", "other") and is_of_units:
                kinds[place] = "unit"
    if "range" not in kinds:
        for place, labels in enumerate(inside):
            limits = ("RANGE", "LIMIT") if kinds[place] == "" else ("RANGE",)
            numbers = [label for label in labels if label != "OUTCOME"]
            if kinds[place] in ("value", "") and _share(numbers, *limits) > _MOST:
                kinds[place] = "range"
    return tuple(column._replace(kind=kind) for column, kind in zip(columns, kinds, strict=True))


def _measured_units(kinds: Sequence[str], inside: Sequence[Sequence[str]]) -> int:
    """How many units stand with values and ranges: what has as many beside them is the code of a laboratory."""
    return sum(labels.count("UNIT") for kind, labels in zip(kinds, inside, strict=True) if kind in ("value", "range"))


def _labels(column: LabColumn, columns: Sequence[LabColumn], lines: Sequence[TaggedLine]) -> list[str]:
    """The spans that stand nearer to this head than to the others."""
    return [
        span.label
        for line in lines
        for span in line.spans
        if min(columns, key=lambda other: abs(other.middle - line.tokens[span.first].middle)) is column
    ]


def _share(labels: Sequence[str], *wanted: str) -> float:
    measured = [label for label in labels if label in ("NUMBER", "LIMIT", "RANGE", "OUTCOME")]
    return sum(label in wanted for label in measured) / len(measured) if measured else 0.0


def _start(columns: Sequence[LabColumn], name: int) -> int:
    while (
        name > 1 and columns[name - 1].kind in ("code", "other") and columns[name - 2].kind in ("range", "unit", "flag")
    ):
        name -= 1
    return name


def _edge(left: LabColumn, right: LabColumn, lines: Sequence[TaggedLine]) -> float:
    """The middle of the widest gap between two heads that the fewest words cross."""
    start, end = left.middle, max(right.middle, left.middle + 2)
    spans = [(word.x0, word.x1) for line in lines for word in line.row.words if word.x1 > start and word.x0 < end]
    spans += [(left.x0, left.x1), (right.x0, right.x1)]
    spans += [
        (line.tokens[span.first].x0, line.tokens[span.last].x1)
        for line in lines
        for span in line.spans
        if span.label in ("RANGE", "LIMIT") and span.last > span.first
    ]
    steps = [start + _STEP * step for step in range(1, max(int((end - start) / _STEP), 2))]
    crossings = [sum(x0 < x < x1 for x0, x1 in spans) for x in steps]
    fewest = min(crossings)
    runs: list[list[float]] = [[]]
    for x, crossed in zip(steps, crossings, strict=True):
        if crossed == fewest:
            runs[-1].append(x)
        elif runs[-1]:
            runs.append([])
    best = max(runs, key=lambda run: (_suited(left, right, run, lines), len(run)) if run else (-1, 0))
    return (best[0] + best[-1]) / 2


def _suited(left: LabColumn, right: LabColumn, run: Sequence[float], lines: Sequence[TaggedLine]) -> int:
    """How many spans would stand in a column of their kind, were the edge here: a number beside its unit stays with
    the values, however far it is from their head."""
    if left.kind not in _SUITED or right.kind not in _SUITED:
        return 0
    edge = (run[0] + run[-1]) / 2
    between = [
        (span.label, line.tokens[span.first].middle)
        for line in lines
        for span in line.spans
        if left.middle < line.tokens[span.first].middle < right.middle
    ]
    return sum(label in _SUITED[(left if x < edge else right).kind] for label, x in between)


def cells_in(line: TaggedLine, table: LabTable) -> list[ColumnCell]:
    """By column, in the order of the table."""
    homes = [None if token.kind == "gap" else table.column_at(token.middle) for token in line.tokens]
    return [
        ColumnCell(
            column.kind,
            tuple(at for at, home in enumerate(homes) if home == place),
            tuple(_spans(line, homes, place)),
        )
        for place, column in enumerate(table.columns)
    ]


def _spans(line: TaggedLine, homes: Sequence[int | None], column: int) -> Iterable[TaggedSpan]:
    """A span across two columns is none; the numbers in it stand for themselves."""
    for span in line.spans:
        inside = [place for place in range(span.first, span.last + 1) if homes[place] == column]
        if len(inside) == span.last - span.first + 1 or (span.label == "UNIT" and homes[span.first] == column):
            yield span
        elif span.label != "DATE":
            for place in inside:
                if line.tokens[place].kind == "number":
                    yield TaggedSpan("NUMBER", place, place)


def is_under_range(line: TaggedLine, tables: Sequence[LabTable]) -> bool:
    """All that the line holds stands in a column of ranges."""
    for table in tables:
        cells = [cell for cell in cells_in(line, table) if cell.places]
        if cells and all(cell.kind == "range" for cell in cells):
            return True
    return False
