"""What the commands of tokens and of workers' accounts share: the opened accounts, and who is at the prompt."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from blobforge.cli import context
from blobforge.domain.audit import Actor, ActorKind

if TYPE_CHECKING:
    from blobforge.wiring import OpenedAccounts


@contextmanager
def opened_accounts(*, makes_queue: bool = False) -> Iterator[OpenedAccounts]:
    """Of the queue of the settings. Raises InvalidSettings, StoreUnavailable, NotFound."""
    from blobforge import wiring

    settings = context.settings()
    opened = wiring.open_accounts(settings) if makes_queue else wiring.open_known_accounts(settings)
    try:
        yield opened
    finally:
        opened.close()


def local_actor() -> Actor:
    return Actor(ActorKind.LOCAL, login_name())


def login_name() -> str:
    """Of the user whose process this is, and not what a variable says; a container's may have no name."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"


def project_text(project: str | None) -> str:
    return "all projects" if project is None else f"project {project}"
