"""Children that are gone when a test is over."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.worker.workbench import Start, spec_of

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
