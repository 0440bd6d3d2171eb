"""Silences a logger for a while, where a person is told the same in another way."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hushed(name: str) -> Iterator[None]:
    """Inside it, the logger of that name logs nothing."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
