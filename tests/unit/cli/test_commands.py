"""The commands version, config, processors and completion."""

import json
import os
import subprocess
from importlib.metadata import requires
from pathlib import Path

import pytest
from tests.unit.cli.conftest import PROGRAM, Call, Run
from tests.unit.cli.conftest import Terminal as InTerminal
from tests.unit.cli.packages import WITHOUT_ENGINE, WORKING, install

from blobforge.cli.commands.completion import INSTALL
from blobforge.config.catalog import catalog
from blobforge.domain.needs import EXTRAS
from blobforge.plugins import Group, load_engine, names
from blobforge.processors.pdf_markdown.engines.pymupdf4llm import Pymupdf4llmEngine


def test_version_for_programs_names_every_engine(call: Call) -> None:
    document = json.loads(call("version", "--json").stdout)

    assert list(document) == ["blobforge", "python", "platform", "engines"]
    assert list(document["engines"]) == list(names(Group.ENGINES))
    assert document["engines"]["liteparse"]


def test_version_for_people_says_what_is_not_installed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pymupdf4llmEngine, "info", Pymupdf4llmEngine.info._replace(distribution="imaginary-engine"))

    lines = call("version").stdout.splitlines()

    assert lines[0].split() == ["PART", "VERSION"]
    assert lines[1].split() == ["blobforge", "0.1.0"]
    assert lines[-1].split(maxsplit=2) == ["engine", "pymupdf4llm", "not installed"]


def test_every_engine_is_a_package_that_can_be_asked_for() -> None:
    required = " ".join(requires("blobforge") or [])

    assert all(load_engine(name).info.distribution in required for name in names(Group.ENGINES))
    assert EXTRAS - {"lab"} == set(names(Group.ENGINES)) - {"blobforge"}


def test_config_show_says_where_each_value_came_from(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blobforge.toml").write_text("slots = 3\n")
    monkeypatch.setenv("BLOBFORGE_LEASE_SECONDS", "90")

    result = call("config", "show")

    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in result.stdout.splitlines()}
    assert rows["slots"] == ["3", f"file {tmp_path / 'blobforge.toml'}"]
    assert rows["lease_seconds"] == ["90", "environment BLOBFORGE_LEASE_SECONDS"]
    assert rows["worker_id"] == ["auto", "default"]
    assert f"Read: {tmp_path / 'blobforge.toml'}" in result.stderr
    assert f"Not found: {tmp_path / '.config/blobforge/config.toml'}" in result.stderr


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        ({}, None),
        ({"BLOBFORGE_STORE": "file:///srv/blobs"}, "file:///srv/blobs"),
        ({"BLOBFORGE_QUEUE": "sqlite:////srv/queue.db"}, "file://"),
    ],
)
def test_config_show_names_no_store_of_this_machine_for_one_that_a_server_keeps(
    call: Call, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], shown: str | None
) -> None:
    for name, value in ({"BLOBFORGE_QUEUE": "http://forge.example.org:8080"} | environ).items():
        monkeypatch.setenv(name, value)

    (row,) = [line for line in call("config", "show").stdout.splitlines() if line.startswith("store ")]
    settings = json.loads(call("config", "show", "--json").stdout)["settings"]
    (told,) = [entry["value"] for entry in settings if entry["name"] == "store"]

    assert (shown or "the server's") in row
    assert told is None if shown is None else told.startswith(shown)


def test_config_show_for_programs_has_stable_fields(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_MAX_RETRIES", "5")

    document = json.loads(call("config", "show", "--json").stdout)

    assert [entry["name"] for entry in document["settings"]] == [setting.name for setting in catalog()]
    assert next(entry for entry in document["settings"] if entry["name"] == "max_attempts") == {
        "name": "max_attempts",
        "value": 5,
        "source": "environment",
        "place": "BLOBFORGE_MAX_RETRIES",
        "environment": "BLOBFORGE_MAX_ATTEMPTS",
    }
    assert next(entry for entry in document["settings"] if entry["name"] == "worker_id")["place"] is None
    assert [entry["found"] for entry in document["files"]] == [False, False]


@pytest.mark.parametrize("args", [["config", "show"], ["config", "show", "--json"]])
def test_config_show_masks_passwords(call: Call, monkeypatch: pytest.MonkeyPatch, args: list[str]) -> None:
    monkeypatch.setenv("BLOBFORGE_QUEUE", "sqlite://ada:hunter2@host/queue.db")

    result = call(*args)

    assert "sqlite://ada:***@host/queue.db" in result.stdout
    assert "hunter2" not in result.output


def test_config_show_with_a_bad_value_is_a_usage_error(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_SLOTS", "zero")

    result = call("config", "show", "--json")

    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["code"] == "invalid_settings"


def test_config_check_is_content_with_the_defaults(call: Call) -> None:
    result = call("config", "check")

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"All {len(catalog())} settings are good.\n"
    assert json.loads(call("config", "check", "--json").stdout) == {"ok": True, "problems": []}


def test_config_check_lists_every_problem(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_QUEUEE", "x")
    monkeypatch.setenv("BLOBFORGE_SERVER_URL", "forge.example")
    monkeypatch.setenv("BLOBFORGE_SLOTS", "zero")

    result = call("config", "check")

    assert result.exit_code == 2
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        "environment BLOBFORGE_SERVER_URL",
        "environment BLOBFORGE_SLOTS",
        "environment BLOBFORGE_QUEUEE",
    ]
    document = json.loads(call("config", "check", "--json").stdout)
    assert (document["ok"], len(document["problems"])) == (False, 3)


def test_config_check_asks_for_the_backends(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_QUEUE", "carrier-pigeon://loft")

    result = call("config", "check")

    assert result.exit_code == 2
    known = ", ".join(names(Group.QUEUES))
    assert result.stdout == f"queue: no backend for carrier-pigeon:// is installed; there are {known}\n"


@pytest.mark.parametrize("columns", [80, 200])
def test_config_show_fits_the_terminal(terminal: InTerminal, columns: int) -> None:
    screen = terminal("config", "show", columns=columns, NO_COLOR="1")

    assert screen.code == 0
    assert max(map(len, screen.lines)) <= columns
    assert [line.split()[0] for line in screen.lines if line.startswith("lease")] == ["lease_seconds"]


def test_a_terminal_gets_colour_unless_it_says_no(terminal: InTerminal) -> None:
    assert "\x1b[" in terminal("version").lines[0]
    assert "\x1b[" not in "".join(terminal("version", NO_COLOR="1").lines)
    assert "\x1b[" not in "".join(terminal("version", TERM="dumb").lines)


@pytest.fixture
def foreign_packages(tmp_path: Path) -> Path:
    """Good processors, one without its engine, one that raises what it likes, one that cannot be imported."""
    folder = tmp_path / "installed"
    install(
        folder,
        "loud-texts",
        entry_points="[blobforge.processors]\nupper = loud_texts:Upper\n",
        modules={"loud_texts": WORKING},
        version="3.4",
    )
    install(
        folder,
        "quiet-texts",
        entry_points="[blobforge.processors]\nchoosy = quiet_texts:Choosy\nlower = quiet_texts:Lower\n"
        "deaf = quiet_texts:Deaf\nhasty = quiet_texts:Hasty\nsilent = no_such_module:Silent\n",
        modules={"quiet_texts": WITHOUT_ENGINE},
    )
    return folder


def test_processors_for_programs_say_whether_they_can_work(run: Run, foreign_packages: Path) -> None:
    result = run("processors", "--json", PYTHONPATH=str(foreign_packages))

    found = {entry["name"]: entry for entry in json.loads(result.stdout)["processors"]}
    assert result.returncode == 0
    assert found["upper"] == {
        "name": "upper",
        "version": "2.1",
        "summary": "Makes text loud",
        "types": ["shout", "text"],
        "engine": "horn",
        "engine_version": "7",
        "engines": [{"name": "horn", "version": "7", "problem": None}],
        "available": True,
        "problem": None,
        "package": "loud-texts",
        "package_version": "3.4",
    }
    assert found["lower"]["version"] == "1.0"
    assert found["lower"]["problem"]["code"] == "engine_unavailable"
    assert found["silent"]["version"] is None
    assert "package quiet-texts 1.0 does not work" in found["silent"]["problem"]["message"]
    assert found["hasty"]["problem"] == {
        "code": "engine_unavailable",
        "message": "processor 'hasty' of package quiet-texts 1.0 does not work: KeyError: 'engine'",
    }


def test_processors_name_each_engine_that_can_be_chosen(run: Run, foreign_packages: Path) -> None:
    result = run("processors", "--json", PYTHONPATH=str(foreign_packages))

    found = {entry["name"]: entry for entry in json.loads(result.stdout)["processors"]}
    assert (found["choosy"]["engine"], found["choosy"]["available"]) == ("liteparse", True)
    assert found["choosy"]["engines"] == [
        {"name": "blobforge", "version": "7", "problem": None},
        {"name": "liteparse", "version": "7", "problem": None},
        {
            "name": "marker",
            "version": None,
            "problem": {"code": "engine_unavailable", "message": "engine marker is not installed"},
        },
        {"name": "pymupdf4llm", "version": "7", "problem": None},
    ]


def test_processors_for_people_list_the_good_and_warn_of_the_others(run: Run, foreign_packages: Path) -> None:
    result = run("processors", PYTHONPATH=str(foreign_packages))

    rows = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert "horn 7" in rows["upper"]
    assert rows["upper"].endswith("Makes text loud")
    assert "liteparse 7, pymupdf4llm 7; not installed: marker" in rows["choosy"]
    assert rows["lower"].split()[:4] == ["lower", "1.0", "hush", "none"]
    assert "warning: lower: engine cotton is not installed: pip install cotton" in result.stderr.splitlines()
    assert "warning: processor 'silent' of package quiet-texts 1.0 does not work: " in result.stderr


def test_a_processor_without_what_it_needs_is_not_available(run: Run, foreign_packages: Path) -> None:
    for_programs = run("processors", "--json", PYTHONPATH=str(foreign_packages))
    for_people = run("processors", PYTHONPATH=str(foreign_packages))

    found = {entry["name"]: entry for entry in json.loads(for_programs.stdout)["processors"]}
    assert (found["deaf"]["available"], found["deaf"]["engines"]) == (False, [])
    rows = {line.split()[0]: line.split() for line in for_people.stdout.splitlines()}
    assert rows["deaf"][:4] == ["deaf", "1.0", "silence", "none"]
    assert "warning: deaf: the engine trumpet is not installed here\n" in for_people.stderr


@pytest.mark.parametrize("shell", list(INSTALL))
def test_completion_prints_a_script_and_how_to_install_it(call: Call, shell: str) -> None:
    result = call("completion", shell)

    assert result.exit_code == 0
    assert "_BLOBFORGE_COMPLETE" in result.stdout
    assert result.stdout.endswith(f"# To install: {INSTALL[shell]}\n")
    document = json.loads(call("completion", shell, "--json").stdout)
    assert document == {"shell": shell, "install": INSTALL[shell], "script": result.stdout}


def test_the_script_for_zsh_begins_as_zsh_wants(call: Call) -> None:
    assert call("completion", "zsh").stdout.startswith("#compdef blobforge\n")


def test_the_script_for_bash_is_one_that_bash_runs(call: Call) -> None:
    script = call("completion", "bash").stdout
    press_tab = f"COMP_WORDS=(blobforge config s) COMP_CWORD=2; _blobforge_completion {PROGRAM}; echo ${{COMPREPLY[@]}}"

    result = subprocess.run(["bash", "-c", script + press_tab], capture_output=True, text=True, timeout=60)

    assert (result.stdout, result.stderr) == ("show\n", "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("convert --engine l", ["liteparse"]),
        ("reprocess --engine m", ["marker"]),
        ("plan --engine ''", ["blobforge", "docling", "liteparse", "marker", "pymupdf4llm"]),
        ("submit --type l", ["lab_report"]),
        ("list --type p", ["pdf"]),
        ("worker --type e", ["echo"]),
        ("submit --priority h", ["high"]),
        ("help wo", ["worker", "workers"]),
    ],
)
def test_values_are_completed_as_well_as_options(words: str, found: list[str]) -> None:
    line = f"blobforge {words}"
    environ = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1), "_BLOBFORGE_COMPLETE": "bash_complete"}

    done = subprocess.run([PROGRAM], env={**os.environ, **environ}, capture_output=True, text=True, timeout=60)

    assert [item.split(",")[1] for item in done.stdout.split()] == found


def test_help_is_the_help_of_the_program_or_of_a_command(call: Call) -> None:
    assert call("help").stdout == call("--help").stdout
    assert call("help", "convert").stdout == call("convert", "--help").stdout
    assert call("help", "config", "show").stdout == call("config", "show", "--help").stdout


def test_help_on_what_is_no_command_says_what_may_be_meant(call: Call) -> None:
    result = call("help", "convrt")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "did you mean 'convert'?" in result.stderr
    assert "has no commands of its own" in call("help", "convert", "it").stderr


def test_completion_asks_for_a_shell_in_one_line(call: Call) -> None:
    result = call("completion")

    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].endswith("Choose from: bash, zsh, fish [usage]")


def test_completion_knows_three_shells(call: Call) -> None:
    result = call("completion", "tcsh")

    assert result.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in result.stderr
