"""A bucket at an address that is wrong: told soon, and with the setting that is to be mended."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import Result
from tests.e2e.program import Blobforge

from blobforge.objectstore import answers, connection

SOON_SECONDS = 5
BUCKET = {
    "BLOBFORGE_S3_BUCKET": "documents",
    "BLOBFORGE_S3_ACCESS_KEY_ID": "key",
    "BLOBFORGE_S3_SECRET_ACCESS_KEY": "secret",
    "BLOBFORGE_S3_REGION": "us-east-1",
}


class OnePageForAll(BaseHTTPRequestHandler):
    """As the server of a web application answers, whatever it is asked."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"<html>")

    do_PUT = do_GET  # noqa: N815 - its name there

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Tests say what they need to say."""


class Refusing(BaseHTTPRequestHandler):
    """As the other ports of a store answer, or a proxy before it: by a status, and in no words of S3."""

    status = 400
    body = b""

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_PUT = do_GET  # noqa: N815 - its name there

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Tests say what they need to say."""


class WithoutVolumes(Refusing):
    """A store that is there and can neither read nor write. Of names with a part that it `knows`, there is nothing."""

    knows: tuple[str, ...] = ()

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_known = any(part in self.path for part in self.knows) and self.command == "GET"
        code = "NoSuchKey" if is_known else "InternalError"
        body = f"<Error><Code>{code}</Code><Message>We encountered {code}</Message></Error>".encode()
        self.send_response(404 if is_known else 500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET  # noqa: N815 - its name there


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Tests say what they need to say."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, name="no-s3")
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def silent_port() -> Iterator[int]:
    """The system takes connections for it, and nobody ever answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(autouse=True)
def _nobody_has_answered() -> None:
    connection._contact_at.cache_clear()


def status(blobforge: Blobforge, endpoint: str, command: str = "status") -> Result:
    return blobforge.call(*command.split(), **BUCKET, BLOBFORGE_S3_ENDPOINT_URL=endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "127.0.0.1:8333",
        "localhost",
        "ftp://127.0.0.1:8333",
        "http://",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://user:hunter2@127.0.0.1:8333",
        "http://127.0.0.1:8333/?a=b",
    ],
)
@pytest.mark.parametrize("command", ["status", "config check"])
def test_an_address_that_is_none_is_refused_by_its_setting(command: str, endpoint: str, blobforge: Blobforge) -> None:
    done = status(blobforge, endpoint, command)

    assert done.exit_code == 2
    assert "BLOBFORGE_S3_ENDPOINT_URL" in done.output
    assert "expected 'auto', or http:// or https:// with a host" in done.output
    assert "hunter2" not in done.output


def test_an_address_of_the_sdk_s_own_is_told_as_well(blobforge: Blobforge) -> None:
    done = blobforge.call("status", **BUCKET, AWS_ENDPOINT_URL="127.0.0.1:8333")

    assert (done.exit_code, "[invalid_settings]" in done.stderr) == (2, True)
    assert "AWS_ENDPOINT_URL" in done.stderr


@pytest.mark.parametrize("handler", [OnePageForAll, QuietFiles])
def test_a_server_that_is_no_store_is_told_so_at_once(
    handler: type[BaseHTTPRequestHandler], blobforge: Blobforge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(handler) as port:
        done = status(blobforge, f"http://127.0.0.1:{port}")

    assert done.exit_code == 2
    assert "what answers there is no S3 store; check host and port in BLOBFORGE_S3_ENDPOINT_URL" in done.stderr


@pytest.mark.parametrize("status_code", [400, 403, 405])
@pytest.mark.parametrize("body", [b"", b'{"error": "no"}', b"<html><body>no</body></html>"])
@pytest.mark.parametrize("command", ["status", "doctor"])
def test_a_refusal_that_is_not_s3_s_own_names_the_setting_and_its_value(
    command: str, status_code: int, body: bytes, blobforge: Blobforge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Refusing, "status", status_code)
    monkeypatch.setattr(Refusing, "body", body)
    with serving(Refusing) as port:
        done = status(blobforge, f"http://127.0.0.1:{port}", command)

    assert done.exit_code == (2 if command == "status" else 1)
    said = " ".join(done.output.split())
    assert f"no S3 store ({status_code}" in said
    assert f"check host and port in BLOBFORGE_S3_ENDPOINT_URL (http://127.0.0.1:{port})" in said


def test_a_server_that_is_no_store_and_busy_is_told_with_the_setting(
    blobforge: Blobforge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Refusing, "status", 502)
    monkeypatch.setattr(answers, "FIRST_CONTACT_SECONDS", 0.1)
    with serving(Refusing) as port:
        done = status(blobforge, f"http://127.0.0.1:{port}")

    assert done.exit_code == 1
    assert "does not answer: 502" in done.stderr
    assert f"BLOBFORGE_S3_ENDPOINT_URL (http://127.0.0.1:{port})" in done.stderr


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("BLOBFORGE_S3_ACCESS_KEY_ID", "BLOBFORGE_S3_SECRET_ACCESS_KEY"),
        ("BLOBFORGE_S3_SECRET_ACCESS_KEY", "BLOBFORGE_S3_ACCESS_KEY_ID"),
    ],
)
@pytest.mark.parametrize("command", ["status", "ingest .", "config check", "worker --drain"])
def test_one_key_without_the_other_is_refused_by_every_command(
    command: str, given: str, missing: str, blobforge: Blobforge
) -> None:
    done = blobforge.call(*command.split(), BLOBFORGE_S3_BUCKET="documents", **{given: "word"})

    assert done.exit_code == 2
    assert f"{missing} is missing beside {given}" in done.output
    assert "[invalid_settings]" in done.output or command == "config check"


def test_doctor_shows_its_table_with_the_missing_key_as_a_problem(blobforge: Blobforge) -> None:
    done = blobforge.call("doctor", "--json", BLOBFORGE_S3_BUCKET="documents", BLOBFORGE_S3_ACCESS_KEY_ID="word")

    assert done.exit_code == 1
    findings = {found["name"]: found for found in json.loads(done.stdout)["findings"]}
    assert findings["settings"]["verdict"] == "problem"
    assert "BLOBFORGE_S3_SECRET_ACCESS_KEY is missing" in findings["settings"]["message"]
    assert {"python", "tesseract"} <= set(findings)
    assert [name for name, found in findings.items() if "SECRET_ACCESS_KEY" in found["message"]] == ["settings"]


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_half_of_the_keys_in_the_sdk_s_own_variables_is_told_as_such(command: str, blobforge: Blobforge) -> None:
    done = blobforge.call(*command.split(), BLOBFORGE_S3_BUCKET="documents", AWS_ACCESS_KEY_ID="word")

    assert done.exit_code == (2 if command == "status" else 1)
    assert "AWS_SECRET_ACCESS_KEY" in done.output
    assert "[invalid_settings]" in " ".join(done.output.split())


def test_a_port_where_nobody_listens_is_told_soon(blobforge: Blobforge) -> None:
    began = time.monotonic()
    done = status(blobforge, "http://127.0.0.1:1")

    assert time.monotonic() - began < SOON_SECONDS
    assert 'Could not connect to the endpoint URL: "http://127.0.0.1:1"; check the host, the port' in done.stderr


def test_a_wrong_scheme_is_told_soon(blobforge: Blobforge) -> None:
    with serving(OnePageForAll) as port:
        began = time.monotonic()
        done = status(blobforge, f"https://127.0.0.1:{port}")

    assert time.monotonic() - began < SOON_SECONDS
    assert "the scheme in BLOBFORGE_S3_ENDPOINT_URL" in done.stderr


@pytest.mark.parametrize("command", ["status", "doctor", "worker --drain", "ingest ."])
def test_a_server_that_never_answers_is_told_of_soon(command: str, blobforge: Blobforge, silent_port: int) -> None:
    began = time.monotonic()
    run = blobforge.start(
        *command.split(),
        BLOBFORGE_S3_BUCKET="documents",
        BLOBFORGE_S3_ACCESS_KEY_ID="key",
        BLOBFORGE_S3_SECRET_ACCESS_KEY="secret",
        BLOBFORGE_S3_ENDPOINT_URL=f"http://127.0.0.1:{silent_port}",
    )
    assert run.stderr is not None
    said = run.stderr.readline()

    assert time.monotonic() - began < SOON_SECONDS
    assert "no answer yet, waiting" in said
    assert f"s3://documents/pdf/ at http://127.0.0.1:{silent_port}" in said
    assert "BLOBFORGE_S3_ENDPOINT_URL" in said


@pytest.mark.parametrize("knows", [(), ("format.json",)], ids=["nothing", "that it is empty"])
@pytest.mark.parametrize("command", ["list", "doctor", "worker --drain", "ingest ."])
def test_a_store_that_refuses_everything_is_told_of_soon(
    command: str, knows: tuple[str, ...], blobforge: Blobforge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WithoutVolumes, "knows", knows)
    with serving(WithoutVolumes) as port:
        began = time.monotonic()
        run = blobforge.start(
            *command.split(),
            BLOBFORGE_S3_BUCKET="documents",
            BLOBFORGE_S3_ACCESS_KEY_ID="key",
            BLOBFORGE_S3_SECRET_ACCESS_KEY="secret",
            BLOBFORGE_S3_ENDPOINT_URL=f"http://127.0.0.1:{port}",
        )
        assert run.stderr is not None
        said = run.stderr.readline()
        seconds = time.monotonic() - began
        run.kill()
        run.wait()

    assert seconds < SOON_SECONDS
    assert "the server refuses, trying again" in said
    assert "500 We encountered InternalError" in said
    assert f"s3://documents/pdf/ at http://127.0.0.1:{port}" in said
    assert "BLOBFORGE_S3_ENDPOINT_URL" in said


def test_a_first_contact_without_an_answer_ends_with_the_name_of_the_setting(
    blobforge: Blobforge, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "READ_SECONDS", 1)

    done = status(blobforge, f"http://127.0.0.1:{silent_port}")

    assert done.exit_code == 1
    assert "Read timeout" in done.stderr
    assert "check the host, the port and the scheme in BLOBFORGE_S3_ENDPOINT_URL" in done.stderr


def test_doctor_waits_once_for_a_server_that_never_answers(
    blobforge: Blobforge, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "READ_SECONDS", 3)
    began = time.monotonic()

    done = status(blobforge, f"http://127.0.0.1:{silent_port}", "doctor")

    assert time.monotonic() - began < 2 * connection.READ_SECONDS
    assert done.output.count("does not answer") == 1


@pytest.mark.parametrize("command", ["status", "submit a.pdf", "worker --drain"])
def test_a_database_that_never_answers_is_told_of_soon(command: str, blobforge: Blobforge, silent_port: int) -> None:
    (blobforge.cwd / "a.pdf").write_bytes(b"%PDF-1.4")
    queue = f"postgresql://alice:hunter2@127.0.0.1:{silent_port}/jobs"
    began = time.monotonic()
    run = blobforge.start(*command.split(), BLOBFORGE_QUEUE=queue)
    assert run.stderr is not None
    said = run.stderr.readline()

    assert time.monotonic() - began < SOON_SECONDS
    assert "no answer yet, waiting" in said
    assert f"postgresql://alice:***@127.0.0.1:{silent_port}/jobs" in said
    assert "BLOBFORGE_QUEUE" in said


@pytest.mark.parametrize("host", ["127.0.0.1:1", "nowhere.invalid"])
def test_a_database_that_cannot_be_reached_is_told_with_the_setting(host: str, blobforge: Blobforge) -> None:
    done = blobforge.call("status", BLOBFORGE_QUEUE=f"postgresql://alice@{host}/jobs")

    assert done.exit_code == 1
    assert "check the host and the port in BLOBFORGE_QUEUE" in done.stderr
