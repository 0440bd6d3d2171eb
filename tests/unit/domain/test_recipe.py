"""A recipe's id is its name for ever: stored results are found by it."""

import json

import pytest

from blobforge.domain.errors import InvalidOptions
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.recipe import Recipe, require_whole_document


def recipe(**facts: object) -> Recipe:
    said = {"processor": "pdf", "version": "1", "engine": "e", "engine_version": "2", **facts}
    return Recipe(**said)  # type: ignore[arg-type]


def test_the_id_of_a_recipe_does_not_change_between_versions() -> None:
    options: JsonObject = {"languages": ["deu", "eng"], "deep": {"b": 1, "a": None}, "straße": True}

    assert recipe(options=options).id == "f6fb8e31b97fb2b5"
    assert recipe().id == "6675cfa16d291a3a"


def test_the_order_of_keys_does_not_matter_at_any_depth() -> None:
    one = recipe(options={"a": 1, "b": {"c": [1, 2], "d": 2}})
    other = recipe(options={"b": {"d": 2, "c": [1, 2]}, "a": 1})

    assert one.id == other.id


def test_the_order_of_a_list_matters() -> None:
    assert recipe(options={"a": [1, 2]}).id != recipe(options={"a": [2, 1]}).id


@pytest.mark.parametrize("facts", [{"processor": "x"}, {"version": "x"}, {"engine": "x"}, {"engine_version": "x"}])
def test_each_part_of_a_recipe_decides_its_id(facts: dict[str, str]) -> None:
    assert recipe(**facts).id != recipe().id


def test_a_recipe_can_be_written_as_json() -> None:
    assert recipe(options={"a": 1}).as_json() == {
        "processor": "pdf",
        "version": "1",
        "engine": "e",
        "engine_version": "2",
        "options": {"a": 1},
    }


def test_canonical_json_has_sorted_keys_no_spaces_and_text_as_it_is() -> None:
    assert canonical_json({"b": [1, 2.5, None], "a": "straße"}) == '{"a":"straße","b":[1,2.5,null]}'


def test_a_name_that_is_no_valid_text_survives_as_canonical_json() -> None:
    text = canonical_json({"path": "caf\udce9.txt"})

    assert text.encode("utf-8") == b'{"path":"caf\\udce9.txt"}'
    assert json.loads(text) == {"path": "caf\udce9.txt"}


def test_a_recipe_of_some_pages_is_refused_where_whole_documents_are_wanted() -> None:
    some = recipe(options={"pages": "1-3"}, partial=("pages",))

    require_whole_document(recipe(), instead="never said")

    with pytest.raises(InvalidOptions, match=r"pages=1-3 leaves out some .*; use convert"):
        require_whole_document(some, instead="use convert")
