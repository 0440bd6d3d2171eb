"""How a call ends that did not go well: one line for people or an object for programs, and an exit code."""

import os
import sys
import traceback
from typing import NamedTuple

import click

from blobforge.cli import exit_codes, output
from blobforge.domain.errors import BlobForgeError, Interrupted

_SETTINGS = {"--project": "The project is a setting: write BLOBFORGE_PROJECT=NAME before the command."}
"""What people look for among the options of commands, and where it is."""


class FailureReport(NamedTuple):
    """`hint` goes to stderr, whatever form the message has."""

    code: str
    message: str
    exit_code: int
    hint: str = ""


def report(error: BaseException, *, as_json: bool, log_level: str | None) -> int:
    """Says what happened and returns the exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    ending = _expected(error) or _from_click(error) or _unexpected(error, log_level)
    if ending.exit_code == exit_codes.INTERRUPTED and output.is_terminal(sys.stderr):
        output.say("")  # after the ^C that the terminal has written
    if as_json:
        output.print_json({"error": {"code": ending.code, "message": ending.message}})
    else:
        output.complain(f"{ending.message} [{ending.code}]")
    if ending.hint:
        output.say(ending.hint)
    return ending.exit_code


def _expected(error: BaseException) -> FailureReport | None:
    # click's prompts turn Ctrl-C into Abort.
    cause = error.__context__ if isinstance(error, click.Abort) else error
    if isinstance(cause, KeyboardInterrupt):
        return FailureReport(Interrupted.code, "interrupted", exit_codes.INTERRUPTED)
    if isinstance(error, BlobForgeError):
        return FailureReport(error.code, str(error), exit_codes.exit_code(error))
    return None


def _from_click(error: BaseException) -> FailureReport | None:
    match error:
        case click.NoSuchOption(option_name=option) if option in _SETTINGS:
            return FailureReport("usage", f"No such option {option!r}", exit_codes.USAGE, _SETTINGS[option])
        case click.UsageError():
            hint = f"Try '{error.ctx.command_path} --help' for help." if error.ctx else ""
            return FailureReport("usage", " ".join(error.format_message().split()).rstrip("."), exit_codes.USAGE, hint)
        case click.ClickException():
            return FailureReport("error", error.format_message(), error.exit_code)
        case click.Abort():
            return FailureReport("aborted", "aborted", exit_codes.ERROR)
        case _:
            return None


def _unexpected(error: BaseException, log_level: str | None) -> FailureReport:
    message = f"{type(error).__name__}: {error}"
    wanted = log_level or os.environ.get("BLOBFORGE_LOG_LEVEL", "")
    if wanted.lower() == "debug":
        traceback.print_exception(error, file=sys.stderr)
        return FailureReport("unexpected", message, exit_codes.ERROR)
    hint = "Nobody expected this: run it again with --log-level debug to see where it arose."
    return FailureReport("unexpected", message, exit_codes.ERROR, hint)
