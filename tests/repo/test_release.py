"""A release: its version has a place in the changelog, and a wheel that does not convert is not one."""

import re
from pathlib import Path

import pytest
from release import trial

from blobforge.version import __version__

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
SOUND = {"converted": 1, "pages_failed": 0}


def test_the_changelog_has_unreleased_changes_first_and_then_the_release_of_this_version() -> None:
    sections = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)

    assert sections[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)", sections[1])


def test_a_release_says_what_it_breaks_and_how_to_move() -> None:
    for section in re.split(r"^## (?=\d)", CHANGELOG, flags=re.MULTILINE)[1:]:
        assert "### What breaks, and how to move" in section


@pytest.mark.parametrize(
    ("said", "text", "flaw"),
    [
        (SOUND, f"Chapter Three\n\n{trial.HEADING}", None),
        ({"converted": 0, "pages_failed": 0}, trial.HEADING, '{"converted": 0, "pages_failed": 0}'),
        ({"converted": 1, "pages_failed": 2}, trial.HEADING, '{"converted": 1, "pages_failed": 2}'),
        (SOUND, "Travelling", "out.md lacks the heading '# Travelling the Long Water'"),
        (SOUND, None, "there is no out.md"),
    ],
    ids=["sound", "nothing", "gaps", "other text", "no file"],
)
def test_a_wheel_is_judged_by_what_it_converts(
    tmp_path: Path, said: dict[str, int], text: str | None, flaw: str | None
) -> None:
    output = tmp_path / "out.md"
    if text is not None:
        output.write_text(text, encoding="utf-8")

    assert trial.flaw_in(said, output) == flaw


def test_a_program_that_fails_ends_the_trial_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"(?s)ended with 2.*no such wheel"):
        trial.run(tmp_path, "sh", "-c", "echo no such wheel >&2; exit 2")


def test_the_trial_takes_neither_sources_nor_settings_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "src")
    monkeypatch.setenv("BLOBFORGE_QUEUE", "postgresql://elsewhere")
    monkeypatch.setenv("PIP_NO_INPUT", "1")

    seen = trial.run(tmp_path, "env").splitlines()

    assert not [line for line in seen if line.startswith(("PYTHONPATH=", "BLOBFORGE_QUEUE="))]
    assert {f"BLOBFORGE_HOME={tmp_path}/home", "PIP_NO_INPUT=1"} <= set(seen)
