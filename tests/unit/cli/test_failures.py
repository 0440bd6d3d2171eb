"""How calls end that do not go well."""

import io
import json
import sys
from collections.abc import Callable

import click
import pytest

from blobforge.cli.failures import report
from blobforge.domain.errors import Interrupted, InvalidSettings, StoreUnavailable


def ended(action: Callable[[], None], *, as_json: bool = False, log_level: str | None = None) -> int:
    try:
        action()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - as the program does
        return report(error, as_json=as_json, log_level=log_level)
    raise AssertionError("it did not fail")


def raising(error: BaseException) -> Callable[[], None]:
    def action() -> None:
        raise error

    return action


def test_an_error_is_one_line_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    code = ended(raising(StoreUnavailable("queue /x: cannot be\nopened")))

    captured = capsys.readouterr()
    assert (code, captured.out) == (1, "")
    assert captured.err == "error: queue /x: cannot be\\nopened [store_unavailable]\n"


def test_an_error_for_programs_is_an_object_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    code = ended(raising(InvalidSettings("slots: no")), as_json=True)

    captured = capsys.readouterr()
    assert (code, captured.err) == (2, "")
    assert json.loads(captured.out) == {"error": {"code": "invalid_settings", "message": "slots: no"}}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("interrupted")])
def test_an_interruption_ends_as_shells_expect(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(error)) == 130
    assert capsys.readouterr().err == "error: interrupted [interrupted]\n"


def test_an_interruption_on_a_terminal_begins_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("NO_COLOR", "1")

    ended(raising(KeyboardInterrupt()))

    assert screen.getvalue() == "\nerror: interrupted [interrupted]\n"


def test_an_interruption_at_a_question_is_one_too() -> None:
    def asked() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise click.Abort from None

    assert ended(asked) == 130


def test_a_question_answered_with_no_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(click.Abort())) == 1
    assert capsys.readouterr().err == "error: aborted [aborted]\n"


def test_a_complaint_of_click_keeps_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(click.FileError("x.txt", hint="gone"))) == 1
    assert "x.txt" in capsys.readouterr().err


def test_a_usage_error_without_a_command_has_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(click.UsageError("no."))) == 2
    assert capsys.readouterr().err == "error: no [usage]\n"


def test_who_looks_for_the_option_project_is_told_of_the_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(click.NoSuchOption("--project", possibilities=["--prune"]))) == 2
    assert capsys.readouterr().err == (
        "error: No such option '--project' [usage]\n"
        "The project is a setting: write BLOBFORGE_PROJECT=NAME before the command.\n"
    )


def test_an_unexpected_error_says_how_to_see_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(ZeroDivisionError("division by zero"))) == 1

    error, hint = capsys.readouterr().err.splitlines()
    assert error == "error: ZeroDivisionError: division by zero [unexpected]"
    assert "--log-level debug" in hint


def test_an_unexpected_error_shows_where_it_arose_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(raising(ZeroDivisionError("division by zero")), log_level="debug") == 1

    text = capsys.readouterr().err
    assert "Traceback (most recent call last)" in text
    assert "--log-level" not in text


def test_the_environment_can_ask_for_it_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOBFORGE_LOG_LEVEL", "DEBUG")

    ended(raising(ZeroDivisionError("division by zero")))

    assert "Traceback" in capsys.readouterr().err


def test_an_unexpected_error_leaves_stdout_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    ended(raising(ZeroDivisionError("division by zero")), as_json=True, log_level="debug")

    assert json.loads(capsys.readouterr().out) == {
        "error": {"code": "unexpected", "message": "ZeroDivisionError: division by zero"}
    }
