"""What has changed since a version made a result."""

import pytest

from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import VersionChange
from blobforge.results.outdated import ChangeSince, changes_of, changes_since
from blobforge.results.redoing import Amount, Stock

FIRST, SECOND, THIRD = (VersionChange(version, f"it is {version}") for version in ("1", "2", "10"))
OF_ENGINE, NEWER_OF_ENGINE = (VersionChange(version, f"engine {version}", engine="e") for version in ("1", "2"))
CHANGES = (FIRST, SECOND, THIRD, OF_ENGINE, NEWER_OF_ENGINE)
ASKED = Recipe(processor="p", version="10", engine="e", engine_version="2 on package 0.3")


def made_by(**facts: str) -> JsonObject:
    return {**ASKED.as_json(), **facts}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (made_by(), ()),
        (made_by(version="2"), (THIRD,)),
        (made_by(version="1"), (SECOND, THIRD)),
        (made_by(engine_version="1 on package 0.3"), (NEWER_OF_ENGINE,)),
        (made_by(version="2", engine_version="1 on package 0.1"), (THIRD, NEWER_OF_ENGINE)),
        (made_by(engine_version="2 on package 0.1"), ()),
        (made_by(version="2", engine="other", engine_version="1"), (THIRD,)),
        (made_by(processor="q", version="1"), ()),
        (made_by(version="never heard of"), ()),
        ({}, ()),
    ],
    ids=[
        *("current", "one behind", "two behind", "engine behind", "both behind", "package behind"),
        *("other engine", "other processor", "unknown version", "unreadable"),
    ],
)
def test_the_changes_are_those_after_the_version_of_the_result(
    result: JsonObject, expected: tuple[VersionChange, ...]
) -> None:
    assert changes_since(result, ASKED, CHANGES) == expected


def test_a_result_of_a_newer_version_than_the_asked_one_has_missed_nothing() -> None:
    older = Recipe(processor="p", version="1", engine="e", engine_version="1")

    assert changes_since(made_by(), older, CHANGES) == ()


def test_each_change_is_told_once_with_the_documents_that_it_concerns() -> None:
    stocks = [
        Stock(recipe_id=RecipeId(f"{number}"), recipe=recipe, amount=Amount(documents=documents))
        for number, (recipe, documents) in enumerate([(made_by(version="1"), 3), (made_by(version="2"), 4), (None, 5)])
    ]

    assert changes_of(stocks, ASKED, CHANGES) == [ChangeSince(SECOND, 3), ChangeSince(THIRD, 7)]
