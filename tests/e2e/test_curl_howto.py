"""The commands of the pages on a server, each run as it stands there: by curl and a shell, on a real server."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.e2e.program import PROGRAM, Blobforge, until
from tests.e2e.service import Service
from tests.e2e.test_server_with_worker import Whole
from tests.parts import requires
from tests.shell_blocks import commands_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "library"
WHERE = "http://127.0.0.1:8080"
CURLRC = 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n'
"""What a reader could have in their own: it shows the status after the answer."""


class Answer(NamedTuple):
    status: int
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Reader:
    """Somebody with a shell in a folder of documents, who remembers the variables that they set."""

    def __init__(self, folder: Path, url: str) -> None:
        requires("curl")
        self._folder, self._url = folder, url
        self._set: list[str] = []
        (folder / ".curlrc").write_text(CURLRC)

    def sets(self, line: str) -> None:
        self._set.append(line)

    def types(self, command: str) -> Answer:
        """It is changed in nothing but the port."""
        script = "\n".join(["set -e", *self._set, command]).replace(WHERE, self._url)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self._folder), "CURL_HOME": str(self._folder)}
        done = subprocess.run(
            ["sh", "-c", script], cwd=self._folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        text, _, status = done.stdout.rpartition("\n")
        return Answer(int(status), text)


@pytest.fixture
def whole(blobforge: Blobforge) -> Iterator[Whole]:
    whole = Whole(blobforge)
    yield whole
    whole.process.terminate()
    whole.process.wait(60)


@pytest.fixture
def page() -> Iterator[str]:
    """The next command."""
    return iter(commands_of("convert-by-curl.md", "curl"))


@pytest.fixture
def reader(tmp_path: Path, whole: Whole) -> Reader:
    for name, example in {"book": "handbook", "big": "rulebook", "report": "report"}.items():
        shutil.copy(EXAMPLES / f"{example}.pdf", tmp_path / f"{name}.pdf")
    return Reader(tmp_path, whole.url)


def test_every_command_of_the_page_on_curl_runs_as_it_stands(
    reader: Reader, page: Iterator[str], blobforge: Blobforge, tmp_path: Path
) -> None:
    """In their order, of which the numbers of the jobs come."""
    assert reader.types(next(page)).status == 200
    assert "#" in (tmp_path / "book.md").read_text(encoding="utf-8")

    later = reader.types(next(page))
    assert later.status == 202
    assert "location: /api/jobs/2" in later.text
    markdown = next(page)
    until(lambda: reader.types(markdown).status == 200)
    assert "#" in (tmp_path / "big.md").read_text(encoding="utf-8")
    again = reader.types(next(page))
    assert (again.status, again.json["job_id"]) == (200, 2)
    assert reader.types(next(page)).json["url"].startswith(f"{reader._url}/blobs/outputs/")

    # Nobody takes the third before it is steered.
    assert blobforge.call("pause", "pdf").exit_code == 0
    for _ in range(2):  # the hash and the size
        reader.sets(next(page))
    announced = reader.types(next(page))
    assert (announced.status, announced.json["job_id"]) == (201, 3)
    reader.sets(f"UPLOAD_URL='{announced.json['upload_url']}'")
    assert reader.types(next(page)).status == 201
    assert reader.types(next(page)).status == 200

    steers(reader, page, reader.types(f"curl '{WHERE}/api/jobs/3'"))
    why, attempts, log = (reader.types(next(page)) for _ in range(3))
    assert (why.json["reason"], attempts.json, log.json) == ("cancelled", {"attempts": []}, {"attempts": []})
    assert list(page) == []


def steers(reader: Reader, page: Iterator[str], before: Answer) -> None:
    assert before.json["status"] == "pending"
    failed, sooner, retried, cancelled = (reader.types(next(page)) for _ in range(4))
    assert (failed.status, failed.json["jobs"]) == (200, [])
    assert sooner.status == 200
    assert retried.status == 409, "it is pending"
    assert "pending" in retried.json["detail"]
    assert cancelled.status == 200
    assert reader.types(f"curl '{WHERE}/api/jobs/3'").json["status"] == "cancelled"

    none_left, none_dead = reader.types(next(page)), reader.types(next(page))
    assert (none_left.status, none_left.json["matched"]) == (200, 1)
    assert [problem["job_id"] for problem in none_left.json["problems"]] == [4]
    assert (none_dead.status, none_dead.json["matched"]) == (200, 0)

    unchanged, only_then = next(page), next(page)
    headers = reader.types(f"curl -i '{WHERE}/api/jobs/3'").text.lower().splitlines()
    (etag,) = [line.removeprefix("etag: ") for line in headers if line.startswith("etag: ")]
    assert reader.types(unchanged.replace('"7"', etag)).status == 304
    assert reader.types(only_then.replace('"7"', '"0"')).status == 412


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


def test_the_commands_of_the_page_on_servers_make_a_token_and_work_from_elsewhere(
    service: Service, tmp_path: Path
) -> None:
    secret = service.worker_account("rack4")
    service.start()
    mine = tmp_path / "mine"
    (mine / "inbox").mkdir(parents=True)
    shutil.copy(EXAMPLES / "report.pdf", mine / "inbox")
    makes, exports, submits, asks, downloads, *_ = commands_of(
        "run-a-server.md", "umask", "export", "blobforge submit", "blobforge status", "blobforge download"
    )

    on_the_machine = typed(mine, makes, BLOBFORGE_HOME=str(service.home.folder))
    exports = exports.replace("http://forge.example.org:8080", service.url)
    elsewhere = {"BLOBFORGE_HOME": str(tmp_path / "elsewhere")}
    submitted = typed(mine, f"{exports}\n{submits}", **elsewhere)
    assert service.worker(secret, "--drain", job_type="pdf").result()["completed"] == 1
    status = typed(mine, f"{exports}\n{asks}", **elsewhere)
    typed(mine, f"{exports}\n{downloads}", **elsewhere)

    assert "operator" in on_the_machine
    assert (mine / "alice.token").stat().st_mode & 0o077 == 0
    assert "1" in submitted
    assert status.splitlines()[-1].split() == ["pdf", "0", "0", "1", "0", "0", "0"]
    assert any(path.suffix in (".zip", ".md") for path in mine.rglob("*") if "inbox" not in path.parts)


def typed(folder: Path, script: str, **variables: str) -> str:
    """What was said, on either stream."""
    environment = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "HOME": str(folder), **variables}
    done = subprocess.run(
        ["sh", "-c", f"set -e\n{script}"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (script, done.stderr)
    return done.stdout + done.stderr
