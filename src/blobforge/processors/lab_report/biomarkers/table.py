"""Finding the biomarker that a printed name stands for, or nothing where that cannot be told."""

from collections.abc import Iterable, Iterator
from functools import cache

from blobforge.processors.lab_report.biomarkers import names, units
from blobforge.processors.lab_report.biomarkers.rows import LANGUAGES, Biomarker, Row, Specimen, read_rows

Rows = frozenset[int]
_NONE: Rows = frozenset()


@cache
def table() -> "Table":
    return Table(read_rows())


class Table:
    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)
        self._by_name: dict[str, list[int]] = {}
        self._by_words: dict[str, list[int]] = {}
        self._told: dict[str, list[int]] = {}
        for number, row in enumerate(self._rows):
            self._index(number, row)

    def rows(self) -> tuple[Row, ...]:
        return self._rows

    def names(self) -> Iterator[tuple[str, Biomarker]]:
        """Every name and synonym, each with the usual biomarker of its row."""
        for row in self._rows:
            for name in dict.fromkeys(each for printed in row.names.values() for each in printed):
                yield name, row.biomarkers[0]

    def find(self, name: str, *, unit: str | None = None, specimen: Specimen | None = None) -> Biomarker | None:
        """The biomarker of this name, or None where there is none or more than one that fits.

        The unit tells apart what shares a name (neutrophils in % and per litre). The specimen is what the
        surroundings say of it, such as a heading "Urine"; a specimen in the name itself goes first.
        """
        reading = names.read(name)
        rows = self._named(reading, specimen) or self._agreed(name, reading.specimen or specimen)
        return self._resolved(rows, unit, reading.share)

    def _index(self, number: int, row: Row) -> None:
        for name in names.fold("\n".join(" | ".join(printed) for printed in row.names.values())).replace("\n", " | ").split(" | "):
            tokens = names.tokens_of(name)
            _add(self._by_name, "".join(tokens), number)
            if not names.is_ordered(name):
                _add(self._by_words, _words(tokens), number)
            if row.specimen != "blood":
                self._index_told(number, name)

    def _index_told(self, number: int, name: str) -> None:
        """ "Kreatinin im Urin" is also found as "U-Kreatinin": by its words, where the specimen is told."""
        reading = names.read(name)
        if reading.specimen is not None:
            _add(self._told, "".join(reading.attempts[1]), number)
            _add(self._told, _words(reading.attempts[1]), number)

    def _named(self, reading: names.Reading, around: Specimen | None) -> Rows:
        specimen = reading.specimen or around
        for attempt in reading.attempts:
            for tokens in dict.fromkeys((attempt, names.look_alike(attempt))):
                rows = self._looked_up(tokens, specimen, ordered=reading.ordered)
                if rows:
                    return rows
        return _NONE

    def _looked_up(self, tokens: tuple[str, ...], specimen: Specimen | None, *, ordered: bool) -> Rows:
        if not tokens:
            return _NONE
        joined = "".join(tokens)
        found = set(self._by_name.get(joined, ()))
        if not found and not ordered:
            found.update(self._by_words.get(_words(tokens), ()))
        if specimen is None:
            return frozenset(found)
        found.update(self._told.get(joined, ()))
        found.update(self._told.get(_words(tokens), ()))
        return frozenset(number for number in found if self._rows[number].specimen == specimen)

    def _agreed(self, name: str, specimen: Specimen | None) -> Rows:
        """What all parts of the name stand for: "Hemoglobin (HGB)". One that is not known spoils it."""
        parts = names.parts_of(name)
        agreed: Rows | None = None
        for part in parts:
            rows = self._part(part, specimen)
            if rows is not None:
                agreed = rows if agreed is None else agreed & rows
        return agreed or _NONE

    def _part(self, part: str, specimen: Specimen | None) -> Rows | None:
        """None where the part names nothing: a method, a specimen, a share."""
        reading = names.read(part)
        if not reading.attempts[-1] or (len(reading.attempts[0]) == 1 and reading.attempts[0][0] in _QUIET):
            return None
        rows = self._named(reading, specimen)
        pieces = names.pieces_of(part)
        if rows or len(pieces) < 2:
            return rows
        found = [each for each in (self._part(piece, specimen) for piece in pieces) if each is not None]
        return frozenset.intersection(*found) if found else None

    def _resolved(self, rows: Rows, unit: str | None, share: names.Share | None) -> Biomarker | None:
        fitting = [(number, each) for number in sorted(rows) for each in self._rows[number].biomarkers]
        if share is not None and len(rows) > 1:
            fitting = [(number, each) for number, each in fitting if _is_share(each) == (share == "percent")]
        meant = units.read(unit) if unit else frozenset()
        if meant:
            fitting = _of_unit(fitting, meant)
        if len({number for number, _ in fitting}) != 1:
            return None
        return fitting[0][1]


# A letter in a bracket that tells the specimen.
_QUIET = frozenset(names.LETTERS)


def _add(index: dict[str, list[int]], key: str, number: int) -> None:
    rows = index.setdefault(key, [])
    if number not in rows:
        rows.append(number)


def _words(tokens: Iterable[str]) -> str:
    """The words whatever their order; no name has the blank at its start."""
    return " " + " ".join(sorted(token for token in tokens if token not in names.LINKS))


def _is_share(biomarker: Biomarker) -> bool:
    return any(each.kind == "fraction" for unit in biomarker.units for each in units.read(unit))


def _of_unit(fitting: list[tuple[int, Biomarker]], meant: frozenset[units.Unit]) -> list[tuple[int, Biomarker]]:
    """Those given in exactly this unit, or else in one of its kind (mg/dL for g/L)."""
    kinds = {each.kind for each in meant}
    alike = []
    exact = []
    for number, biomarker in fitting:
        usual = {each for unit in biomarker.units for each in units.read(unit)}
        if usual & meant:
            exact.append((number, biomarker))
        elif not usual or any(each.kind in kinds for each in usual):
            alike.append((number, biomarker))
    return exact or alike
