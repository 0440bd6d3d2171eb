"""Logging as people read it on a terminal: the time of day, a sentence, and lines that are broken between words."""

import os
import shutil
import textwrap
from collections.abc import Mapping
from datetime import datetime
from typing import IO, TYPE_CHECKING

from blobforge.telemetry.safe_text import MASK, is_secret_name

if TYPE_CHECKING:
    # Most commands log nothing and do without it.
    from structlog.typing import EventDict, WrappedLogger

INDENT = " " * len("HH:MM:SS ")
_OWN = frozenset({"event", "level", "logger", "timestamp", "exc_info", "exception", "stack_info"})
_COLOURS = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}


class ScreenLines:
    """The last of the processors of a log: where a line came from is for the log of machines."""

    def __init__(self, stream: IO[str], *, colours: bool) -> None:
        self._stream = stream
        self._colours = colours

    def __call__(self, _logger: "WrappedLogger", _method: str, event: "EventDict") -> str:
        level = str(event.get("level", "info"))
        label = f"{level}: " if level in _COLOURS else ""
        lines = wrapped(f"{_time_of_day(event)} {label}{sentence(event)}", width_of(self._stream), indent=INDENT)
        if self._colours and label:
            lines = lines.replace(label.rstrip(), f"{_COLOURS[level]}{label.rstrip()}\x1b[0m", 1)
        exception = event.get("exception")
        return f"{lines}\n{exception}" if exception else lines


def sentence(event: Mapping[str, object]) -> str:
    """`the queue does not answer; waiting: connection refused (seconds=12)`."""
    facts = {name: value for name, value in event.items() if name not in _OWN and not name.startswith("_")}
    error = facts.pop("error", None)
    told = ", ".join(f"{name}={MASK if is_secret_name(name) else value}" for name, value in facts.items())
    return f"{event.get('event', '')}{f': {error}' if error else ''}{f' ({told})' if told else ''}"


def wrapped(text: str, width: int, *, indent: str = "") -> str:
    """Broken between words; a word that is longer than a line stays whole, so that it can be copied."""
    return "\n".join(
        textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    )


def width_of(stream: IO[str]) -> int:
    """Of the stream's own terminal: another one of the program may be a pipe."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or shutil.get_terminal_size().columns
    except (OSError, ValueError):
        return shutil.get_terminal_size().columns


def _time_of_day(event: "EventDict") -> str:
    return datetime.fromisoformat(str(event["timestamp"])).astimezone().strftime("%H:%M:%S")
