"""Logging of commands that set up none: one readable line on stderr, without secrets."""

import logging
import sys

from blobforge.telemetry.safe_text import on_one_line, without_passwords
from blobforge.telemetry.screen_lines import sentence


class PlainLines(logging.Handler):
    """Takes the place of the standard library's last resort, which prints facts as Python writes them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{record.levelname.lower()}: {_line(record)}\n")
        except OSError:
            self.handleError(record)


def speak_plainly() -> None:
    logging.lastResort = PlainLines()


def _line(record: logging.LogRecord) -> str:
    if not isinstance(record.msg, dict):
        return on_one_line(without_passwords(record.getMessage()))
    return on_one_line(without_passwords(sentence(record.msg)))
