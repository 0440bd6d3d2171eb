"""What one call of the program knows, and how a command gets its settings."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from blobforge.cli import output

if TYPE_CHECKING:
    from collections.abc import Collection

    # Settings bring pydantic: `blobforge --help` does without.
    from blobforge.config.load import Loaded
    from blobforge.config.settings import Settings


@dataclass(slots=True)
class Call:
    """Options that stand before or after the command, and what was loaded for it."""

    log_level: str | None = None
    flags: dict[str, object] = field(default_factory=dict)
    loaded: Loaded | None = None
    warned: set[str] = field(default_factory=set)


def settings(**flags: object) -> Settings:
    """The settings; a command passes its own options by the settings' names, None where not given.

    Warnings go to stderr, each once. Raises InvalidSettings.
    """
    return loaded(**flags).settings


def settings_of_queue(**flags: object) -> Settings:
    """The same for what is asked of a queue: where nobody says which project is meant, a server that keeps it does.

    Raises InvalidSettings, StoreUnavailable, NotSignedIn, Forbidden.
    """
    from blobforge import wiring

    return wiring.with_own_project(settings(**flags))


def loaded(**flags: object) -> Loaded:
    """The settings with where each came from. Raises InvalidSettings."""
    call = current()
    if call.loaded is None or call.flags != flags:
        from blobforge.config.load import load

        call.loaded = load(with_log_level(flags))
        call.flags = flags
    for warning in call.loaded.warnings:
        if warning not in call.warned:
            output.warn(warning)
            call.warned.add(warning)
    return call.loaded


def with_log_level(flags: dict[str, object]) -> dict[str, object]:
    return {"log_level": current().log_level, **flags}


def start_logging(settings: Settings, *, shown_otherwise: Collection[str] = ()) -> None:
    """For commands that run for long or log: to stderr, as the settings say."""
    from blobforge.telemetry import logging

    log = settings.log
    logging.start_logging(level=log.level, log_format=log.format, shown_otherwise=shown_otherwise)


def logs_to_a_screen(settings: Settings) -> bool:
    """Whether stderr is read by people as it comes."""
    from blobforge.telemetry.logging import is_screen

    return is_screen(settings.log.format, sys.stderr)


def current() -> Call:
    return click.get_current_context().ensure_object(Call)
