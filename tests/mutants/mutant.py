"""A mutant: one small change of one source file that makes the queue wrong."""

from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[2] / "src"


class Mutant(NamedTuple):
    name: str
    file: str
    """Below src/blobforge."""
    old: str
    new: str
    tests: tuple[str, ...]
    """Where it should be caught, the nearest first."""

    @property
    def module(self) -> str:
        return "blobforge." + self.file.removesuffix(".py").replace("/", ".")

    def place(self, source: Path) -> Path:
        return source / "blobforge" / self.file

    def applied(self, text: str) -> str:
        """The text with the bug in it. Raises ValueError when the source has moved on."""
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"{self.name}: its text is {found} times in {self.file}, not once; plant it anew")
        return text.replace(self.old, self.new)
