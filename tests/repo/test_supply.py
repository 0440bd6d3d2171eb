"""What BlobForge is made of: what may be installed with it, what is locked, and what is said of it in a release."""

import re
import subprocess
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from release import audit, lock

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: Mapping[str, list[str]] = PROJECT["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SOLUTIONLESS = "error: No solution found when resolving dependencies\n  cause: Because marker-pdf depends on pillow<11"
UNREACHED = "error: Request failed after 3 retries in 3.5s\n  cause: Failed to fetch: an index\n  cause: dns error"


def locked_in(name: str) -> set[str]:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return set(re.findall(r"^([\w.-]+)(?:\[[\w, -]+\])?==", text, re.MULTILINE))


@pytest.mark.parametrize("engine", ["docling", "marker", "pymupdf4llm"])
def test_the_engine_of_others_is_bounded_by_the_next_release_that_may_be_another_thing(engine: str) -> None:
    (wanted,) = EXTRAS[engine]

    assert re.fullmatch(r"[\w-]+>=(\d+)[\d.]*,<\d+", wanted)


def test_all_is_what_every_installation_can_have() -> None:
    """R2-30: nothing with weights to load or a licence to think about."""
    parts = [wanted for name in ("s3", "postgres", "liteparse", "lab", "metrics", "server") for wanted in EXTRAS[name]]

    assert set(EXTRAS["all"]) == set(parts)
    assert not set(EXTRAS["all"]) & {wanted for name in ("docling", "marker", "pymupdf4llm") for wanted in EXTRAS[name]}


def test_the_default_install_is_what_convert_and_a_queue_on_sqlite_need() -> None:
    """Their packages are half of what would be installed: whoever converts a folder has no bucket and runs no server.
    What speaks to one is there for every worker without keys."""
    others = {"boto3", "botocore", "psycopg", "psycopg-binary", "liteparse", "spacy", "fastapi", "uvicorn"}
    assert not locked_in("runtime.txt") & others
    assert len(PROJECT["dependencies"]) == 12


def test_what_make_setup_and_the_container_install_runs_every_queue() -> None:
    assert locked_in("runtime.txt") < locked_in("workers.txt")
    assert {"boto3", "psycopg", "liteparse", "psutil", "fastapi"} <= locked_in("workers.txt")
    assert "spacy" not in locked_in("workers.txt")
    assert "-r requirements/build.txt -r requirements/workers.txt" in MAKEFILE


def test_the_checks_resolve_every_extra_and_every_lock() -> None:
    assert "-m release.lock --check" in MAKEFILE
    assert "-m release.audit" in MAKEFILE
    assert lock.extras() == sorted(EXTRAS)
    assert {path.name for path in (ROOT / "requirements").glob("*.txt")} == set(lock.SETS)


@pytest.mark.parametrize("name", sorted(lock.SETS))
def test_a_locked_package_keeps_the_extras_that_are_asked_of_it(name: str) -> None:
    """Else pip takes a newer release for whoever asks for the extra, and refuses it for want of a hash."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")

    assert not re.findall(r"^(?:psycopg|coverage|smart-open|cachecontrol)==", text, re.MULTILINE)


def test_the_tools_that_lock_and_audit_are_locked_themselves() -> None:
    assert {"uv", "pip-audit", "cyclonedx-bom", "twine", "check-wheel-contents"} <= locked_in("release.txt")
    assert re.search(r"^lock: \$\(VENV\)/\.installed-release", MAKEFILE, re.MULTILINE)
    assert re.findall(r"\$\(PIP\) install (?!--require-hashes|--no-build-isolation --no-deps)", MAKEFILE) == []


def test_an_extra_that_cannot_be_resolved_is_an_error_with_the_resolver_s_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "compiled", answering(SOLUTIONLESS))

    assert lock.check() == 1
    assert "blobforge[marker]: error: No solution found" in capsys.readouterr().err


def test_an_index_that_does_not_answer_is_no_error_and_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "compiled", answering(UNREACHED))

    assert lock.check() == 0
    said = capsys.readouterr()
    assert "not checked, for the package index does not answer: requirements/build.txt" in said.err
    assert "can be installed" not in said.out


def answering(trouble: str) -> Any:
    return lambda *_: subprocess.CompletedProcess([], 2, "", trouble)


@pytest.mark.parametrize(
    ("dependencies", "code", "said"),
    [
        ('{"name": "a", "version": "1", "vulns": []}', 0, "1 locked packages without a known vulnerability"),
        ('{"name": "a", "skip_reason": "not found"}', 0, "not audited, for the service"),
        (
            '{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}',
            0,
            "nothing is known of them: b",
        ),
        (
            '{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"], "aliases": ["CVE-1"]}]}',
            1,
            "a 1: PYSEC-1, mended in 2",
        ),
    ],
    ids=["sound", "unanswered", "partly", "vulnerable"],
)
def test_an_audit_says_what_it_found_and_what_it_could_not_ask(
    capsys: pytest.CaptureFixture[str], dependencies: str, code: int, said: str
) -> None:
    assert audit.told(f'{{"dependencies": [{dependencies}]}}', "") == code

    told = capsys.readouterr()
    assert said in told.out + told.err


def test_an_audit_that_breaks_off_is_not_taken_for_a_sound_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.told("", "Traceback\nConnectionError: no route") == 0

    assert "not audited" in capsys.readouterr().err


def test_the_bill_of_materials_has_every_locked_package_and_the_hashes_of_what_was_built(tmp_path: Path) -> None:
    pytest.importorskip("cyclonedx_py", reason="`make release` installs what makes a bill of materials")
    from release import build

    wheel = tmp_path / "blobforge-1.whl"
    wheel.write_bytes(b"a wheel")

    bill = build.bill_of_materials([wheel])

    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "blobforge")
    assert {component["name"] for component in bill["components"]} == locked_in("runtime.txt")
    assert all(reference["hashes"] for part in bill["components"] for reference in part["externalReferences"])
    (reference,) = bill["metadata"]["component"]["externalReferences"]
    assert reference["hashes"] == [{"alg": "SHA-256", "content": sha256(b"a wheel").hexdigest()}]
    direct = bill["dependencies"][0]["dependsOn"]
    assert len(direct) == len(PROJECT["dependencies"])
