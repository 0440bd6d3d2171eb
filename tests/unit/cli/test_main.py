"""The frame around every command."""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import click
import pytest
from tests.unit.cli.conftest import PROGRAM, Call, Run
from tests.unit.cli.conftest import Terminal as InTerminal
from tests.unit.cli.queues import queue_at

from blobforge.cli import context
from blobforge.cli.main import COMMANDS, SECTIONS, cli, run
from blobforge.domain.errors import DiskFull
from blobforge.testing.builders import new_job

HEAVY = ("pydantic", "sqlalchemy", "rich", "structlog", "liteparse", "importlib.metadata", "blobforge.config")


@pytest.fixture
def extra(monkeypatch: pytest.MonkeyPatch) -> dict[str, click.Command]:
    """Commands for the time of a test."""
    commands: dict[str, click.Command] = {}
    monkeypatch.setattr(cli, "commands", commands)
    monkeypatch.setattr(cli, "summaries", {**COMMANDS, "probe": "A command for a test"})
    return commands


def test_help_groups_the_commands_as_people_look_for_them(call: Call) -> None:
    lines = call("--help").stdout.splitlines()

    titles = [line.removesuffix(":") for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Options", *SECTIONS]
    assert all(1 <= len(section) <= 10 for section in SECTIONS.values())
    for title, section in SECTIONS.items():
        first = lines.index(f"{title}:") + 1
        assert [line.split()[0] for line in lines[first : first + len(section)]] == list(section)
    columns = {line.index(summary) for line in lines for summary in COMMANDS.values() if line.endswith(f"  {summary}")}
    assert len(columns) == 1, "the lines begin in one column"


def test_help_lists_every_command_with_its_line(call: Call) -> None:
    result = call("--help")

    assert result.exit_code == 0
    for name, summary in COMMANDS.items():
        assert name in result.stdout
        assert summary in result.stdout


@pytest.mark.parametrize("names", [[], ["hydrate"], ["config", "check"]])
def test_the_command_help_says_what_the_option_says(names: list[str], call: Call) -> None:
    assert call("help", *names).stdout == call(*names, "--help").stdout
    assert "-h, --help" in call("help", *names).stdout


def test_short_help_is_the_same(call: Call) -> None:
    assert call("-h").stdout == call("--help").stdout
    assert call("config", "show", "-h").stdout == call("config", "show", "--help").stdout


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["--log-level", "debug", "--help"]])
def test_help_imports_nothing_heavy(args: list[str]) -> None:
    script = (
        "import sys\nfrom blobforge.cli.main import run\n"
        f"code = run({args!r})\nprint(code, [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)

    assert result.stderr == "0 []\n"


def test_version_is_one_line(call: Call) -> None:
    assert call("--version").stdout == "blobforge 0.1.0\n"


@pytest.mark.parametrize("args", [[], ["config"]])
def test_without_a_command_help_is_a_usage_error_on_stderr(call: Call, args: list[str]) -> None:
    result = call(*args)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "Show and check the settings" in result.stderr


def test_a_misspelt_command_gets_the_nearest_one(call: Call) -> None:
    result = call("verzion")

    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "error: no such command as 'verzion'; did you mean 'version'? [usage]",
        "Try 'blobforge --help' for help.",
    ]


def test_a_command_that_is_near_nothing_gets_no_guess(call: Call) -> None:
    assert call("config", "xyzzy").stderr.splitlines()[0] == "error: no such command as 'xyzzy' [usage]"


def test_an_unknown_option_points_to_the_commands_help(call: Call) -> None:
    result = call("version", "--nope")

    assert result.exit_code == 2
    assert "--nope" in result.stderr
    assert "Try 'blobforge version --help' for help." in result.stderr


def test_an_unknown_global_option_is_a_usage_error(call: Call) -> None:
    result = call("--nope")

    assert result.exit_code == 2
    assert "--nope" in result.stderr


def test_a_usage_error_for_programs_is_an_object_on_stdout(call: Call) -> None:
    result = call("version", "--nope", "--json")

    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["code"] == "usage"


def test_json_after_two_dashes_is_an_argument(call: Call) -> None:
    result = call("completion", "--", "--json")

    assert (result.exit_code, result.stdout) == (2, "")


def test_a_command_whose_module_is_missing_is_an_ordinary_import_error(
    call: Call, extra: dict[str, click.Command]
) -> None:
    result = call("probe")

    assert result.exit_code == 1
    assert "ModuleNotFoundError: No module named 'blobforge.cli.commands.probe'" in result.stderr


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (3, 3)])
def test_a_command_returns_its_exit_code(
    call: Call, extra: dict[str, click.Command], returned: int | None, code: int
) -> None:
    extra["probe"] = click.Command("probe", callback=lambda: returned)

    assert call("probe").exit_code == code


def test_a_deliberate_error_anywhere_is_told_in_one_line(call: Call, extra: dict[str, click.Command]) -> None:
    def fail() -> None:
        raise DiskFull("out/: no space left")

    extra["probe"] = click.Command("probe", callback=fail)

    result = call("probe")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: out/: no space left [disk_full]\n"


@pytest.mark.parametrize("stdout", [None, io.StringIO(), sys.__stdout__], ids=["none", "text", "file"])
def test_a_broken_pipe_of_the_command_itself_is_not_taken_for_a_closed_stdout(
    extra: dict[str, click.Command],
    stdout: TextIO | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdout", stdout)

    def fail() -> None:
        raise BrokenPipeError(32, "Broken pipe")

    extra["probe"] = click.Command("probe", callback=fail)

    assert run(["probe"]) == 1
    assert "BrokenPipeError" in capsys.readouterr().err


def test_the_log_level_may_stand_before_or_after_the_command(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def level(*args: str) -> tuple[object, object]:
        entries = json.loads(call(*args).stdout)["settings"]
        entry = next(entry for entry in entries if entry["name"] == "log_level")
        return entry["value"], entry["place"]

    assert level("--log-level", "debug", "config", "show", "--json") == ("DEBUG", "--log-level")
    assert level("config", "show", "--json", "--log-level", "DEBUG") == ("DEBUG", "--log-level")
    assert level("config", "--log-level", "warning", "show", "--json") == ("WARNING", "--log-level")


def test_completion_offers_commands_without_importing_them(run: Run) -> None:
    result = run(_BLOBFORGE_COMPLETE="bash_complete", COMP_WORDS="blobforge co", COMP_CWORD="1")

    assert result.stdout.splitlines() == ["plain,convert", "plain,config", "plain,completion"]


def test_completion_offers_options_and_their_values(run: Run) -> None:
    options = run(_BLOBFORGE_COMPLETE="bash_complete", COMP_WORDS="blobforge version --l", COMP_CWORD="2")
    levels = run(_BLOBFORGE_COMPLETE="bash_complete", COMP_WORDS="blobforge --log-level d", COMP_CWORD="2")
    inner = run(_BLOBFORGE_COMPLETE="bash_complete", COMP_WORDS="blobforge config s", COMP_CWORD="2")

    assert options.stdout == "plain,--log-level\n"
    assert levels.stdout == "plain,debug\n"
    assert inner.stdout == "plain,show\n"


def test_completion_after_an_unknown_command_offers_nothing(run: Run) -> None:
    result = run(_BLOBFORGE_COMPLETE="bash_complete", COMP_WORDS="blobforge nope x", COMP_CWORD="2")

    assert (result.stdout.strip(), result.stderr) == ("", "")


@pytest.mark.parametrize("args", ["config show", "config show --json", "version", "--help", "version --nope --json"])
def test_a_reader_that_goes_away_ends_the_call_quietly(args: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)

    result = subprocess.run([str(PROGRAM), *args.split()], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)

    os.close(writer)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize(
    "args",
    [
        *(["version"], ["--version"], ["--help"], ["help"], ["config", "show"], ["completion", "bash"]),
        *(["version", "--json"], ["version", "--json", "--nope"]),
    ],
)
def test_a_full_disk_behind_stdout_is_an_error(args: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run([str(PROGRAM), *args], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)

    assert (result.returncode, result.stderr) == (1, "error: cannot write to stdout: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("args", [["list"], ["dashboard"], ["watch"]])
def test_a_full_disk_behind_a_view_of_the_queue_is_an_error(args: list[str], tmp_path: Path) -> None:
    with queue_at(tmp_path) as queue, Path("/dev/full").open("w") as full:
        queue.submit([new_job("one")])
        settings = {**os.environ, "HOME": str(tmp_path)}
        result = subprocess.run(
            [str(PROGRAM), *args], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, env=settings
        )

    assert (result.returncode, result.stderr) == (1, "error: cannot write to stdout: No space left on device\n")


def test_a_full_disk_of_the_command_itself_is_not_taken_for_that_of_stdout(
    extra: dict[str, click.Command], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "out.md")

    extra["probe"] = click.Command("probe", callback=fail)

    assert run(["probe"]) == 1
    assert "No space left on device: 'out.md'" in capsys.readouterr().err


def test_a_closed_stdout_is_no_reason_to_break() -> None:
    result = subprocess.run(["bash", "-c", f"{PROGRAM} version >&-"], capture_output=True, text=True, timeout=60)

    assert (result.returncode, result.stderr) == (0, "")


def test_an_interrupted_call_exits_130(call: Call, extra: dict[str, click.Command]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    extra["probe"] = click.Command("probe", callback=interrupt)

    assert call("probe").exit_code == 130


def test_run_gives_the_exit_code_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0


def test_a_warning_about_settings_is_printed_once_however_often_they_are_asked_for(
    call: Call, extra: dict[str, click.Command], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOBFORGE_SLOTZ", "4")

    def ask() -> None:
        assert context.settings() is context.settings()
        assert context.settings(slots=5).worker.slots == 5

    extra["probe"] = click.Command("probe", callback=ask)

    result = call("probe")
    assert result.exit_code == 0
    assert result.stderr == "warning: environment BLOBFORGE_SLOTZ: no such setting; did you mean BLOBFORGE_SLOTS?\n"


def test_a_command_can_log_as_the_settings_say() -> None:
    script = (
        "import click\nfrom blobforge.cli import context\nfrom blobforge.telemetry.logging import get_logger\n"
        "with click.Context(click.Command('probe')):\n"
        "    context.start_logging(context.settings(log_level='warning'))\n"
        "    get_logger('blobforge.probe').info('too quiet')\n"
        "    get_logger('blobforge.probe').warning('lease lost', attempt=1)\n"
    )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)

    assert result.stdout == ""
    assert json.loads(result.stderr)["event"] == "lease lost"


def test_help_fits_a_narrow_terminal(terminal: InTerminal) -> None:
    screen = terminal("--help", columns=60)

    assert screen.code == 0
    assert max(map(len, screen.lines)) <= 60
