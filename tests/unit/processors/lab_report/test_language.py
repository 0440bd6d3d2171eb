"""The language of a report."""

import pytest
from benchmarks.lab_reports.content import TONGUES, Tongue

from blobforge.processors.lab_report.vocabulary.detection import language_of


@pytest.mark.parametrize("tongue", TONGUES, ids=[tongue.code for tongue in TONGUES])
def test_a_report_is_known_by_its_words(tongue: Tongue) -> None:
    """R3-19."""
    assert language_of([*tongue.head, tongue.remark, *(result.name for result in tongue.results)]) == tongue.code


def test_numbers_have_no_language() -> None:
    assert language_of(["12.5", "3 - 4"]) is None


def test_captions_in_other_letters_do_not_decide() -> None:
    captions = ["Дата народження / Date of birth", "Стать / Sex"]
    lines = ["Complete blood count of the venous blood", "Haemoglobin", "Results relate only to the samples tested"]

    assert language_of([*captions, *lines]) == "en"
