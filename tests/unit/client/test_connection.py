"""What a client makes of the answers of a server, and of none."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import httpx2
import pytest

from blobforge.client.connection import Connection, Credentials
from blobforge.domain.access_errors import Forbidden, NotSignedIn
from blobforge.domain.errors import BlobForgeError, DiskFull, InvalidSettings, LeaseLost, NotFound, StoreUnavailable
from blobforge.ports.queue_backend import ServerAccess
from blobforge.wire.api import StatusMessage
from blobforge.wire.errors import MEDIA_TYPE, problem_of

URL = "https://forge.example:8443/base"


class Server:
    """Answers as a test says, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[httpx2.Request] = []
        self.answer: Callable[[], httpx2.Response] = lambda: httpx2.Response(200, json={"status": "ok"})
        self.seconds = 0.0

    def handle(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        return self.answer()

    def refuses(self, error: BlobForgeError, **headers: str) -> None:
        problem = problem_of(error)
        content = problem.model_dump_json()
        told = {"Content-Type": MEDIA_TYPE, **{name.replace("_", "-"): text for name, text in headers.items()}}
        self.answer = lambda: httpx2.Response(problem.status, content=content, headers=told)

    def connection(self, credentials: Credentials | None = None) -> Connection:
        transport = httpx2.MockTransport(self.handle)
        return Connection(URL, credentials or Credentials(), transport=transport, monotonic=lambda: self.seconds)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def connection(server: Server) -> Iterator[Connection]:
    connection = server.connection()
    yield connection
    connection.close()


def ask(connection: Connection) -> StatusMessage:
    return connection.get("/api/thing", StatusMessage)


def test_a_path_is_asked_for_below_the_address_of_the_server(server: Server, connection: Connection) -> None:
    assert ask(connection).status == "ok"

    assert str(server.asked[0].url) == f"{URL}/api/thing"


@pytest.mark.parametrize(
    ("credentials", "headers"),
    [
        (Credentials(token="bf_1"), {"authorization": "Bearer bf_1"}),
        (Credentials(worker="rack-4", secret="bfw_1"), {"x-worker-id": "rack-4", "x-worker-secret": "bfw_1"}),
        (Credentials(worker="rack-4"), {}),
    ],
)
def test_credentials_go_with_every_request(server: Server, credentials: Credentials, headers: dict[str, str]) -> None:
    connection = server.connection(credentials)

    ask(connection)

    sent = server.asked[0].headers
    assert {name: sent[name] for name in headers} == headers
    assert ("authorization" in sent, "x-worker-secret" in sent) == (
        "authorization" in headers,
        "x-worker-id" in headers,
    )
    connection.close()


def test_no_secret_is_shown_by_what_holds_it() -> None:
    credentials = Credentials(token="bf_1", worker="rack-4", secret="bfw_1")

    assert "bf_1" not in repr(credentials)
    assert "bfw_1" not in repr(credentials)


def test_an_error_of_the_server_is_raised_as_it_is(server: Server, connection: Connection) -> None:
    server.refuses(LeaseLost("job #7: lease 3 was superseded by 4"))

    with pytest.raises(LeaseLost, match=r"job #7: lease 3 was superseded by 4"):
        ask(connection)


@pytest.mark.parametrize(
    "error", [BlobForgeError("a bug"), DiskFull("no space left"), StoreUnavailable("the database is away")]
)
def test_what_the_server_cannot_do_now_is_no_fault_of_the_request(
    server: Server, connection: Connection, error: BlobForgeError
) -> None:
    server.refuses(error)

    with pytest.raises(StoreUnavailable, match=str(error)):
        ask(connection)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_the_page_of_a_proxy_whose_server_is_away_is_an_outage(
    server: Server, connection: Connection, status: int
) -> None:
    server.answer = lambda: httpx2.Response(status, html="<h1>Bad Gateway</h1>")

    with pytest.raises(StoreUnavailable, match=f"answers {status}"):
        ask(connection)


def test_a_server_that_asks_to_be_left_alone_is_left_alone_for_so_long(server: Server, connection: Connection) -> None:
    server.refuses(StoreUnavailable("the database is away"), Retry_After="5")
    with pytest.raises(StoreUnavailable):
        ask(connection)
    server.answer = lambda: httpx2.Response(200, json={"status": "ok"})

    server.seconds = 4.0
    with pytest.raises(StoreUnavailable, match="asked to be left alone for another 1 seconds"):
        ask(connection)
    server.seconds = 5.0

    assert ask(connection).status == "ok"
    assert len(server.asked) == 2


@pytest.mark.parametrize("told", ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "", "1e9"])
def test_a_time_that_is_no_number_of_seconds_is_passed_over(server: Server, connection: Connection, told: str) -> None:
    server.refuses(StoreUnavailable("away"), Retry_After=told)
    with pytest.raises(StoreUnavailable):
        ask(connection)
    server.answer = lambda: httpx2.Response(200, json={"status": "ok"})

    assert ask(connection).status == "ok"


def test_nobody_is_left_alone_for_ever(server: Server, connection: Connection) -> None:
    server.refuses(StoreUnavailable("away"), Retry_After="86400")
    with pytest.raises(StoreUnavailable):
        ask(connection)
    server.answer = lambda: httpx2.Response(200, json={"status": "ok"})
    server.seconds = 61.0

    assert ask(connection).status == "ok"


@pytest.mark.parametrize(
    ("credentials", "setting"),
    [
        (Credentials(), "BLOBFORGE_TOKEN"),
        (Credentials(token="bf_1"), "BLOBFORGE_TOKEN"),
        (Credentials(worker="rack-4", secret="bfw_1"), "BLOBFORGE_WORKER_SECRET"),
    ],
)
@pytest.mark.parametrize("kind", [NotSignedIn, Forbidden])
def test_who_is_refused_hears_which_setting_it_was(
    server: Server, credentials: Credentials, setting: str, kind: type[BlobForgeError]
) -> None:
    connection = server.connection(credentials)
    server.refuses(kind("this token does not count"))

    with pytest.raises(kind, match=f"this token does not count; .*{setting}") as refused:
        ask(connection)

    assert "bf_1" not in str(refused.value)
    connection.close()


def test_what_answers_and_is_no_such_server_is_told(server: Server, connection: Connection) -> None:
    server.answer = lambda: httpx2.Response(200, html="<h1>Welcome</h1>")

    with pytest.raises(InvalidSettings, match="is it a BlobForge server"):
        ask(connection)


def test_no_answer_says_what_to_look_at(server: Server, connection: Connection) -> None:
    def refuse() -> httpx2.Response:
        raise httpx2.ConnectError("Connection refused")

    server.answer = refuse

    with pytest.raises(StoreUnavailable) as away:
        ask(connection)

    assert str(away.value) == (
        f"the server {URL} does not answer (Connection refused): is it running, and is BLOBFORGE_SERVER_URL right?"
    )


def test_an_unknown_code_of_a_newer_server_keeps_its_text(server: Server, connection: Connection) -> None:
    server.answer = lambda: httpx2.Response(
        404, json={"code": "brand_new", "detail": "something else"}, headers={"Content-Type": MEDIA_TYPE}
    )

    with pytest.raises(BlobForgeError, match=r"something else \[brand_new\]"):
        ask(connection)


def test_a_page_that_is_not_there_is_told_as_such(server: Server, connection: Connection) -> None:
    server.answer = lambda: httpx2.Response(404, text="nothing here")

    with pytest.raises(NotFound, match="nothing here"):
        ask(connection)


def test_the_clock_is_that_of_the_server(server: Server, connection: Connection) -> None:
    server.answer = lambda: httpx2.Response(
        200, json={"status": "ok"}, headers={"Date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    )

    ask(connection)

    assert abs((connection.now() - datetime(2015, 10, 21, 7, 28, tzinfo=UTC)).total_seconds()) < 60


def test_a_secret_without_a_name_is_told_before_anything_is_sent() -> None:
    with pytest.raises(InvalidSettings, match="BLOBFORGE_WORKER_ID"):
        Credentials.of(ServerAccess(secret="bfw_1"))
