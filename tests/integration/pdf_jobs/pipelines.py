"""spaCy pipelines that are installed in a folder and do, when a worker's child loads them, what a test wants."""

import os
from contextlib import suppress
from pathlib import Path

NAME = "xx_staged"
_BROKEN = 'raise ValueError("Mustermann, 12.03.1974: 13.5 g/dl")'
_LOAD = """
import sys

def load(**overrides):
    if "child_main" in sys.argv[0]:
        return staged()
    import spacy
    return spacy.blank("xx")

def staged():
    {body}
"""
_GATED = """
    import pathlib
    here = pathlib.Path(__file__).parent
    if not (here / "open").exists():
        (here / "gate").read_bytes()
    import spacy
    return spacy.blank("xx")
"""


class StagedPipeline:
    """`variables` make a worker use it."""

    def __init__(self, folder: Path, body: str) -> None:
        self._package = folder / NAME
        self._package.mkdir(parents=True)
        (self._package / "__init__.py").write_text(_LOAD.format(body=body.strip()))
        (folder / f"{NAME}-1.0.dist-info").mkdir()
        (folder / f"{NAME}-1.0.dist-info" / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n"
        )
        self.variables = {"PYTHONPATH": str(folder), "SPACY_MODEL_NAME": NAME}
        os.mkfifo(self._package / "gate")
        self._gate: int | None = None

    def is_waiting(self) -> bool:
        """A pipe opens for writing once someone is there to read: a child in a sandbox has no other way to tell."""
        if self._gate is None:
            with suppress(OSError):
                self._gate = os.open(self._package / "gate", os.O_WRONLY | os.O_NONBLOCK)
        return self._gate is not None

    def let_go(self) -> None:
        (self._package / "open").touch()
        if self._gate is not None:
            os.close(self._gate)
            self._gate = None


def broken_pipeline(folder: Path) -> StagedPipeline:
    """Fails with an error that quotes the document, as a library may."""
    return StagedPipeline(folder, _BROKEN)


def gated_pipeline(folder: Path) -> StagedPipeline:
    """Stands still in the middle of a job until it is let go."""
    return StagedPipeline(folder, _GATED)
