"""What a manifest was told already is kept back."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from blobforge.catalog.recent_sightings import MANY, TRUSTED_SECONDS, RecentSightings
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.manifest import Sighting
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START


class Book:
    def __init__(self) -> None:
        self.heard: list[int] = []
        self.is_away = False

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        return False

    def record(self, sightings: Sequence[Sighting]) -> None:
        self.heard.append(len(sightings))

    def flush(self) -> None:
        if self.is_away:
            raise StoreUnavailable("the manifest is away")

    def finish(self) -> None:
        self.flush()


class Told:
    """Each `tell` is a run of its own."""

    def __init__(self, folder: Path) -> None:
        self.book = Book()
        self.now = 1_000_000.0
        self._file = folder / "told.json"

    def tell(self, sightings: Sequence[Sighting], *, address: str = "here") -> None:
        told = RecentSightings(self.book, self._file, address=address, clock=lambda: self.now)
        told.record(sightings)
        told.flush()
        told.finish()


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def library(*, size: int = MANY, tags: tuple[str, ...] = (), source: str = "books") -> list[Sighting]:
    return [Sighting(hash_of(str(number)), f"{number}.pdf", 7, tags, source, START) for number in range(size)]


def test_a_library_that_was_told_is_not_told_again(told: Told) -> None:
    told.tell(library())
    told.tell(library())

    assert told.book.heard == [MANY]


@pytest.mark.parametrize(
    "other",
    [library(tags=("new",)), library(source="others"), library(size=MANY + 1), list(reversed(library()))],
    ids=["another tag", "another source", "one more", "another order"],
)
def test_whatever_is_new_is_told(told: Told, other: list[Sighting]) -> None:
    told.tell(library())
    told.tell(other)

    assert len(told.book.heard) == 2


def test_another_manifest_is_told(told: Told) -> None:
    told.tell(library())
    told.tell(library(), address="there")

    assert len(told.book.heard) == 2


def test_after_a_day_all_is_told_once_more(told: Told) -> None:
    told.tell(library())
    told.now += TRUSTED_SECONDS
    told.tell(library())

    assert len(told.book.heard) == 2


def test_a_clock_that_is_set_back_keeps_nothing_back(told: Told) -> None:
    told.tell(library())
    told.now -= 1
    told.tell(library())

    assert len(told.book.heard) == 2


def test_what_was_not_written_is_told_again(told: Told) -> None:
    told.book.is_away = True
    with pytest.raises(StoreUnavailable):
        told.tell(library())
    told.book.is_away = False
    told.tell(library())

    assert len(told.book.heard) == 2


def test_few_sightings_are_always_told(told: Told) -> None:
    told.tell(library(size=3))
    told.tell(library(size=3))

    assert told.book.heard == [3, 3]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": "x"}', "\x00"])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "told.json").write_text(text)
    told = Told(tmp_path)

    told.tell(library())
    told.tell(library())

    assert told.book.heard == [MANY]


def test_a_place_that_cannot_be_written_to_is_no_trouble(tmp_path: Path) -> None:
    told = Told(tmp_path / "nowhere")

    told.tell(library())
    told.tell(library())

    assert len(told.book.heard) == 2
