"""The sandbox as people meet it: on a kernel that has it, and on one that has not."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, ended
from tests.pdfs import text_pdf

from blobforge.worker.sandbox.support import sandbox_support

pytestmark = pytest.mark.needs("sandbox")

# A filter of our own takes Landlock away, as a container does whose host does not know it.
WITHOUT_LANDLOCK = """
import errno, os, sys
from blobforge.worker.sandbox import kernel, seccomp
kernel.forbid_new_privileges()
seccomp.install([seccomp.Refusal("landlock_create_ruleset", errno.ENOSYS)])
os.execv(sys.argv[1], sys.argv[1:])
"""


def run_without_landlock(blobforge: Blobforge, *arguments: str, mode: str) -> "subprocess.CompletedProcess[str]":
    return ended(blobforge.start(*arguments, before=[sys.executable, "-c", WITHOUT_LANDLOCK], BLOBFORGE_SANDBOX=mode))


def test_a_document_is_converted_in_it(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "a.pdf")

    done = blobforge.convert("docs", "-o", "out", BLOBFORGE_SANDBOX="required")

    assert done.outcomes == {"a.pdf": "converted"}
    assert (out / "a.md").exists()


def test_where_the_kernel_has_no_landlock_a_document_is_converted_all_the_same(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    text_pdf(docs / "a.pdf")

    done = run_without_landlock(blobforge, "convert", "docs", "-o", "out", mode="auto")

    assert done.returncode == 0, done.stderr
    assert (out / "a.md").exists()


def test_where_it_is_required_nothing_is_converted_without_it(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "a.pdf")

    done = run_without_landlock(blobforge, "convert", "docs", "-o", "out", mode="required")

    assert done.returncode == 2
    assert (
        "BLOBFORGE_SANDBOX is 'required', and this kernel, or the container around it, has no Landlock" in done.stderr
    )


@pytest.mark.parametrize(
    ("mode", "code", "told"),
    [
        ("auto", 0, "has no Landlock; children have limits, and are not shut in wholly"),
        ("required", 1, "has no Landlock"),
        ("off", 0, "off: a document that takes over a child may do all that you may"),
    ],
)
def test_doctor_says_what_is_missing(blobforge: Blobforge, mode: str, code: int, told: str) -> None:
    done = run_without_landlock(blobforge, "doctor", "--json", mode=mode)

    assert (done.returncode, told in done.stdout) == (code, True), done.stdout


def test_doctor_says_what_the_kernel_gives(blobforge: Blobforge) -> None:
    done = blobforge.run("doctor", "--json")

    assert f"children are shut in: Landlock ABI {sandbox_support().landlock}, seccomp" in done.stdout
