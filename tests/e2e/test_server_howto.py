"""The examples of the how-to page on servers, each run as it stands there, on a real server with a real worker."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.service import Service
from tests.pdfs import text_pdf

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "use-a-server.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.close()


def test_every_example_runs_as_it_stands(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In their order: a result of the first is there for the next."""
    token, secret = service.token("operator"), service.worker_account("rack-4")
    service.start()
    service.worker(secret, job_type="pdf").wait_for("worker started")
    text_pdf(tmp_path / "report.pdf", "One", "Two")
    text_pdf(tmp_path / "other.pdf", "Three")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOBFORGE_SERVER_URL", service.url)
    monkeypatch.setenv("BLOBFORGE_TOKEN", token)

    assert len(EXAMPLES) >= 5
    for example in EXAMPLES:
        exec(compile(example, PAGE.name, "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out, example
