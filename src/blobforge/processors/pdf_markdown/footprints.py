"""What a child is at, left in the workspace: the one that comes after it then knows where it died."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from blobforge.ports.processor import Slice

OPENING = 0
"""Stands for a page where a child died before it came to one."""
_SURVEY = "at-survey-"
_PAGES = "at-pages-"


@contextmanager
def in_survey(workspace: Path) -> Iterator[Callable[[int], None]]:
    """Gives what is to be called with each page before it is looked at."""
    footprint = workspace / f"{_SURVEY}{len(survey_deaths(workspace))}"
    with footprint.open("wb", buffering=0) as trace:

        def visit(number: int) -> None:
            trace.write(b"%d\n" % number)

        yield visit
    footprint.unlink()


def survey_deaths(workspace: Path) -> list[int]:
    """The page over which each child died that looked at the whole document, or OPENING."""
    traces = [path.read_bytes().split() for path in sorted(workspace.glob(f"{_SURVEY}*"))]
    return [int(trace[-1]) if trace else OPENING for trace in traces]


@contextmanager
def at(workspace: Path, part: Slice) -> Iterator[None]:
    with _left(workspace / f"{_PAGES}{part.first}-{part.last}"):
        yield


def died_at(workspace: Path, part: Slice) -> bool:
    """Whether this page may have killed a child; a longer range is halved first, to find the page that does."""
    in_survey = survey_deaths(workspace)
    if OPENING in in_survey:
        return True
    if part.first < part.last:
        return False
    return part.first in in_survey or any(first <= part.first <= last for first, last in _deaths(workspace))


def _deaths(workspace: Path) -> Iterator[Slice]:
    for path in workspace.glob(f"{_PAGES}*"):
        first, _, last = path.name.removeprefix(_PAGES).partition("-")
        yield Slice(int(first), int(last))


@contextmanager
def _left(footprint: Path) -> Iterator[None]:
    """Gone when all went well: who came to a limit and could still tell of it fares no better than who died.

    That of one who died stays.
    """
    is_first = not footprint.exists()
    footprint.touch()
    yield
    if is_first:
        footprint.unlink()
