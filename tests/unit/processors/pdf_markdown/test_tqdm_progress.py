"""Progress bars of the real tqdm, turned into progress of ours."""

import sys
from types import ModuleType

import pytest
from tqdm import tqdm
from tqdm.auto import tqdm as tqdm_of_notebooks

from blobforge.ports.processor import Progress
from blobforge.processors.pdf_markdown.engines.tqdm_progress import progress_of_tqdm


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def heard() -> list[Progress]:
    return []


def test_a_bar_reports_its_stage_and_its_numbers(clock: Clock, heard: list[Progress]) -> None:
    """R2-31."""
    with progress_of_tqdm(heard.append, clock=clock), tqdm(total=8, desc="Recognizing Text", mininterval=0) as bar:
        clock.now += 5
        bar.update(3)

    assert heard == [Progress("Recognizing Text", 0, 8), Progress("Recognizing Text", 3, 8)]


def test_it_reports_at_most_once_in_two_seconds(clock: Clock, heard: list[Progress]) -> None:
    """R2-32."""
    with progress_of_tqdm(heard.append, clock=clock):
        for _ in tqdm(range(100), desc="Layout", mininterval=0):
            clock.now += 0.5

    assert len(heard) == 26
    assert [progress.current for progress in heard] == sorted({progress.current for progress in heard})


def test_a_loop_over_a_bar_is_heard_as_well(clock: Clock, heard: list[Progress]) -> None:
    with progress_of_tqdm(heard.append, clock=clock):
        for _ in tqdm_of_notebooks(range(3), mininterval=0):
            clock.now += 2

    assert heard[-1] == Progress("converting", 3, 3)


def test_nothing_is_drawn_inside(clock: Clock, heard: list[Progress], capsys: pytest.CaptureFixture[str]) -> None:
    with progress_of_tqdm(heard.append, clock=clock):
        list(tqdm(range(3), desc="Layout", mininterval=0))

    assert "Layout" not in capsys.readouterr().err


def test_a_bar_without_a_total_is_not_reported(clock: Clock, heard: list[Progress]) -> None:
    with progress_of_tqdm(heard.append, clock=clock), tqdm(mininterval=0) as bar:
        bar.update()

    assert heard == []


def test_a_bar_that_is_turned_off_stays_silent(clock: Clock, heard: list[Progress]) -> None:
    with progress_of_tqdm(heard.append, clock=clock):
        list(tqdm(range(3), disable=True))

    assert heard == []


def test_afterwards_bars_draw_again(clock: Clock, heard: list[Progress], capsys: pytest.CaptureFixture[str]) -> None:
    with progress_of_tqdm(heard.append, clock=clock):
        pass

    list(tqdm(range(3), desc="Layout", mininterval=0))

    assert heard == []
    assert "Layout" in capsys.readouterr().err


def test_it_is_undone_after_an_error_too(clock: Clock, heard: list[Progress]) -> None:
    before = tqdm.display

    with pytest.raises(ZeroDivisionError), progress_of_tqdm(heard.append, clock=clock):
        raise ZeroDivisionError

    assert tqdm.display is before


def test_without_tqdm_there_is_simply_no_progress(heard: list[Progress], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.std", ModuleType("an empty module"))

    with progress_of_tqdm(heard.append):
        pass

    assert heard == []
