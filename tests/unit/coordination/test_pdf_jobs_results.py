"""The two results of a report, out of an archive that may be damaged."""

import zipfile
from pathlib import Path

import pytest

from blobforge.coordination.pdf_jobs.results import NORMALIZED, RAW, results_in
from blobforge.domain.errors import ResultDamaged

UNREADABLE = {
    "no JSON": "no JSON",
    "deep": "[" * 100_000,
    "nearly as deep": "[" * 2_000 + "]" * 2_000,
    "huge": "9" * 5_000,
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_result_that_cannot_be_read_is_damaged(tmp_path: Path, text: str) -> None:
    archive = tmp_path / "result.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr(RAW, text)
        made.writestr(NORMALIZED, "{}")

    with pytest.raises(ResultDamaged, match="cannot be read"):
        results_in(archive)
