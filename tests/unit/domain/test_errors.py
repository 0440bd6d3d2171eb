"""The tree of errors: complete in its docstring, and each with a code of its own."""

import re

import pytest

from blobforge.domain import errors
from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import BlobForgeError

DEFINED = {
    error.__name__: error for error in all_errors().values() if f"{error.__module__}.".startswith(f"{errors.__name__}.")
}
_BRANCH = re.compile(r"^    (?P<indent>[│ ]*)(?:[├└]── )?(?P<names>[A-Z]\w+(?:, [A-Z]\w+)*)(?:  .*)?$")


def drawn() -> list[tuple[str, str | None]]:
    """Each class that the docstring draws, with its parent."""
    found: list[tuple[str, str | None]] = []
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        branch = _BRANCH.match(line)
        if branch is None:
            continue
        depth = 0 if "── " not in line else len(branch["indent"]) // 4 + 1
        names = branch["names"].split(", ")
        found += [(name, above.get(depth - 1)) for name in names]
        above[depth] = names[-1]
    return found


@pytest.mark.parametrize("error", DEFINED.values(), ids=lambda error: error.__name__)
def test_an_error_is_had_from_the_package_whatever_module_defines_it(error: type[BlobForgeError]) -> None:
    assert getattr(errors, error.__name__) is error
    assert error.__name__ in errors.__all__


def test_the_docstring_draws_every_class_once() -> None:
    assert sorted(name for name, _ in drawn()) == sorted(DEFINED)


@pytest.mark.parametrize(("name", "parent"), drawn())
def test_the_docstring_draws_each_class_under_its_parent(name: str, parent: str | None) -> None:
    assert DEFINED[name].__base__ is (DEFINED[parent] if parent else Exception)


@pytest.mark.parametrize("error", DEFINED.values(), ids=lambda error: error.__name__)
def test_an_error_has_a_code_of_its_own(error: type[BlobForgeError]) -> None:
    assert "code" in vars(error)
    assert re.fullmatch(r"[a-z][a-z_]{2,63}", error.code)


def test_no_two_errors_share_a_code() -> None:
    codes = [error.code for error in DEFINED.values()]

    assert len(set(codes)) == len(codes)


def test_every_error_is_found_by_its_code() -> None:
    found = all_errors()

    assert {code: error for code, error in found.items() if error in DEFINED.values()} == {
        error.code: error for error in DEFINED.values()
    }


@pytest.mark.parametrize(
    ("code", "retryable"),
    [
        ("store_unavailable", True),
        ("source_missing", True),
        ("child_killed", True),
        ("memory_limit", True),
        ("disk_full", True),
        ("interrupted", True),
        ("lease_lost", False),
        ("not_a_pdf", False),
        ("encrypted_pdf", False),
        ("engine_unavailable", False),
    ],
)
def test_an_error_says_whether_another_try_can_help(code: str, retryable: bool) -> None:
    assert all_errors()[code].retryable is retryable
