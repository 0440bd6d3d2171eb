"""What a run prints and stores outside the two columns of results holds nothing of the reports."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.e2e.program import Blobforge
from tests.integration.pdf_jobs.application import Application
from tests.integration.pdf_jobs.pipelines import broken_pipeline
from tests.integration.pdf_jobs.reports import TONGUES, report, words_of


def is_told(word: str, text: str) -> bool:
    """A number by itself, and not as a part of a time or a version."""
    return re.search(rf"(?<![\w.:,]){re.escape(word)}(?![\w:,]|\.\d)", text) is not None


def contents_below(*folders: Path) -> Iterator[str]:
    for folder in folders:
        for path in folder.rglob("*"):
            yield str(path)
            if path.is_file():
                yield path.read_bytes().decode("utf-8", "replace")


def test_nothing_of_a_report_is_told_or_left_anywhere_else(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    """R3-40, R3-41."""
    words = {word for tongue in TONGUES for word in words_of(tongue)}
    jobs = [enum_application.upload(report(tongue)) for tongue in TONGUES]
    # And what goes wrong in the middle of one: cut off, and with bytes in it that no reader expects.
    enum_application.upload(report()[: len(report()) // 2])
    enum_application.upload(report().replace(b"endstream", b"endst\xffeam"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    variables = {**enum_application.variables, "BLOBFORGE_LOG_LEVEL": "debug", "TMPDIR": str(scratch)}

    done = blobforge.run("lab-worker", "--drain", **variables)
    enum_application.set_back(jobs[0], status="pending", attempts=0)
    broken = broken_pipeline(tmp_path / "broken")
    failed = blobforge.run("lab-worker", "--drain", **variables, **broken.variables)

    assert enum_application.job(jobs[0])["status"] == "failed"
    told = [done.stdout, done.stderr, failed.stdout, failed.stderr, enum_application.everything()]
    everywhere = "\n".join([*told, *contents_below(blobforge.home, scratch)])
    assert "job claimed" in everywhere
    assert [word for word in sorted({*words, "Mustermann"}) if is_told(word, everywhere)] == []
    assert [path for path in (*blobforge.home.rglob("*"), *scratch.rglob("*")) if path.is_file()] == []
    assert list(scratch.iterdir()) == []


def test_the_results_are_where_they_belong(enum_application: Application, blobforge: Blobforge) -> None:
    """The words that the other test looks for are those of the reports: here they are found."""
    tongue = TONGUES[0]
    job = enum_application.upload(report(tongue))

    blobforge.call("lab-worker", "--drain", **enum_application.variables)

    stored = str(enum_application.document(job)["ml_raw_result"])
    missing = [word for word in words_of(tongue) if not is_told(word, stored)]
    assert len(missing) < len(words_of(tongue)) / 4
