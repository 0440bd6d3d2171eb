"""Loggers that load structlog with their first line: loading it takes longer than a run with nothing to do."""

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blobforge.telemetry.logging import Logger


class LazyLogger:
    """Becomes a logger of telemetry.logging at its first line."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._logger: Logger | None = None

    def debug(self, event: str, **facts: object) -> None:
        if self._is_heard(logging.DEBUG):
            self._speaking().debug(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        if self._is_heard(logging.INFO):
            self._speaking().info(event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        if self._is_heard(logging.WARNING):
            self._speaking().warning(event, **facts)

    def error(self, event: str, **facts: object) -> None:
        if self._is_heard(logging.ERROR):
            self._speaking().error(event, **facts)

    def _is_heard(self, level: int) -> bool:
        return logging.getLogger(self._name).isEnabledFor(level)

    def _speaking(self) -> "Logger":
        if self._logger is None:
            from blobforge.telemetry.logging import get_logger

            self._logger = get_logger(self._name)
        return self._logger
