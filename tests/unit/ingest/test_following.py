"""What is new in a folder since the last look."""

import os
from pathlib import Path

import pytest
from tests.unit.ingest.ingest_harness import book

from blobforge.ingest.following import Follower
from blobforge.ingest.libraries import Libraries
from blobforge.ingest.repositories import Clones
from blobforge.ingest.scan import Unreadable

NOW = 2_000_000_000


class Watch:
    """A Follower of a folder, at a time of the test's choosing."""

    def __init__(self, folder: Path) -> None:
        self.now = NOW
        clones = Clones(folder / "no clones")
        libraries = Libraries([str(folder)], clones=clones, source=None, skip=Path("/nowhere"))
        self.follower = Follower(lambda: libraries.files(lambda: False), now_ns=lambda: self.now * 10**9)

    def look(self) -> list[str]:
        names = self.look_without_success()
        self.follower.done()
        return names

    def look_without_success(self) -> list[str]:
        found = (seen for _, seen in self.follower.news())
        return [Path(seen.path if isinstance(seen, Unreadable) else seen.stat.path).name for seen in found]


@pytest.fixture
def watch(docs: Path) -> Watch:
    return Watch(docs)


def test_a_file_is_news_once(watch: Watch, docs: Path) -> None:
    book(docs / "one.pdf", at=NOW - 60)

    assert (watch.look(), watch.look()) == (["one.pdf"], [])


def test_a_new_and_a_changed_file_are_news(watch: Watch, docs: Path) -> None:
    book(docs / "one.pdf", at=NOW - 60)
    book(docs / "two.pdf", at=NOW - 60)
    watch.look()

    book(docs / "one.pdf", "other", at=NOW - 10)
    book(docs / "three.pdf", at=NOW - 60)

    assert watch.look() == ["one.pdf", "three.pdf"]


def test_a_file_that_is_written_to_waits_until_it_is_quiet(watch: Watch, docs: Path) -> None:
    book(docs / "one.pdf", "a", at=NOW - 1)
    assert watch.look() == []
    book(docs / "one.pdf", "ab", at=NOW)
    watch.now += 1
    assert watch.look() == []

    watch.now += 1

    assert watch.look() == ["one.pdf"]


def test_a_file_from_the_future_is_taken_when_it_stays_as_it_is(watch: Watch, docs: Path) -> None:
    book(docs / "one.pdf", at=NOW + 3600)

    assert (watch.look(), watch.look(), watch.look()) == ([], ["one.pdf"], [])


def test_what_went_wrong_is_news_again(watch: Watch, docs: Path) -> None:
    book(docs / "one.pdf", at=NOW - 60)

    assert (watch.look_without_success(), watch.look(), watch.look()) == (["one.pdf"], ["one.pdf"], [])


def test_what_cannot_be_read_is_told_once(watch: Watch, docs: Path) -> None:
    (docs / "one.pdf").symlink_to("nowhere")

    assert (watch.look(), watch.look()) == (["one.pdf"], [])


def test_a_file_that_went_away_and_came_back_is_news(watch: Watch, docs: Path) -> None:
    path = book(docs / "one.pdf", at=NOW - 60)
    watch.look()
    path.rename(docs.parent / "away")
    watch.look()
    (docs.parent / "away").rename(path)
    os.utime(path, (NOW - 60, NOW - 60))

    assert watch.look() == ["one.pdf"]
