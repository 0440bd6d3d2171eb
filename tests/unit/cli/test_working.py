"""A worker whose queue or store is away when it starts."""

from pathlib import Path
from typing import cast

import pytest

from blobforge.cli import working
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.wiring import OpenedWorker

HERE = Settings(home=Path("/nowhere"))
AWAY = Settings(home=Path("/nowhere"), queue="postgresql://db.example.org/queue")


class Place:
    """Answers at the last of so many tries."""

    def __init__(self, tries: int, error: Exception) -> None:
        self.left = tries
        self.error = error
        self.opened = cast("OpenedWorker", object())

    def open(self) -> OpenedWorker:
        self.left -= 1
        if self.left:
            raise self.error
        return self.opened


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr("blobforge.cli.working.time.sleep", taken.append)
    return taken


def test_what_is_away_is_waited_for_and_told_once(naps: list[float], caplog: pytest.LogCaptureFixture) -> None:
    place = Place(12, StoreUnavailable("connection refused"))

    assert working.once_it_answers(place.open, AWAY) is place.opened

    assert (naps[0], max(naps), len(naps)) == (1.0, working.LONGEST_WAIT_SECONDS, 11)
    assert len([record for record in caplog.records if "does not answer" in record.getMessage()]) == 1


@pytest.mark.parametrize(
    ("settings", "error"),
    [(AWAY, InvalidSettings("refused")), (HERE, StoreUnavailable("queue.db cannot be opened"))],
    ids=["a wrong setting", "a file on this machine"],
)
def test_what_will_not_come_by_itself_is_not_waited_for(settings: Settings, error: Exception) -> None:
    with pytest.raises(type(error)):
        working.once_it_answers(Place(2, error).open, settings)
