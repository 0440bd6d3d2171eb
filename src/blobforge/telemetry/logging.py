"""Logging: a fixed phrase with facts as keywords, as JSON for machines or as lines for a terminal, on stderr."""

import logging
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, TextIO, cast

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from blobforge.telemetry.safe_text import MASK, is_secret_name, on_one_line, without_passwords
from blobforge.telemetry.screen_lines import ScreenLines

LogFormat = Literal["auto", "json", "text"]
Logger = structlog.stdlib.BoundLogger

_OURS = "blobforge"
_IDS = frozenset({"job_id", "current_job_id"})


def get_logger(name: str) -> Logger:
    """A logger for one module: `log = get_logger(__name__)`."""
    # It does not wait for `start_logging`: before that, and in a program that only uses our modules, the standard
    # library's logging decides, and nothing reaches stdout.
    return cast(
        "Logger",
        structlog.wrap_logger(
            logging.getLogger(name),
            wrapper_class=structlog.stdlib.BoundLogger,
            processors=_FOR_STANDARD_LOGGING,
            cache_logger_on_first_use=True,
        ),
    )


def bound(**facts: object) -> AbstractContextManager[None]:
    """Inside it, every line of this thread carries the facts: `with bound(job_id=job.id, worker_id=worker_id):`."""
    return cast("AbstractContextManager[None]", structlog.contextvars.bound_contextvars(**facts))


def is_screen(log_format: LogFormat, stream: TextIO) -> bool:
    """Whether people read it as it comes."""
    return log_format != "json" and stream.isatty()


def start_logging(
    *,
    level: str = "INFO",
    log_format: LogFormat = "auto",
    stream: TextIO | None = None,
    shown_otherwise: Collection[str] = (),
) -> None:
    """Sends all logging to the stream (stderr), replacing what an earlier call set up.

    Libraries speak from WARNING on, whatever our own level is. What the loggers `shown_otherwise` tell is left out on a
    screen, but for what helps to find a fault.
    """
    stream = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(stream)
    if is_screen(log_format, stream):
        handler.addFilter(lambda record: record.levelno < logging.INFO or record.name not in shown_otherwise)
    handler.setFormatter(_formatter(_renderers(log_format, stream)))
    root = logging.getLogger()
    for earlier in [handler for handler in root.handlers if isinstance(handler.formatter, _Formatter)]:
        root.removeHandler(earlier)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(_OURS).setLevel(level.upper())
    # For those who ask structlog itself for a logger.
    structlog.configure(
        processors=_FOR_STANDARD_LOGGING,
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """A type of its own, by which a second call knows the handler of the first."""


def _formatter(renderers: Sequence[Processor]) -> _Formatter:
    return _Formatter(
        foreign_pre_chain=_SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _hide_secrets,
            *renderers,
        ],
    )


def _renderers(log_format: LogFormat, stream: TextIO) -> Sequence[Processor]:
    if is_screen(log_format, stream):
        colours = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return [_keep_to_one_line, ScreenLines(stream, colours=colours)]
    if log_format != "text":
        return [_ids_as_text, structlog.processors.JSONRenderer(ensure_ascii=False)]
    plain = structlog.dev.ConsoleRenderer(
        colors=False, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
    )
    return [_keep_to_one_line, plain]


def _ids_as_text(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """As in all our JSON: ids of a queue in a bucket are larger than the numbers that many readers of it keep."""
    return {name: str(value) if name in _IDS and isinstance(value, int) else value for name, value in event.items()}


def _hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    return {name: MASK if is_secret_name(name) else _masked(value) for name, value in event.items()}


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return without_passwords(value)
    if isinstance(value, Mapping):
        return {key: MASK if is_secret_name(str(key)) else _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value


def _keep_to_one_line(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    return {
        name: on_one_line(value) if isinstance(value, str) and name != "exception" else value
        for name, value in event.items()
    }


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
_FOR_STANDARD_LOGGING: list[Processor] = [
    structlog.stdlib.filter_by_level,
    *_SHARED,
    structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
]
