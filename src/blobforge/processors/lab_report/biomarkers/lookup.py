"""Finding the biomarker that a printed name stands for, or nothing where that cannot be told."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from blobforge.processors.lab_report.biomarkers import folding, units, wording
from blobforge.processors.lab_report.biomarkers.rows import Biomarker, Row, Specimen, read_rows
from blobforge.processors.lab_report.biomarkers.vocabulary import LETTERS, LINKS, Share

Rows = frozenset[int]
Index = dict[str, list[int]]
Fitting = tuple[int, Biomarker]
_NONE: Rows = frozenset()

# In German pancreatic amylase, elsewhere amylase in plasma: no unit tells them apart.
AMBIGUOUS = frozenset(("pamylase", "pamilasa", "pamilasi"))


@cache
def table() -> "Table":
    return Table(read_rows())


class Table:
    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)
        self._folded = [_folded(row) for row in self._rows]
        self._by_name: Index = {}
        for number, names in enumerate(self._folded):
            for name in names:
                _add(self._by_name, folding.joined(name), number)

    @cached_property
    def _by_words(self) -> Index:
        index: Index = {}
        for number, names in enumerate(self._folded):
            for name in names:
                tokens = folding.tokens_of(name)
                if len(tokens) > 1 and not folding.is_ordered(name):
                    _add(index, _words(tokens), number)
        return index

    @cached_property
    def _told(self) -> Index:
        """ "Kreatinin im Urin" is also found as "U-Kreatinin": by the other words, where the specimen is told."""
        index: Index = {}
        for number, row in enumerate(self._rows):
            for name in self._folded[number] if row.specimen != "blood" else ():
                rest = wording.without(name, row.specimen)
                if rest is not None:
                    _add(index, "".join(rest), number)
                    _add(index, _words(rest), number)
        return index

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
        if folding.joined(folding.fold(name)) in AMBIGUOUS:
            return None
        reading = wording.read(name)
        rows, share = self._whole(reading, specimen), None
        if not rows:
            rows = self._stripped(reading, specimen) or self._agreed(name, reading.specimen or specimen)
            share = reading.share
        return self._resolved(rows, unit, share)

    def _whole(self, reading: wording.Reading, around: Specimen | None) -> Rows:
        """By all its words, among which the one for a specimen may be part of the name: white blood cells."""
        tokens = reading.attempts[0]
        # "S-Protein" is protein in serum; only "Protein S" is protein S.
        ordered = reading.ordered or not LETTERS.keys().isdisjoint(tokens[:1])
        return self._looked_up(tokens, around, ordered=ordered)

    def _stripped(self, reading: wording.Reading, around: Specimen | None) -> Rows:
        for attempt in reading.attempts[1:]:
            rows = self._looked_up(attempt, reading.specimen or around, ordered=reading.ordered)
            if rows:
                return rows
        return _NONE

    def _looked_up(self, tokens: tuple[str, ...], specimen: Specimen | None, *, ordered: bool) -> Rows:
        for spelled in dict.fromkeys((tokens, wording.look_alike(tokens))):
            found = set(self._by_name.get("".join(spelled), ()))
            words = _words(spelled)
            if not found and not ordered:
                found.update(self._by_words.get(words, ()))
            if specimen is not None:
                found.update(self._told.get("".join(spelled), ()), self._told.get(words, ()))
                found = {number for number in found if self._rows[number].specimen == specimen}
            if found:
                return frozenset(found)
        return _NONE

    def _agreed(self, name: str, specimen: Specimen | None) -> Rows:
        """What all parts of the name stand for: "Hemoglobin (HGB)". One that is not known spoils it."""
        agreed: Rows | None = None
        for part in wording.parts_of(name):
            rows = self._part(part, specimen)
            if rows is not None:
                agreed = rows if agreed is None else agreed & rows
        return agreed or _NONE

    def _part(self, part: str, specimen: Specimen | None) -> Rows | None:
        """None where the part names nothing: a method, a specimen, a share."""
        if wording.names_nothing(part):
            return None
        reading = wording.read(part)
        rows = self._whole(reading, specimen) or self._stripped(reading, specimen)
        pieces = wording.pieces_of(part)
        if rows or len(pieces) < 2:
            return rows
        found = [each for each in (self._part(piece, specimen) for piece in pieces) if each is not None]
        return frozenset.intersection(*found) if found else None

    def _resolved(self, rows: Rows, unit: str | None, share: Share | None) -> Biomarker | None:
        fitting = [(number, each) for number in sorted(rows) for each in self._rows[number].biomarkers]
        if share is not None:
            fitting = [(number, each) for number, each in fitting if _is_share(each) == (share == "percent")]
        meant = units.read(unit) if unit else frozenset()
        fitting = self._of_unit(fitting, meant) if meant else self._without_unit(fitting)
        if len({number for number, _ in fitting}) != 1:
            return None
        return fitting[0][1]

    def _of_unit(self, fitting: list[Fitting], meant: frozenset[units.Unit]) -> list[Fitting]:
        """Those given in exactly this unit, or else in one near it (mg/dL for g/L). What has no unit fits any, but for
        a field of a urine strip that shares its name with something in blood."""
        exact = []
        near = []
        is_plain = len({self._rows[number].specimen for number, _ in fitting}) == 1
        for number, biomarker in fitting:
            usual = {each for unit in biomarker.units for each in units.read(unit)}
            if usual & meant:
                exact.append((number, biomarker))
            elif any(_is_near(each, other) for each in usual for other in meant) or (is_plain and not usual):
                near.append((number, biomarker))
        return exact or near

    def _without_unit(self, fitting: list[Fitting]) -> list[Fitting]:
        """Within one specimen what has no unit is what is printed without one: the fields of a urine strip."""
        unitless = [(number, each) for number, each in fitting if not each.units]
        specimens = {self._rows[number].specimen for number, _ in fitting}
        return unitless if unitless and len(specimens) == 1 else fitting


def _folded(row: Row) -> list[str]:
    return folding.fold(" | ".join([name for names in row.names.values() for name in names])).split(" | ")


def _add(index: Index, key: str, number: int) -> None:
    rows = index.get(key)
    if rows is None:
        index[key] = [number]
    elif number not in rows:
        rows.append(number)


def _words(tokens: Iterable[str]) -> str:
    """The words whatever their order; no name has the blank at its start."""
    return " " + " ".join(sorted([token for token in tokens if token not in LINKS]))


def _is_share(biomarker: Biomarker) -> bool:
    return any(each.kind == "fraction" for unit in biomarker.units for each in units.read(unit))


def _is_near(one: units.Unit, other: units.Unit) -> bool:
    """A thousandth of the usual unit is what laboratories use for something else: free hormones, urine."""
    return one.kind == other.kind and abs(one.exponent - other.exponent) <= 2
