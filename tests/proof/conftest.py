"""Actors of the proof are gone in the middle of whatever they do, and their threads with them."""

from contextlib import nullcontext

import pytest

from blobforge.coordination import service


@pytest.fixture(autouse=True)
def _no_pause_outlives_its_actor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "gc_paused", nullcontext)
