"""Finding the biomarker that a printed name stands for, or nothing where that cannot be told."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from blobforge.processors.lab_report.biomarkers import dimensions, folding, tidying, wording
from blobforge.processors.lab_report.biomarkers.name_words import LETTERS, LINKS, RATIOS, Share
from blobforge.processors.lab_report.biomarkers.panel_files import Biomarker, BiomarkerRow, read_rows
from blobforge.processors.lab_report.vocabulary.specimens import Specimen

Rows = frozenset[int]
Index = dict[str, list[int]]
Fitting = tuple[int, Biomarker]
_NONE: Rows = frozenset()

# In German pancreatic amylase, elsewhere amylase in plasma: no unit tells them apart. And "UA blood" is blood in the
# urinalysis, or uric acid in blood.
AMBIGUOUS = frozenset(("pamylase", "pamilasa", "pamilasi", "uablood"))
# In English measles, in Spanish (with the accent, which capitals lose) rubella.
FALSE_FRIENDS = frozenset(("rubeola",))


@cache
def table() -> "BiomarkerTable":
    return BiomarkerTable(read_rows())


class BiomarkerTable:
    def __init__(self, rows: Iterable[BiomarkerRow]) -> None:
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
                tokens = [token for token in folding.tokens_of(name) if token not in LINKS]
                if len(tokens) > 1 and not folding.is_ordered(name):
                    _add(index, _words(tokens), number)
                    _add(index, _words(wording.of_infection(tokens)), number)
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

    @cached_property
    def _ratios(self) -> Index:
        """The rows whose names say that they are ratios, by what is divided by what."""
        index: Index = {}
        for number, names in enumerate(self._folded):
            cut = [folding.tokens_of(name) for name in names if folding.is_ordered(name)]
            if not RATIOS.isdisjoint(token for tokens in cut for token in tokens):
                for tokens in cut:
                    _add(index, wording.without_ratio(tokens), number)
        return index

    @cached_property
    def _by_beginnings(self) -> dict[tuple[str, ...], list[tuple[tuple[str, ...], int]]]:
        index: dict[tuple[str, ...], list[tuple[tuple[str, ...], int]]] = {}
        for number, names in enumerate(self._folded):
            for name in names:
                words, _ = wording.shortened(name)
                if len(words) > 1 and not folding.is_ordered(name):
                    index.setdefault(_beginnings(words), []).append((words, number))
        return index

    def rows(self) -> tuple[BiomarkerRow, ...]:
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
        meant = dimensions.read(unit) if unit else frozenset()
        if tidying.is_of_a_day(meant):
            specimen = "urine"
        for spelled in dict.fromkeys((name, tidying.tidied(name, meant))):
            found = self._found(spelled, meant, specimen)
            if found is not None:
                return found
        return None

    def _found(
        self, name: str, meant: frozenset[dimensions.UnitDimension], around: Specimen | None
    ) -> Biomarker | None:
        if folding.joined(folding.fold(name)) in AMBIGUOUS:
            return None
        if not FALSE_FRIENDS.isdisjoint(folding.tokens_of(name.casefold())):
            return None
        parsed = wording.read(name)
        rows, share = self._meant(name, parsed, around)
        if not rows and around == "blood" and parsed.specimen is None:
            # Most headings are of blood and last too long: what blood does not have is not lost under them.
            rows, share = self._meant(name, parsed, None)
        return self._resolved(rows, meant, share)

    def _meant(self, name: str, parsed: wording.ParsedName, around: Specimen | None) -> tuple[Rows, Share | None]:
        rows = self._whole(parsed, around)
        if rows:
            return rows, None
        specimen = parsed.specimen or around
        rows = self._stripped(parsed, around) or self._ratio(parsed, specimen)
        return rows or self._agreed(name, specimen) or self._completed(name, specimen), parsed.share

    def _whole(self, parsed: wording.ParsedName, around: Specimen | None) -> Rows:
        """By all its words, among which the one for a specimen may be part of the name: white blood cells."""
        tokens = parsed.attempts[0]
        # "S-Protein" is protein in serum; only "Protein S" is protein S.
        ordered = parsed.ordered or not LETTERS.keys().isdisjoint(tokens[:1])
        return self._looked_up(tokens, around, ordered=ordered)

    def _stripped(self, parsed: wording.ParsedName, around: Specimen | None) -> Rows:
        for attempt in parsed.attempts[1:]:
            rows = self._looked_up(attempt, parsed.specimen or around, ordered=parsed.ordered)
            if rows:
                return rows
        return _NONE

    def _ratio(self, parsed: wording.ParsedName, specimen: Specimen | None) -> Rows:
        for attempt in parsed.attempts if parsed.ordered else ():
            rows = self._in(self._ratios.get(wording.without_ratio(attempt), ()), specimen)
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
        rows = self._named(part, specimen)
        if rows:
            return rows
        pieces = wording.pieces_of(part)
        if len(pieces) < 2:
            return self._beside(part, specimen) or self._completed(part, specimen)
        found = [each for each in (self._part(piece, specimen) for piece in pieces) if each is not None]
        return frozenset.intersection(*found) if found else None

    def _named(self, name: str, specimen: Specimen | None) -> Rows:
        parsed = wording.read(name)
        return self._whole(parsed, specimen) or self._stripped(parsed, specimen)

    def _beside(self, part: str, specimen: Specimen | None) -> Rows:
        """What two or three names stand for that are printed one after the other: "WBC Leucociti"."""
        known: dict[str, Rows] = {}
        for names in wording.divided(part):
            agreed: Rows | None = None
            for name in names:
                if name not in known:
                    known[name] = self._named(name, specimen)
                agreed = known[name] if agreed is None else agreed & known[name]
                if not agreed:
                    break
            if agreed:
                return agreed
        return _NONE

    def _completed(self, name: str, specimen: Specimen | None) -> Rows:
        """The rows of the names that begin as the printed words do, where all such names mean the same."""
        words, abbreviated = wording.shortened(name)
        if not abbreviated:
            return _NONE
        whole: dict[tuple[str, ...], set[int]] = {}
        for candidate, number in self._by_beginnings.get(_beginnings(words), ()):
            if all(_completes(full, word, abbreviated) for full, word in zip(candidate, words, strict=True)):
                whole.setdefault(candidate, set()).add(number)
        meanings = {self._in(numbers, specimen) for numbers in whole.values()}
        return meanings.pop() if len(meanings) == 1 else _NONE

    def _in(self, numbers: Iterable[int], specimen: Specimen | None) -> Rows:
        return frozenset(number for number in numbers if specimen is None or self._rows[number].specimen == specimen)

    def _resolved(
        self, rows: Rows, meant: frozenset[dimensions.UnitDimension], share: Share | None
    ) -> Biomarker | None:
        fitting = [(number, each) for number in sorted(rows) for each in self._rows[number].biomarkers]
        if share is not None:
            fitting = [(number, each) for number, each in fitting if _is_share(each) == (share == "percent")]
        fitting = self._of_unit(fitting, meant) if meant else self._without_unit(fitting)
        if len({number for number, _ in fitting}) != 1:
            return None
        return fitting[0][1]

    def _of_unit(self, fitting: list[Fitting], meant: frozenset[dimensions.UnitDimension]) -> list[Fitting]:
        """Those given in exactly this unit, or else in one near it (mg/dL for g/L), or else what has no unit: that fits
        any, but for a field of a urine strip that shares its name with something in blood."""
        exact, near, unitless = [], [], []
        is_plain = len({self._rows[number].specimen for number, _ in fitting}) == 1
        for number, biomarker in fitting:
            usual = {each for unit in biomarker.units for each in dimensions.read(unit)}
            if usual & meant:
                exact.append((number, biomarker))
            elif any(_is_near(each, other) for each in usual for other in meant):
                near.append((number, biomarker))
            elif is_plain and not usual:
                unitless.append((number, biomarker))
        return exact or near or unitless

    def _without_unit(self, fitting: list[Fitting]) -> list[Fitting]:
        """Within one specimen what has no unit is what is printed without one: the fields of a urine strip."""
        unitless = [(number, each) for number, each in fitting if not each.units]
        specimens = {self._rows[number].specimen for number, _ in fitting}
        return unitless if unitless and len(specimens) == 1 else fitting


def _folded(row: BiomarkerRow) -> list[str]:
    names = [name for names in row.names.values() for name in names]
    daily = frozenset(each for unit in row.biomarkers[0].units for each in dimensions.read(unit))
    if tidying.is_of_a_day(daily):
        names += [tidying.tidied(name, daily) for name in names]
    return folding.fold(" | ".join(names)).split(" | ")


def _beginnings(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word[:2] for word in words)


def _completes(full: str, word: str, abbreviated: frozenset[str]) -> bool:
    return full == word or (word in abbreviated and full.startswith(word))


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
    return any(each.kind == "fraction" for unit in biomarker.units for each in dimensions.read(unit))


def _is_near(one: dimensions.UnitDimension, other: dimensions.UnitDimension) -> bool:
    """A thousandth of the usual unit is what laboratories use for something else: free hormones, urine."""
    return one.kind == other.kind and abs(one.exponent - other.exponent) <= 2
