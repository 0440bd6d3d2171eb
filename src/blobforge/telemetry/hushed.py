"""Silence for a while: of what a person asks for, or is told otherwise, nothing need be logged."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hushed(name: str) -> Iterator[None]:
    """Inside it, the logger of that name says nothing."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
