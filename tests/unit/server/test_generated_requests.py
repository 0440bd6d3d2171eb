"""Whatever is sent to whichever route, the server does not fail, and answers as its document says."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from tests.server_scene import Scene, scene_in

from blobforge.server import long_poll
from blobforge.server.auth.asking import OpenDoor

FEW, MANY = 3, 25

schemathesis.serializer.alias("application/pdf", "application/octet-stream")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Everyone is let in, so that everything is reached."""
    with scene_in(tmp_path_factory.mktemp("server"), doorman=OpenDoor()) as scene:
        for name in "abc":
            scene.job(name)
        yield scene


def test_few_requests_to_every_route(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_poll, "LONGEST_SECONDS", 0.0)

    assert send_to_every_route(scene, FEW) > 70


@pytest.mark.extended
@pytest.mark.timeout(900)
def test_many_requests_to_every_route(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_poll, "LONGEST_SECONDS", 0.0)

    assert send_to_every_route(scene, MANY) > 70


def send_to_every_route(scene: Scene, requests: int) -> int:
    """How many routes there are."""
    with without_warnings():
        operations = operations_of(scene)
        for operation in operations:
            send_to(scene, operation, requests)
    return len(operations)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Of the packages that come with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def operations_of(scene: Scene) -> list[Any]:
    schema = schemathesis.openapi.from_dict(scene.app.openapi())
    return [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]


def send_to(scene: Scene, operation: Any, requests: int, *, seed: int | None = None) -> None:
    """The same requests each time, or those of a seed."""
    documented = set(operation.definition.raw["responses"])

    @hypothesis.given(case=operation.as_strategy())
    @hypothesis.settings(
        max_examples=requests,
        derandomize=seed is None,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    def send(case: Any) -> None:
        require_sound(case.call(base_url=scene.url), documented)

    (send if seed is None else hypothesis.seed(seed)(send))()


def require_sound(answer: Response, documented: set[str]) -> None:
    assert answer.status_code < 500, answer.text
    if answer.status_code < 400:
        assert str(answer.status_code) in documented
        return
    assert answer.headers["content-type"] == ["application/problem+json"]
    said = answer.json()
    assert said["status"] == answer.status_code
    assert said["error"]
    assert said["code"]
