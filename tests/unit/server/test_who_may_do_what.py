"""Every route × everyone who may ask."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import httpx2
import pytest
from tests.server_scene import ACTOR, Scene, hash_of, scene_in
from tests.unit.server.route_table import LINES, OPEN, SIGNED, Line, Subject, filled

from blobforge.domain.access import Action
from blobforge.domain.account import Role, TokenId
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.domain.recipe import UNRECORDED
from blobforge.domain.uploads import ResultUpload
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.job_store import Queue
from blobforge.server.app import NOUNS
from blobforge.server.routing import Requires

PROCESS = "rack4.11.0123abcd"


class Everyone(NamedTuple):
    anonymous: httpx2.Client
    worker: httpx2.Client
    other_worker: httpx2.Client
    viewer: httpx2.Client
    operator: httpx2.Client
    admin: httpx2.Client
    of_another_project: httpx2.Client
    worker_of_another_project: httpx2.Client


ROLES = {"viewer": Role.VIEWER, "operator": Role.OPERATOR, "admin": Role.ADMIN}
MAY = {
    "viewer": {Action.READ},
    "operator": {Action.READ, Action.READ_DISCREET, Action.SUBMIT, Action.STEER, Action.PAUSE},
    "admin": set(Action) - {Action.WORK},
}
"""Written down a second time."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with scene_in(tmp_path_factory.mktemp("matrix")) as scene:
        yield scene


@pytest.fixture(scope="module")
def everyone(scene: Scene) -> Everyone:
    scene.worker("managed")
    return Everyone(
        scene.client(),
        scene.worker("rack4"),
        scene.worker("rack5"),
        scene.having(Role.VIEWER),
        scene.having(Role.OPERATOR),
        scene.having(Role.ADMIN),
        scene.having(Role.ADMIN, "other"),
        scene.worker("rack6", project="other"),
    )


_numbers = count()


@pytest.fixture
def subject(scene: Scene, everyone: Everyone) -> Iterator[Subject]:
    """A job of its own for each test: what one did to it, no other sees."""
    name = f"document {next(_numbers)}"
    scene.job(name)
    (job,) = scene.queue.claim(Queue("default", ("pdf",)), worker_id=WorkerId(PROCESS))
    assert job.source_hash == hash_of(name)
    uploaded = scene.folder / "result.zip"
    uploaded.write_bytes(b"PK what its worker uploaded")
    upload = ResultUpload(job.id, job.lease_number, UNRECORDED, "0" * 16)
    scene.parts.files.blobs.put(BlobKey(upload.key), uploaded)
    token = scene.accounts.create_token(actor=ACTOR, owner=scene.owner, role=Role.VIEWER).token
    yield Subject(job.id, job.rev, job.source_hash, PROCESS, job.lease_number, token.id)
    _end(scene, job)


def _end(scene: Scene, job: Job) -> None:
    """So that no later test claims it."""
    for now in scene.queue.get_many([job.id]):
        if now.state in ("pending", "failed", "running"):
            scene.queue.cancel(job.id)


def routes() -> dict[tuple[str, str], set[Action]]:
    """Each route with the actions that it names, of which one is enough."""
    found: dict[tuple[str, str], set[Action]] = {}
    for noun in NOUNS:
        for route in noun.router.routes:
            calls = [dependency.call for dependency in route.dependant.dependencies]
            actions = {action for call in calls if isinstance(call, Requires) for action in call.actions}
            found |= {(method, route.path): actions for method in route.methods}
    return found


def send(
    client: httpx2.Client, route: tuple[str, str], line: Line, subject: Subject, *, worker: str = PROCESS
) -> httpx2.Response:
    method, path = route
    facts = {"job_id": subject.job_id, "token_id": subject.token_id, "worker_id": worker, "name": "managed"}
    url = path.format(**facts)
    body = filled(line.body, subject)
    return client.request(method, url, json=body, params=filled(dict(line.query), subject))


def test_every_route_has_its_line() -> None:
    asked = {route: actions for route, actions in routes().items() if actions}
    unasked = set(routes()) - set(asked)

    assert asked == {route: line.actions for route, line in LINES.items()}
    assert unasked <= OPEN | SIGNED


def test_every_route_of_the_application_is_one_of_a_noun(scene: Scene) -> None:
    told = {(method.upper(), path) for path, ways in scene.app.openapi()["paths"].items() for method in ways}

    assert told <= {(method, path.replace(":path}", "}")) for method, path in routes()}


@pytest.mark.parametrize("route", LINES, ids=" ".join)
def test_who_is_let_in(scene: Scene, everyone: Everyone, subject: Subject, route: tuple[str, str]) -> None:
    """R1-97."""
    line = LINES[route]
    before = scene.queue.get(subject.job_id)

    assert send(everyone.anonymous, route, line, subject).status_code == 401
    for name in ROLES:
        if not MAY[name] & line.actions:
            assert send(getattr(everyone, name), route, line, subject).status_code == 403, name
    if Action.WORK not in line.actions:
        assert send(everyone.worker, route, line, subject).status_code == 403
    if line.is_of_a_process:
        assert send(everyone.other_worker, route, line, subject).status_code == 403
        assert send(everyone.worker_of_another_project, route, line, subject).status_code == 403
    assert scene.queue.get(subject.job_id) == before

    allowed = [name for name in ROLES if MAY[name] & line.actions]
    if Action.WORK in line.actions:
        allowed.append("worker")
    for name in allowed:
        answer = send(getattr(everyone, name), route, line, subject)
        assert answer.status_code < 500, answer.text
        assert answer.status_code not in (400, 401, 403, 405), (name, answer.text)


@pytest.mark.parametrize("route", LINES, ids=" ".join)
def test_who_belongs_to_another_project_sees_and_changes_nothing(
    scene: Scene, everyone: Everyone, subject: Subject, route: tuple[str, str]
) -> None:
    """R1-103."""
    line = LINES[route]
    before = scene.queue.get(subject.job_id)
    accounts = scene.parts.accounts
    assert accounts is not None
    worker, token = accounts.worker("managed"), accounts.token(TokenId(subject.token_id))

    for client in (everyone.of_another_project, everyone.worker_of_another_project):
        answer = send(client, route, line, subject)
        assert answer.status_code < 500, answer.text
        # An error repeats what was asked for.
        assert answer.is_error or subject.source_hash not in answer.text
        if line.is_of_all_projects:
            assert answer.status_code == 403

    assert scene.queue.get(subject.job_id) == before
    assert (accounts.worker("managed"), accounts.token(TokenId(subject.token_id))) == (worker, token)


@pytest.mark.parametrize("route", sorted(SIGNED), ids=" ".join)
def test_a_signed_address_is_refused_without_its_signature(everyone: Everyone, route: tuple[str, str]) -> None:
    query: dict[str, str | int] = {"method": route[0], "expires": 2**40, "signature": "é" * 64, "size": 3}

    for client in everyone:
        answer = client.request(route[0], "/blobs/sources/x.pdf", params=query, content=b"abc")
        assert answer.status_code == 403
