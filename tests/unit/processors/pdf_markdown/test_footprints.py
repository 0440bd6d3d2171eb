"""Who comes after a child that died knows where it died."""

from pathlib import Path

import pytest

from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown import footprints


class _Death(BaseException):
    """Nothing runs after it, as when a process is killed."""


def _die_at(workspace: Path, part: Slice) -> None:
    with pytest.raises(_Death), footprints.at(workspace, part):
        raise _Death


def test_a_page_of_the_range_that_a_child_died_at_is_known(tmp_path: Path) -> None:
    _die_at(tmp_path, Slice(3, 6))

    assert footprints.died_at(tmp_path, Slice(4, 4))
    assert not footprints.died_at(tmp_path, Slice(7, 7))


def test_a_range_is_halved_before_it_is_judged(tmp_path: Path) -> None:
    _die_at(tmp_path, Slice(3, 6))

    assert not footprints.died_at(tmp_path, Slice(3, 4))


def test_who_comes_home_leaves_nothing(tmp_path: Path) -> None:
    with footprints.in_survey(tmp_path) as visit, footprints.at(tmp_path, Slice(1, 1)):
        visit(1)

    assert list(tmp_path.iterdir()) == []


def _die_in_survey(workspace: Path, *visited: int) -> None:
    def survey() -> None:
        with footprints.in_survey(workspace) as visit:
            for number in visited:
                visit(number)
            raise _Death

    with pytest.raises(_Death):
        survey()


def test_each_page_that_a_survey_died_of_is_remembered_though_the_next_one_ends_well(tmp_path: Path) -> None:
    _die_in_survey(tmp_path, 1, 2, 3)
    _die_in_survey(tmp_path, 1, 2, 4, 12)
    with footprints.in_survey(tmp_path) as visit:
        visit(1)

    assert footprints.survey_deaths(tmp_path) == [3, 12]
    assert footprints.died_at(tmp_path, Slice(3, 3))
    assert not footprints.died_at(tmp_path, Slice(2, 2))
    assert not footprints.died_at(tmp_path, Slice(2, 4))


def test_who_died_before_any_page_died_of_the_whole_document(tmp_path: Path) -> None:
    _die_in_survey(tmp_path)

    assert footprints.survey_deaths(tmp_path) == [footprints.OPENING]
    assert footprints.died_at(tmp_path, Slice(1, 20))
