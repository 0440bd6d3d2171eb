"""The table from errors to exit codes."""

import pytest

from blobforge.cli.exit_codes import ERROR, INTERRUPTED, REFUSED, TABLE, USAGE, exit_code
from blobforge.domain import error_codes, errors
from blobforge.domain.access_errors import Forbidden
from blobforge.domain.errors import BlobForgeError


@pytest.mark.parametrize("kind", error_codes.all_errors().values(), ids=lambda kind: kind.__name__)
def test_every_error_has_an_exit_code_that_is_not_success(kind: type[BlobForgeError]) -> None:
    assert exit_code(kind("x")) in {ERROR, USAGE, REFUSED, INTERRUPTED}


def test_the_table_decides_for_the_root_and_each_of_its_children() -> None:
    # What is not installed is mended like a wrong setting, whatever it is for.
    assert set(TABLE) == {BlobForgeError, *BlobForgeError.__subclasses__(), errors.EngineUnavailable}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidSettings("x"), 2),
        (errors.InvalidOptions("x"), 2),
        (errors.EngineUnavailable("x"), 2),
        (errors.StoreUnavailable("x"), 1),
        (errors.NotAPdf("x"), 1),
        (errors.MemoryLimit("x"), 1),
        (errors.DiskFull("x"), 1),
        (errors.Interrupted("x"), 130),
        (Forbidden("x"), 4),
    ],
)
def test_a_child_inherits_its_parents_code(error: BlobForgeError, code: int) -> None:
    assert exit_code(error) == code
