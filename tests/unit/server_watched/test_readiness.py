"""Whether the server says in time that it is not ready."""

import asyncio
import gc
import threading
import time
from collections.abc import Iterator

import pytest
from tests.unit.server_watched.conftest import WatchedServer

from blobforge.domain.errors import StoreUnavailable
from blobforge.server.readiness import Readiness


@pytest.fixture
def hanging(watched: WatchedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedServer]:
    """Its queue answers when the test is over."""
    over = threading.Event()
    monkeypatch.setattr(type(watched.parts.coordinator), "identity", lambda *_, **__: over.wait(30))
    yield watched
    over.set()


def test_a_server_is_ready_when_its_queue_and_its_store_answer(watched: WatchedServer) -> None:
    assert watched.http.get("/readyz").json() == {"status": "ready"}


def test_a_queue_that_hangs_is_told_within_about_a_second(hanging: WatchedServer) -> None:
    began = time.monotonic()

    answers = [hanging.http.get("/readyz").status_code for _ in range(2)]

    assert answers == [503, 503]
    assert time.monotonic() - began < 4


def test_a_queue_that_hangs_takes_no_more_than_one_thread_however_often_it_is_asked(hanging: WatchedServer) -> None:
    for _ in range(2):
        hanging.http.get("/readyz")

    waiting = [thread for thread in threading.enumerate() if thread.name.startswith("read")]
    assert len(waiting) <= 2
    assert hanging.http.get("/livez").status_code == 200


def test_a_queue_that_fails_when_nobody_waits_any_more_is_one_warning(
    watched: WatchedServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    over = threading.Event()

    def away(*_: object, **__: object) -> None:
        over.wait(30)
        raise StoreUnavailable("it does not answer: refused")

    monkeypatch.setattr("blobforge.server.readiness.READY_SECONDS", 0.05)
    monkeypatch.setattr(type(watched.parts.coordinator), "identity", away)
    lost: list[str] = []

    async def asked_and_gone() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context["message"]))
        readiness = Readiness(watched.parts)
        with pytest.raises(StoreUnavailable, match="did not answer within"):
            await readiness.require()
        assert readiness._looking is not None
        over.set()
        await asyncio.wait({readiness._looking})
        del readiness
        gc.collect()

    asyncio.run(asked_and_gone())

    assert lost == []
    assert [record.levelname for record in caplog.records if "refused" in record.getMessage()] == ["WARNING"]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/version"])
def test_a_balancer_may_ask_without_wanting_a_body(watched: WatchedServer, path: str) -> None:
    answered = watched.http.head(path)

    assert (answered.status_code, answered.content) == (200, b"")
