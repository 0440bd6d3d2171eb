"""What a worker says at its end."""

import pytest

from blobforge import extras
from blobforge.cli.worker_ending import InLog, InWords
from blobforge.worker.observer import Tally


@pytest.fixture(autouse=True)
def _installed_from_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "pip", lambda: "/venv/bin/python -m pip")
    monkeypatch.setattr(extras, "folder_installed_from", lambda: "/srv/blobforge")


TALLY = Tally(completed=3, failed=1, released=2, gaps=1, doubts=2, cancelled=1)
NEEDS = {"engine:marker ocr:deu": 2, "tool:tesseract": 1}


def test_people_read_words(capsys: pytest.CaptureFixture[str]) -> None:
    ending = InWords()

    ending.ended(TALLY, is_told_as_json=False)
    ending.left_behind(NEEDS)
    ending.interrupted()

    assert capsys.readouterr().err.splitlines() == [
        "3 completed (1 with gaps, 2 with doubts), 1 failed, 1 cancelled, 2 released, 0 lost",
        (
            "warning: 2 jobs wait for what this worker has not: the engine marker and the language deu of tesseract; "
            "to bring it: /venv/bin/python -m pip install '/srv/blobforge[marker]'; apt install tesseract-ocr-deu"
        ),
        "warning: 1 job waits for what this worker has not: tesseract; to bring it: apt install tesseract-ocr",
        "interrupted before all was done; the same command goes on",
    ]


def test_what_is_told_as_json_is_not_told_a_second_time(capsys: pytest.CaptureFixture[str]) -> None:
    InWords().ended(TALLY, is_told_as_json=True)

    assert capsys.readouterr().err == ""


def test_a_log_has_lines_of_the_log_only(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    """R2-12."""
    caplog.set_level("INFO", "blobforge")
    ending = InLog()

    ending.ended(TALLY, is_told_as_json=True)
    ending.left_behind(NEEDS)
    ending.interrupted()

    assert capsys.readouterr() == ("", "")
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 4
    for text in (
        "worker ended",
        "'gaps': 1",
        "/srv/blobforge[marker]",
        "engine:marker",
        "interrupted before all was done",
    ):
        assert any(text in line for line in told), text
