"""A large file on its way to a server, whose sender or whose server is killed."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.e2e.program import until
from tests.e2e.service import Service

from blobforge.domain.uploads import PART_SIZE

PARTS = 6
SIZE = (PARTS - 1) * PART_SIZE + 1


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


def figures(service: Service, token: str) -> dict[str, float]:
    """As Prometheus reads them, those of the store by operation and outcome."""
    answer = httpx2.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=30)
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.mark.parametrize("killed", ["the sender", "the server"])
def test_what_had_come_is_not_sent_again_whoever_was_killed(service: Service, tmp_path: Path, killed: str) -> None:
    token = service.token("admin")
    me = service.person(token, tmp_path / "me")
    service.start()
    with (me.cwd / "large.bin").open("wb") as file:
        file.truncate(SIZE)
    store = service.home.folder / "blobs"
    sender = me.start("submit", "--type", "echo", "large.bin")
    until(lambda: has_parts(store))
    # Whoever is not killed waits meanwhile for the other one.
    if killed == "the sender":
        os.kill(service.pid, signal.SIGSTOP)
        sender.kill()
        sender.communicate()
        os.kill(service.pid, signal.SIGCONT)
        came = 0.0
    else:
        service.kill()
        came = float(len(list((store / ".incoming").glob("part~*"))))
        service.start()
        assert 0 < came < PARTS
        stdout, stderr = sender.communicate()
        assert sender.returncode == 0, stdout + stderr

    done = me.run("submit", "--type", "echo", "large.bin")

    assert done.returncode == 0, done.stderr
    told = figures(service, token)
    assert told["blobforge_uploads_total"] == told["blobforge_store_requests_total put_part ok"] == PARTS - came
    assert told["blobforge_store_requests_total join_parts ok"] == 1
    assert told["blobforge_store_request_seconds_count join_parts"] == 1
    assert [path.stat().st_size for path in (store / "sources").iterdir()] == [SIZE]
    assert not has_parts(store)


def has_parts(store: Path) -> bool:
    return any((store / ".incoming").glob("part~*"))
