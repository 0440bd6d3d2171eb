"""Children and workers that are gone when a test is over."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import Start, spec_of

from blobforge.clock import SystemClock
from blobforge.ports.clock import Clock
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker.child import Child


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[Child] = []

    def start_one(*args: Any, **facts: Any) -> Child:
        child = Child(spec_of(*args, **facts))
        started.append(child)
        return child

    yield start_one
    for child in started:
        child.close()


@pytest.fixture
def open_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """A site with echo, and with the processors that are given by their job types. `confines`: in the sandbox."""
    opened: list[Site] = []

    def open_one(
        *, clock: Clock | None = None, confines: bool = False, **processors: Callable[[], EchoProcessor]
    ) -> Site:
        folder = tmp_path / f"site-{len(opened)}"
        folder.mkdir()
        every = {"echo": EchoProcessor, **processors}
        opened.append(Site(folder, processors=every, clock=clock or SystemClock(), confines=confines))
        return opened[-1]

    yield open_one
    for site in opened:
        site.close()


@pytest.fixture
def site(open_site: Callable[..., Site]) -> Site:
    return open_site()
