"""A child that was taken over: what it attempts is refused by the kernel, as root and as an ordinary user."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.integration.worker import escapes
from tests.integration.worker.escape_kit import ATTEMPTS
from tests.integration.worker.workbench import LONG, ROOT

pytestmark = pytest.mark.needs("sandbox")

NOBODY = 65534
# Python itself may lie in a folder that only its owner may enter: this user reads everything, and is else like any.
AS_NOBODY = [
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--bounding-set=-all,+dac_read_search"),
    *("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"),
]
POSSIBLE = {
    "read where this machine has connections to",
    "read which disks there are, and where",
    "run a program that it wrote, by the system's loader",
    "run a program that it wrote into memory",
    "load a library that it wrote",
    "learn that a file exists, and its size",
    "find another program by its number",
}
"""Not refused; docs/sandbox.md says why."""
REFUSED_TO_ALL = {"give itself more memory than its limit"}
ONLY_ROOTS = {
    "read the kernel's messages",
    "change the packages that it is made of",
    "make others wait for a file of its packages",
    "take another folder for the root",
}
PAGE = ROOT / "docs" / "sandbox.md"
assert escapes.MADE_BY, "which fills ATTEMPTS when it is imported"

Users = pytest.mark.parametrize("user", ["root", "nobody"] if os.getuid() == 0 else ["oneself"])


class Runs:
    """All attempts, made once for each user and each kind of sandbox."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[tuple[str, str], Mapping[str, object]] = {}

    def of(self, user: str, mode: str) -> Mapping[str, object]:
        if (user, mode) not in self._made:
            self._made[user, mode] = self._run(user, mode)
        return self._made[user, mode]

    def _run(self, user: str, mode: str) -> Mapping[str, object]:
        folder = self._folder / f"{user}-{mode}"
        folder.mkdir()
        if user == "nobody":
            if shutil.which("setpriv") is None:
                pytest.skip("setpriv is not installed")
            os.chown(folder, NOBODY, NOBODY)
        command = [sys.executable, "-m", "tests.integration.worker.escape_run", str(folder), mode]
        done = subprocess.run(
            [*(AS_NOBODY if user == "nobody" else []), *command],
            cwd=ROOT,
            capture_output=True,
            timeout=LONG,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        said: Mapping[str, object] = json.loads(done.stdout)
        return said


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("escapes"))


def outcomes(run: Mapping[str, object]) -> Mapping[str, str | None]:
    assert isinstance(run["outcomes"], dict)
    return run["outcomes"]


@Users
@pytest.mark.parametrize("attempt", sorted(ATTEMPTS.keys() - POSSIBLE))
def test_a_child_cannot(runs: Runs, user: str, attempt: str) -> None:
    assert outcomes(runs.of(user, "auto"))[attempt] is not None


@Users
def test_nothing_has_happened_to_its_parent(runs: Runs, user: str) -> None:
    run = runs.of(user, "auto")

    assert (run["signals"], run["key"]) == ([], "key")


@Users
def test_what_is_possible_is_possible(runs: Runs, user: str) -> None:
    assert {name for name, refusal in outcomes(runs.of(user, "auto")).items() if refusal is None} == POSSIBLE


@Users
def test_without_the_sandbox_the_attempts_succeed(runs: Runs, user: str) -> None:
    """Or they would show nothing."""
    refused = {name for name, refusal in outcomes(runs.of(user, "off")).items() if refusal is not None}

    assert refused <= (REFUSED_TO_ALL if user == "root" else REFUSED_TO_ALL | ONLY_ROOTS)


def test_the_page_on_the_sandbox_lists_every_attempt_and_how_it_ends() -> None:
    rows = dict(re.findall(r"^\| (.+?) \| (refused|possible) \| \w", PAGE.read_text(encoding="utf-8"), re.MULTILINE))

    assert rows == {name: "possible" if name in POSSIBLE else "refused" for name in ATTEMPTS}
