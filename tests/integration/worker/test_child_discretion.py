"""What is told of the documents of a discreet processor: what kind of thing went wrong, and where in the code."""

from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import Start, a_task, ask, refused

from blobforge.domain.errors import ChildKilled

SECRET = "Mustermann"


@pytest.mark.parametrize(("words", "kind"), [("raise", "ValueError"), ("open", "FileNotFoundError")])
def test_an_error_is_told_by_its_type_and_its_place(start: Start, tmp_path: Path, words: str, kind: str) -> None:
    """R3-22, R3-40."""
    answer = refused(ask(start(strange.Discreet), a_task(tmp_path, f"{words} {SECRET}".encode())))

    assert answer.failure.message.startswith(f"{kind} at child_main.py:")
    assert "strange_processors.py:" in answer.failure.message
    assert SECRET not in answer.failure.message + answer.details


def test_a_refusal_keeps_its_own_words_and_not_those_of_its_cause(start: Start, tmp_path: Path) -> None:
    answer = refused(ask(start(strange.Discreet), a_task(tmp_path, f"refuse {SECRET}".encode())))

    assert answer.failure.message == "this is not a PDF"
    assert SECRET not in answer.details


def test_its_last_words_are_heard_by_nobody(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildKilled) as caught:
        ask(start(strange.Discreet), a_task(tmp_path, f"die {SECRET}".encode()))

    assert "SIGKILL" in str(caught.value)
    assert SECRET not in str(caught.value)
