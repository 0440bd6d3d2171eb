"""A misspelt language is told from one that is not installed."""

import pytest

from blobforge.documents.known_languages import require_known
from blobforge.domain.errors import InvalidOptions

HERE = ["eng", "our_own"]


@pytest.mark.parametrize("name", ["eng", "our_own", "deu", "chi_sim", "script/Fraktur"])
def test_what_is_installed_or_could_be_is_known(name: str) -> None:
    require_known([name], HERE)


def test_a_name_like_none_is_told_with_those_that_are_there() -> None:
    with pytest.raises(InvalidOptions, match=r"no language '00'; it has eng, our_own here$"):
        require_known(["eng", "00"], HERE)


def test_a_misspelt_name_is_told_with_the_one_that_is_meant() -> None:
    with pytest.raises(InvalidOptions, match=r"no language 'frra'; it has .* here; did you mean fra\?$"):
        require_known(["frra"], HERE)


def test_the_data_for_orientation_is_no_language() -> None:
    with pytest.raises(InvalidOptions, match="no language 'osd'"):
        require_known(["osd"], HERE)


def test_a_misspelt_name_is_told_where_tesseract_is_not_installed() -> None:
    require_known(["deu"], None)
    with pytest.raises(InvalidOptions, match=r"^--language: .* 'xx' \(and is not installed here\)$"):
        require_known(["xx"], None, option="--language")
