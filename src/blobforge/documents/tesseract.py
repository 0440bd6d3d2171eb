"""Tesseract as a child process: whether it is there, and its reading of one page."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_program import SECONDS_A_PAGE, OcrWord, Orientation, Segmentation
from blobforge.domain.errors import OcrFailed

NAME = "tesseract"

_SECONDS_TO_ANSWER = 20.0
_VERSION = re.compile(r"tesseract v?(\S+)")
_ROTATE = re.compile(r"^Rotate: (90|180|270)$", re.MULTILINE)
_SCRIPT = re.compile(r"^Script: (\w+)$", re.MULTILINE)
_SEGMENTATION = {Segmentation.PAGE: "3", Segmentation.SPARSE: "11", Segmentation.BLOCK: "6"}
_WORD = "5"
"""The level of a row of its table: pages, blocks, paragraphs and lines have rows, too."""
_FIELDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Tesseract:
    program: str
    version: str
    languages: frozenset[str]

    @property
    def name(self) -> str:
        return NAME

    def words(
        self,
        image: GreyImage,
        languages: Iterable[str],
        *,
        segmentation: Segmentation = Segmentation.PAGE,
        seconds: float = SECONDS_A_PAGE,
    ) -> list[OcrWord]:
        """Raises OcrFailed."""
        asked = ["--psm", _SEGMENTATION[segmentation], "tsv"]
        return list(words_in(_run(self.program, image, ["-l", "+".join(languages)], asked, seconds)))

    def orientation(self, image: GreyImage, *, seconds: float = SECONDS_A_PAGE) -> Orientation:
        """Raises OcrFailed."""
        answer = _run(self.program, image, [], ["--psm", "0"], seconds)
        turn, script = _ROTATE.search(answer), _SCRIPT.search(answer)
        return Orientation(int(turn[1]) if turn else 0, script[1] if script else "")


def find_tesseract() -> Tesseract | None:
    """What is installed, or None."""
    program = shutil.which(NAME)
    if program is None:
        return None
    version = _VERSION.search(_ask(program, "--version"))
    languages = _ask(program, "--list-langs").splitlines()[1:]
    return Tesseract(
        program=program,
        version=version[1] if version else "unknown",
        languages=frozenset(language.strip() for language in languages),
    )


def words_in(tsv: str) -> Iterator[OcrWord]:
    """The words of its table; damaged rows are passed over."""
    for row in tsv.splitlines():
        cells = row.split("\t")
        if len(cells) == _FIELDS and cells[0] == _WORD:
            left, top, width, height = map(int, cells[6:10])
            block, paragraph, line = cells[2:5]
            yield OcrWord(cells[11].strip(), left, top, width, height, float(cells[10]), (block, paragraph, line))


def _run(program: str, image: GreyImage, before: list[str], after: list[str], seconds: float) -> str:
    command = [program, "stdin", "stdout", *before, "--dpi", str(image.dpi), *after]
    try:
        done = subprocess.run(
            command, input=image.content, capture_output=True, timeout=seconds, check=True, env=_environment()
        )
    except subprocess.TimeoutExpired as error:
        raise OcrFailed(f"tesseract did not finish this page within {seconds:g} s") from error
    except subprocess.CalledProcessError as error:
        raise OcrFailed(f"tesseract failed on this page: {_last_line(error.stderr)}") from error
    return done.stdout.decode("utf-8", "replace")


def _ask(program: str, question: str) -> str:
    """Its answer on either stream; nothing when it cannot even answer."""
    try:
        done = subprocess.run(
            [program, question],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS_TO_ANSWER,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    # Its threads wait for each other more than they work, and the worker already fills the cores with slices.
    return {**os.environ, "OMP_THREAD_LIMIT": "1"}


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
