"""Tesseract as a child process: whether it is there, and its reading of one page."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_languages import USUAL, readable, usable
from blobforge.domain.errors import OcrFailed, OcrUnavailable
from blobforge.domain.needs import language_package

NAME = "tesseract"
SECONDS_A_PAGE = 120.0

_SECONDS_TO_ANSWER = 20.0
_VERSION = re.compile(r"tesseract v?(\S+)")
_ROTATE = re.compile(r"^Rotate: (90|180|270)$", re.MULTILINE)
_SCRIPT = re.compile(r"^Script: (\w+)$", re.MULTILINE)
PAGE, SPARSE = 3, 11
"""Ways of segmentation: a page of columns and paragraphs; words here and there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tesseract:
    program: str
    version: str
    languages: frozenset[str]


class Orientation(NamedTuple):
    """By how many degrees a page must be turned with the clock to stand upright; and its script, where known."""

    turn: int
    script: str


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


def can_read(tool: Tesseract | None, languages: Sequence[str]) -> bool:
    """With no languages: any that is there."""
    return tool is not None and bool(
        usable(tuple(languages), tool.languages) if languages else readable(tool.languages)
    )


def require(tool: Tesseract | None, languages: Sequence[str]) -> Tesseract:
    """Raises OcrUnavailable where it can read none of these, nor one like them; with no languages: none at all."""
    if tool is None:
        raise OcrUnavailable(
            "this page has to be read from its picture, and tesseract is not installed here; install it "
            "(Debian: apt install tesseract-ocr, macOS: brew install tesseract) and convert again"
        )
    if not can_read(tool, languages):
        wanted = languages or (USUAL,)
        raise OcrUnavailable(
            f"this page has to be read from its picture, and {advice(', '.join(wanted), language_package(wanted[0]))} "
            f"or choose other ocr_languages; here are {', '.join(readable(tool.languages)) or 'none'}"
        )
    return tool


def advice(missing: str, needed: str) -> str:
    return f"tesseract has no data for {missing}; install it (Debian: apt install {needed})"


def recognise(
    tool: Tesseract,
    image: GreyImage,
    languages: Iterable[str],
    *,
    segmentation: int = PAGE,
    seconds: float = SECONDS_A_PAGE,
) -> str:
    """The words of a page as tesseract's TSV. Raises OcrFailed."""
    return _run(tool, image, ["-l", "+".join(languages)], ["--psm", str(segmentation), "tsv"], seconds)


def orientation(tool: Tesseract, image: GreyImage, *, seconds: float = SECONDS_A_PAGE) -> Orientation:
    """How a page lies and in what script it is, as far as its letters tell. Raises OcrFailed."""
    answer = _run(tool, image, [], ["--psm", "0"], seconds)
    turn, script = _ROTATE.search(answer), _SCRIPT.search(answer)
    return Orientation(int(turn[1]) if turn else 0, script[1] if script else "")


def _run(tool: Tesseract, image: GreyImage, before: list[str], after: list[str], seconds: float) -> str:
    command = [tool.program, "stdin", "stdout", *before, "--dpi", str(image.dpi), *after]
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
