"""What is not as it should be in results that are there, told to people."""

from collections.abc import Iterable

from blobforge.cli import output
from blobforge.cli.progress import counted

MOST_SHOWN = 20
"""So many documents are named one by one; `--json` names them all."""


def warn_of_flaws(told: Iterable[tuple[str, str]]) -> None:
    """A path each, with what is missing or doubtful in its result; empty where nothing is."""
    flawed = [(path, flaw) for path, flaw in told if flaw]
    for path, flaw in flawed[:MOST_SHOWN]:
        output.warn(f"{path}: {flaw}")
    if len(flawed) > MOST_SHOWN:
        output.warn(f"… and {counted(len(flawed) - MOST_SHOWN, 'more document')}; --json names them all")
