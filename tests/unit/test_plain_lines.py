"""What commands say that set up no logging."""

import logging

import pytest

from blobforge.telemetry.lazy import LazyLogger
from blobforge.telemetry.plain_lines import PlainLines


@pytest.fixture
def unheard(monkeypatch: pytest.MonkeyPatch) -> LazyLogger:
    """A logger in a program that has set up nothing, as `status` and `doctor` are."""
    monkeypatch.setattr(logging, "lastResort", PlainLines())
    # Apart from the root, where the tests themselves listen.
    monkeypatch.setattr(logging.getLogger("blobforge"), "parent", None)
    monkeypatch.setattr(logging.getLogger("a_library"), "parent", None)
    return LazyLogger("blobforge.coordination.bucket.stored_state")


def test_a_warning_is_a_line_for_people_and_no_dictionary(
    unheard: LazyLogger, capsys: pytest.CaptureFixture[str]
) -> None:
    unheard.warning("a marker was not written by BlobForge", hash="ab12", tier="3_normal", token="s3cret")

    said = capsys.readouterr().err
    assert said == "warning: a marker was not written by BlobForge (hash=ab12, tier=3_normal, token=***)\n"


def test_a_line_of_a_library_is_one_line_without_a_password(
    unheard: LazyLogger, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unheard is not None

    logging.getLogger("a_library").warning("no answer from %s\n%s", "https://me:opensesame@host/", "later")

    assert capsys.readouterr().err == "warning: no answer from https://me:***@host/\\nlater\n"


def test_what_is_no_warning_is_not_said(unheard: LazyLogger, capsys: pytest.CaptureFixture[str]) -> None:
    unheard.info("all is well")

    assert capsys.readouterr().err == ""
