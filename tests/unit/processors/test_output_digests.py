"""Results that know when they are old: no output changes without a new version, and each says what it changed."""

from pathlib import Path

import pytest
from tests.output_digests import __main__ as command
from tests.output_digests import ledger
from tests.output_digests.ledger import Record
from tests.output_digests.outputs import DOCUMENTS, digest_of, everywhere, maker
from tests.parts import is_missing

from blobforge import plugins
from blobforge.domain.errors import EngineUnavailable
from blobforge.plugins import Group

CHANGELOG = (Path(__file__).parents[3] / "CHANGELOG.md").read_text(encoding="utf-8")
RECORDS = ledger.load(ledger.PATH)
KEPT = Record("1", "3.0", {"a.pdf": {"document.md": "11", "info.json": "12"}, "b.pdf": {"document.md": "21"}})
CHANGED = KEPT._replace(outputs={**KEPT.outputs, "a.pdf": {"document.md": "99", "info.json": "12"}})


@pytest.mark.parametrize("name", RECORDS)
def test_a_version_makes_of_the_documents_what_it_has_always_made(name: str) -> None:
    try:
        found = ledger.record_of(maker(name))
    except EngineUnavailable as error:
        is_missing(str(error))

    if flaw := ledger.flaw_in(name, RECORDS[name], found):
        pytest.fail(flaw, pytrace=False)


def test_every_processor_is_held_to_its_digests_with_every_engine_that_all_have() -> None:
    ours = {found.name for found in plugins.plugins(Group.PROCESSORS) if found.package == "blobforge"}

    assert ours == set(DOCUMENTS)
    assert {made_by.name for name in ours for made_by in everywhere(name)} <= set(RECORDS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_newest_version_says_what_it_changed(name: str) -> None:
    processor = plugins.load_processor(name)
    recipes = [plugins.load_processor(name).recipe(made_by.options) for made_by in everywhere(name)]
    newest = {change.engine: change for change in processor.info.changes}

    assert newest.pop("").version == processor.info.version
    for engine, change in newest.items():
        assert [recipe.engine_version.split(" on ")[0] for recipe in recipes if recipe.engine == engine] == [
            change.version
        ]
    assert all(change.summary for change in processor.info.changes)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_changelog_says_which_version_changed_results(name: str) -> None:
    changes = plugins.load_processor(name).info.changes
    later = [f"`{change.engine or name}` {change.version}" for change in changes if change.version != "1"]

    assert [version for version in later if version not in CHANGELOG] == []


def test_another_output_of_the_same_version_is_a_flaw_that_says_what_to_do() -> None:
    flaw = ledger.flaw_in("pdf_markdown/e", KEPT, CHANGED)

    assert flaw is not None
    assert "pdf_markdown/e makes something else of the same documents" in flaw
    assert "  a.pdf: document.md\n" in flaw
    assert "b.pdf" not in flaw
    for step in ("versions.py", "CHANGELOG.md", "make digests"):
        assert step in flaw


def test_a_file_that_a_result_gains_or_loses_is_a_change() -> None:
    without = KEPT._replace(outputs={**KEPT.outputs, "a.pdf": {"document.md": "11"}})

    assert not ledger.may_be_kept(KEPT, without)
    assert not ledger.may_be_kept(without, KEPT)


@pytest.mark.parametrize(
    "found",
    [
        CHANGED._replace(version="2"),
        CHANGED._replace(engine_version="3.1"),
        KEPT._replace(outputs={**KEPT.outputs, "new.pdf": {"document.md": "31"}}),
        KEPT._replace(outputs={"a.pdf": KEPT.outputs["a.pdf"]}),
    ],
    ids=["new version", "new engine", "new document", "document gone"],
)
def test_digests_of_a_new_version_or_other_documents_have_to_be_written_down(found: Record) -> None:
    assert ledger.may_be_kept(KEPT, found)
    assert "run make digests" in (ledger.flaw_in("p", KEPT, found) or "")


def test_the_command_writes_new_versions_and_refuses_to_hide_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "digests.json"
    ledger.save({"echo": KEPT, "lab_report": KEPT}, path)
    monkeypatch.setattr(command, "DOCUMENTS", {})
    monkeypatch.setattr(
        ledger, "record_of", lambda made_by: CHANGED if made_by.name == "echo" else CHANGED._replace(version="2")
    )

    assert command.main(path) == 1

    assert ledger.load(path) == {"echo": KEPT, "lab_report": CHANGED._replace(version="2")}
    assert "echo makes something else" in capsys.readouterr().err


def test_what_a_result_says_of_its_order_is_not_its_output() -> None:
    one = digest_of("info.json", b'{"recipe_id": "1", "source": {"name": "a"}, "tally": 1}')

    assert one == digest_of("info.json", b'{"tally": 1, "recipe_id": "2"}')
    assert one != digest_of("info.json", b'{"tally": 2, "recipe_id": "1"}')
