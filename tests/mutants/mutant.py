"""A mutant: one small change of one function that makes the queue wrong."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.mutants.planting import DoesNotFit, planted

SOURCE = Path(__file__).parents[2] / "src"


class Mutant(NamedTuple):
    name: str
    file: str
    """Below src/blobforge."""
    old: str
    """An expression, or statements: a pattern (pattern.py) that is found once there, by its structure."""
    new: str
    tests: tuple[str, ...]
    """Where it should be caught, the nearest first."""
    within: str = ""
    """The qualified name of a function or class; empty for the module's own level."""

    @property
    def module(self) -> str:
        return "blobforge." + self.file.removesuffix(".py").replace("/", ".")

    def path(self, source: Path) -> Path:
        return source / "blobforge" / self.file

    def applied(self, text: str) -> str:
        """The text with the bug in it. Raises DoesNotFit when the source has moved on."""
        try:
            return planted(text, within=self.within, old=self.old, new=self.new)
        except DoesNotFit as error:
            raise DoesNotFit(f"{self.name}: {self.file}: {error}") from error


def misfits(mutants: Iterable[Mutant]) -> list[str]:
    """What is wrong with those that do not fit the source as it is, one sentence each."""
    found: list[str] = []
    for mutant in mutants:
        try:
            mutant.applied(mutant.path(SOURCE).read_text())
        except (DoesNotFit, OSError) as error:
            found.append(str(error))
    return found
