"""Encrypted documents, and the password that nobody else gets to see."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, children_of, converted, ended
from tests.e2e.tesseracts import Gate
from tests.pdfs import locked_pdf, locked_scan_pdf, text_pdf

PASSWORD = "open-sesame-4711"


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\n")
    return path


def test_an_empty_password_is_no_lock(blobforge: Blobforge, docs: Path, out: Path) -> None:
    locked_pdf(docs / "one.pdf", password="")

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.outcomes) == (0, {"one.pdf": "converted"})
    assert "Behind the lock" in (out / "one.md").read_text()


def test_without_the_password_it_fails_and_with_it_the_next_run_converts(
    blobforge: Blobforge, docs: Path, out: Path, password_file: Path
) -> None:
    locked_pdf(docs / "one.pdf", password=PASSWORD)
    text_pdf(docs / "plain.pdf")
    wrong = password_file.with_name("wrong")
    wrong.write_text("guess")

    none = blobforge.convert("docs", "-o", "out")
    mistaken = blobforge.convert("docs", "-o", "out", "--password-file", "wrong")
    right = blobforge.convert("docs", "-o", "out", "--password-file", "password")
    after = blobforge.convert("docs", "-o", "out")

    assert none.codes == {"one.pdf": "encrypted_pdf", "plain.pdf": None}
    assert mistaken.codes == {"one.pdf": "encrypted_pdf", "plain.pdf": None}
    assert "needs a password" in none.entry("one.pdf")["message"]
    assert "the password given is wrong" in mistaken.entry("one.pdf")["message"]
    assert right.outcomes == {"one.pdf": "converted", "plain.pdf": "cached"}
    assert after.outcomes == {"one.pdf": "cached", "plain.pdf": "cached"}
    assert "Behind the lock" in (out / "one.md").read_text()


def test_the_password_is_seen_nowhere(
    blobforge: Blobforge, docs: Path, out: Path, password_file: Path, gate: Gate
) -> None:
    locked_scan_pdf(docs / "one.pdf", password=PASSWORD)
    process = blobforge.start(
        *("convert", "docs", "-o", "out", "--json", "--log-level", "debug", "--password-file", "password"),
        PATH=gate.path,
    )
    gate.wait_until_reached()

    children = children_of(process.pid)
    seen = [argument for arguments in children.values() for argument in arguments]
    seen += [Path(f"/proc/{pid}/environ").read_text() for pid in children]
    kept = [path.read_bytes() for path in blobforge.home.rglob("*") if path.is_file()]
    gate.let_through()
    done = ended(process)

    assert converted(done).outcomes == {"one.pdf": "converted"}
    assert len(children) >= 2  # the child and its tesseract
    assert not [text for text in seen if PASSWORD in text]
    kept += [path.read_bytes() for folder in (blobforge.home, out) for path in folder.rglob("*") if path.is_file()]
    assert not [content for content in kept if PASSWORD.encode() in content]
    assert "job claimed" in done.stderr
    assert PASSWORD not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\x00", "holds no UTF-8 text"),
        (b"", "the password file is empty"),
        (b"\r\n", "the password file is empty"),
    ],
)
def test_a_password_file_without_a_password_is_a_usage_error_before_any_work(
    blobforge: Blobforge, docs: Path, password_file: Path, content: bytes, message: str
) -> None:
    text_pdf(docs / "one.pdf")
    password_file.write_bytes(content)

    done = blobforge.call("convert", "docs", "-o", "out", "--password-file", "password")

    assert done.exit_code == 2
    assert "--password-file" in done.stderr
    assert message in done.stderr
    assert "0xff" not in done.stderr
    assert not blobforge.home.exists()


def test_a_password_file_that_is_not_there_is_a_usage_error(blobforge: Blobforge, docs: Path) -> None:
    done = blobforge.call("convert", "docs", "-o", "out", "--password-file", "nowhere")

    assert (done.exit_code, "nowhere" in done.stderr) == (2, True)
