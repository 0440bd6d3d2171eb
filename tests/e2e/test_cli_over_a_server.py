"""The commands of somebody who has a server's address and a token, and neither a database nor a store."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.e2e.service import Service
from tests.pdfs import text_pdf

from blobforge.cli import exit_codes


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


ANY = -1


def said(person: Blobforge, *args: str, code: int = 0, **env: str) -> Any:
    done = person.call(*args, "--json", **env)
    assert code in (done.exit_code, ANY), done.output
    return json.loads(done.stdout)


@pytest.mark.extended  # the same requests by a client in the process of the test
def test_a_document_is_submitted_by_whoever_has_its_bytes(service: Service, tmp_path: Path) -> None:
    """To know a hash is no right to its content: one project's document is not the other's. Nobody names a project:
    tokens and secrets are of one."""
    ours = service.person(service.token("operator", "--project", "ours"), tmp_path / "ours")
    theirs = service.person(service.token("operator", "--project", "theirs"), tmp_path / "theirs")
    secrets = [service.worker_account(f"of-{project}", "--project", project) for project in ("ours", "theirs")]
    service.start()
    (ours.cwd / "report.pdf").write_text("a report")
    (theirs.cwd / "the same.pdf").write_text("a report")

    first = said(ours, "submit", "--type", "echo", "report.pdf")
    second = said(theirs, "submit", "--type", "echo", "the same.pdf")
    again = said(ours, "submit", "--type", "echo", "report.pdf")

    assert [told["queued"] for told in (first, second, again)] == [1, 1, 0]
    for secret in secrets:
        assert service.worker(secret, "--drain", home=secret.name).result()["completed"] == 1


def test_every_command_works_over_a_server_with_a_token(service: Service, tmp_path: Path) -> None:
    """R1-28 … R1-40 by the command line; what belongs on the server's machine says so."""
    me = service.person(service.token("operator"), tmp_path / "me")
    secret = service.worker_account("rack-4")
    service.start()
    docs = me.cwd / "docs"
    docs.mkdir()
    text_pdf(docs / "alpha.pdf", "Alpha", "Beta")
    text_pdf(docs / "gamma.pdf", "Gamma")

    assert said(me, "doctor", code=ANY)["findings"][3]["message"].startswith(f"{service.url}, version ")
    assert said(me, "ingest", "docs")["queued"] == 2
    assert said(me, "ingest", "docs")["queued"] == 0
    assert said(me, "search-queue", "alp")["jobs"][0]["id"] == "1"
    assert said(me, "worker", "--dry-run")["waiting"] == 2
    assert said(me, "reprioritize", "#1", "high")["job"]["priority"] == 2
    assert said(me, "pause", "pdf")["pause"]["by"] == "token:1"
    assert said(me, "why", "#1")["reason"] == "paused"
    assert said(me, "resume", "pdf")["pause"]["type"] == "pdf"
    assert said(me, "cancel", "#2", "#99", code=exit_codes.PARTIAL)["done"] == 1
    assert said(me, "retry", "#2")["job"]["state"] == "pending"
    assert service.worker(secret, "--drain", job_type="pdf").result()["completed"] == 2
    assert said(me, "status")["counts"]["pdf"]["completed"] == 2
    assert said(me, "dashboard")["counts"]
    assert said(me, "workers")["past"][0]["name"] == "rack-4"
    assert {job["state"] for job in said(me, "list")["jobs"]} == {"completed"}
    assert said(me, "why", "#1")["job"]["id"] == "1"
    assert said(me, "logs", "#1")["attempts"] == []
    assert said(me, "download", "#1", "-o", "alpha.out")["pages"] == 2
    assert said(me, "preview", "#2")["markdown"].startswith("# Gamma")
    assert said(me, "hydrate", "docs")["written"] == 2
    assert said(me, "search", "alpha")["found"] == 1
    assert said(me, "manifest")["documents"] == 2
    assert said(me, "lookup", str(docs / "alpha.pdf"), code=ANY)
    assert said(me, "plan")
    assert said(me, "reprocess", "#1")["current"] == 1
    assert said(me, "retry-all", "--dead")["matched"] == 0
    (docs / "broken.pdf").write_text("%PDF-1.7 and nothing more")
    assert said(me, "submit", "docs/broken.pdf")["queued"] == 1
    assert service.worker(secret, "--drain", job_type="pdf").result(exit_code=exit_codes.PARTIAL)["failed"] == 1
    assert said(me, "logs", "#3")["attempts"][0]["traceback"]
    assert service.error_logs() != []
    assert said(me, "clear-dead", "--yes")["cleared"] == 1
    assert service.error_logs() == []


@pytest.mark.parametrize(
    "command",
    ["gc", "janitor", "manifest rebuild", "worker", "token list", "token create", "workers create rack-5", "server"],
)
def test_what_belongs_elsewhere_says_where(tmp_path: Path, command: str) -> None:
    """Nobody has to answer for that."""
    me = Blobforge(tmp_path, tmp_path / "home")

    done = me.call(*command.split(), BLOBFORGE_SERVER_URL="http://127.0.0.1:9", BLOBFORGE_TOKEN="bf_" + "0" * 32)

    assert done.exit_code == exit_codes.USAGE
    assert "server" in done.stderr
    assert "machine" in done.stderr or "BLOBFORGE_DB_PATH" in done.stderr


def test_what_a_role_may_not_do_ends_with_a_code_of_its_own(service: Service, tmp_path: Path) -> None:
    viewer = service.person(service.token("viewer"), tmp_path / "viewer")
    stranger = service.person("bf_" + "0" * 32, tmp_path / "stranger")
    service.start()

    assert said(viewer, "list")["jobs"] == []
    assert said(viewer, "cancel", "#1", code=ANY)
    assert said(stranger, "list", code=exit_codes.REFUSED)["error"]["code"] == "not_signed_in"
    nobody = stranger.call("list", BLOBFORGE_TOKEN="")
    assert nobody.exit_code == exit_codes.REFUSED
    assert "BLOBFORGE_TOKEN" in nobody.stderr


def test_a_server_that_is_away_is_told_with_what_to_look_at(tmp_path: Path) -> None:
    me = Blobforge(tmp_path, tmp_path / "home")

    done = me.call("list", BLOBFORGE_SERVER_URL="http://127.0.0.1:9")

    assert done.exit_code == exit_codes.ERROR
    assert "http://127.0.0.1:9 does not answer" in done.stderr
    assert "BLOBFORGE_SERVER_URL" in done.stderr


def test_convert_stays_on_this_machine_and_remote_writes_the_same_files(service: Service, tmp_path: Path) -> None:
    me = service.person(service.token("operator"), tmp_path / "me")
    secret = service.worker_account("rack-4")
    service.start()
    docs = me.cwd / "docs"
    docs.mkdir()
    text_pdf(docs / "alpha.pdf", "Alpha", "Beta")
    (docs / "again.pdf").write_bytes((docs / "alpha.pdf").read_bytes())
    (docs / "broken.pdf").write_text("%PDF-1.7 and nothing more")

    here = me.convert("docs", "-o", "here")
    assert said(me, "list")["jobs"] == []

    worker = service.worker(secret, job_type="pdf")
    there = me.convert("docs", "-o", "there", "--remote")
    again = me.convert("docs", "-o", "there", "--remote")
    worker.send(signal.SIGTERM)
    worker.result()

    assert here.code == there.code == exit_codes.PARTIAL
    assert here.outcomes == there.outcomes
    assert here.codes == there.codes
    assert files_below(me.cwd / "here") == files_below(me.cwd / "there")
    assert (me.cwd / "here/alpha.md").read_bytes() == (me.cwd / "there/alpha.md").read_bytes()
    assert again.outcomes["alpha.pdf"] == "cached"


def test_convert_remote_says_what_a_server_does_not_do(tmp_path: Path) -> None:
    me = Blobforge(tmp_path, tmp_path / "home")
    text_pdf(tmp_path / "a.pdf", "Alpha")
    url = {"BLOBFORGE_SERVER_URL": "http://127.0.0.1:9"}

    no_server = me.call("convert", "a.pdf", "-o", "out", "--remote")
    some_pages = me.call("convert", "a.pdf", "-o", "out", "--remote", "--pages", "1", **url)
    password = me.call("convert", "a.pdf", "-o", "out", "--remote", "--password-file", "a.pdf", **url)

    assert {done.exit_code for done in (no_server, some_pages, password)} == {exit_codes.USAGE}
    assert "BLOBFORGE_SERVER_URL" in no_server.stderr
    assert "pages" in some_pages.stderr
    assert "--password-file" in password.stderr
