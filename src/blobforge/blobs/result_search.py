"""Finds the result of a document and a recipe in a bucket: published in one of the lanes, or replaced and kept."""

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from blobforge.domain.recipe import UNRECORDED
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import ObjectFacts, ObjectStore
from blobforge.objectstore.key_layout import GENERATION, LANE_LIST, MAIN_LANE, RECIPE, RECIPES, listed_lane, out_name

RESULTS = "outputs/"
_Lane = tuple[str, str]


class ResultName(NamedTuple):
    """The document and the recipe in the key of a result."""

    source_hash: str
    recipe: str

    @property
    def kept(self) -> str:
        return f"{RECIPES}{self.source_hash}-{self.recipe}.zip"


def result_named(key: str) -> ResultName | None:
    """None for the key of something else."""
    if not key.startswith(RESULTS) or not key.endswith(".zip"):
        return None
    source_hash, dash, recipe = key.rpartition("/")[2].removesuffix(".zip").partition("-")
    return ResultName(source_hash, recipe) if dash and recipe else None


class ResultSearch:
    """A result is identified by its document and its recipe alone, whichever lane published it. Threads may share
    it."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._lanes: tuple[_Lane, ...] = (MAIN_LANE,)

    def find(self, wanted: ResultName) -> ObjectFacts | None:
        """The published one in any lane, else the kept one; None when there is none."""
        return next(self._places(wanted), None)

    def fetch(self, wanted: ResultName, target: BinaryIO) -> bool:
        """Writes it from the beginning of the target; False when there is none."""
        for place in self._places(wanted):
            try:
                metadata = self._objects.fetch(place.name, target)
            except Absent:
                continue
            # It may have been replaced meanwhile.
            if place.name == wanted.kept or _is_of(metadata, wanted):
                return True
        return False

    def _places(self, wanted: ResultName) -> Iterator[ObjectFacts]:
        """One request each. The list of lanes is read last: few lanes are ever opened."""
        known = self._lanes
        yield from self._published(known, wanted)
        if (kept := self._objects.head(wanted.kept)) is not None:
            yield kept
        yield from self._published([lane for lane in self._listed() if lane not in known], wanted)

    def _published(self, lanes: Sequence[_Lane], wanted: ResultName) -> Iterator[ObjectFacts]:
        for lane in lanes:
            facts = self._objects.head(out_name(*lane, wanted.source_hash))
            if facts is not None and _is_of(facts.metadata, wanted):
                yield facts

    def _listed(self) -> tuple[_Lane, ...]:
        found = (listed_lane(facts.name) for facts in self._objects.all(LANE_LIST))
        self._lanes = (MAIN_LANE, *(lane for lane in found if lane is not None and lane != MAIN_LANE))
        return self._lanes


def _is_of(metadata: Mapping[str, str], wanted: ResultName) -> bool:
    """A result without a recipe is another program's, unless the queue wrote it."""
    recipe = metadata.get(RECIPE)
    return recipe == wanted.recipe or (recipe is None and (wanted.recipe == UNRECORDED or GENERATION in metadata))
