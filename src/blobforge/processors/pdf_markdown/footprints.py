"""What a child is at, left in the workspace: the one that comes after it then knows where it died."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blobforge.ports.processor import Slice

_SURVEY = "at-survey"
_PAGES = "at-pages-"


@contextmanager
def in_survey(workspace: Path) -> Iterator[None]:
    with _left(workspace / _SURVEY):
        yield


def died_in_survey(workspace: Path) -> bool:
    return (workspace / _SURVEY).exists()


@contextmanager
def at(workspace: Path, part: Slice) -> Iterator[None]:
    with _left(workspace / f"{_PAGES}{part.first}-{part.last}"):
        yield


def died_at(workspace: Path, part: Slice) -> bool:
    """Whether this page may have killed a child; a longer range is halved first, to find the page that does."""
    if part.first < part.last:
        return False
    return died_in_survey(workspace) or any(first <= part.first <= last for first, last in _deaths(workspace))


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
