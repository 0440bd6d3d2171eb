"""The mutants fit the source as it is, so that the proof by them can be made at any time."""

from collections import Counter
from pathlib import Path

import pytest
from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import SOURCE, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_of_a_mutant_is_once_in_the_source_and_what_it_becomes_is_a_program(mutant: Mutant) -> None:
    honest = mutant.place(SOURCE).read_text()

    planted = mutant.applied(honest)

    assert planted != honest
    compile(planted, mutant.file, "exec")


def test_every_mutant_has_a_name_of_its_own() -> None:
    assert [name for name, times in Counter(mutant.name for mutant in MUTANTS).items() if times > 1] == []


def test_the_tests_that_should_catch_a_mutant_are_there() -> None:
    files = {test.partition("::")[0] for mutant in MUTANTS for test in mutant.tests}

    assert [file for file in sorted(files) if not (SOURCE.parent / file).exists()] == []


def test_a_mutant_whose_source_has_moved_on_is_told() -> None:
    mutant = Mutant("a bug", "coordination/service.py", "no such line", "", ())

    with pytest.raises(ValueError, match=r"a bug: its text is 0 times in coordination/service\.py"):
        mutant.applied(mutant.place(Path(SOURCE)).read_text())
