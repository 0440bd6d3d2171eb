"""Tesseract as a child process: whether it is there, and its reading of one page."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from blobforge.domain.errors import OcrFailed, OcrUnavailable
from blobforge.processors.pdf_markdown.page_view import GreyImage

NAME = "tesseract"
SECONDS_A_PAGE = 120.0

_SECONDS_TO_ANSWER = 20.0
_VERSION = re.compile(r"tesseract v?(\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tesseract:
    program: str
    version: str
    languages: frozenset[str]


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


def can_read(tool: Tesseract | None, languages: Iterable[str]) -> bool:
    return tool is not None and tool.languages.issuperset(languages)


def require(tool: Tesseract | None, languages: Iterable[str]) -> Tesseract:
    """Raises OcrUnavailable."""
    if tool is None:
        raise OcrUnavailable(
            "this page has no text layer and tesseract is not installed here; install it "
            "(Debian: apt install tesseract-ocr, macOS: brew install tesseract) and convert again"
        )
    missing = [language for language in languages if language not in tool.languages]
    if missing:
        raise OcrUnavailable(
            f"this page has no text layer and tesseract has no data for {', '.join(missing)}; install it "
            f"(Debian: apt install tesseract-ocr-{missing[0]}) or choose other ocr_languages"
        )
    return tool


def recognise(
    tool: Tesseract,
    image: GreyImage,
    languages: Iterable[str],
    *,
    turned: bool = False,
    seconds: float = SECONDS_A_PAGE,
) -> str:
    """The words of a page as tesseract's TSV; `turned` looks for the page's orientation first. Raises OcrFailed."""
    segmentation = "1" if turned else "3"
    command = [tool.program, "stdin", "stdout", "-l", "+".join(languages)]
    command += ["--dpi", str(image.dpi), "--psm", segmentation, "tsv"]
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
