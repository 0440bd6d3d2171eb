"""The documents of the project: links lead somewhere, files stay small, and nothing leaks from where they were made."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
LOCK = re.compile(r"\brequirements/[a-z-]+\.txt\b")
LONGEST_FILE = 400
LONGEST_GLOSSARY = 60


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


@pytest.mark.parametrize("page", tracked("*.md"), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_documents_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target for target in LINK.findall(text) if "://" not in target]

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_locks_that_pages_name_are_there() -> None:
    pages = [page for page in tracked("*.md") if page.name != "CHANGELOG.md"]
    named = {name for page in pages for name in LOCK.findall(page.read_text(encoding="utf-8"))}

    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_no_source_file_holds_more_than_one_idea() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in tracked("*.py")}

    assert {str(path) for path, length in lengths.items() if length > LONGEST_FILE} == set()


def test_the_glossary_is_short_enough_to_be_read() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    _, _, after = text.partition("## Glossary\n")
    glossary, _, _ = after.partition("\n## ")

    assert "| lease" in glossary
    assert len(glossary.strip().splitlines()) <= LONGEST_GLOSSARY


def test_the_lock_files_have_hashes_and_no_address_of_an_index() -> None:
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text(encoding="utf-8")
        assert "--hash=sha256:" in text
        assert "://" not in text


def test_every_runtime_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[<>=\[]", line)[0] for line in project["dependencies"]]
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")

    assert [name for name in names if f"| {name} |" not in reasons] == []
