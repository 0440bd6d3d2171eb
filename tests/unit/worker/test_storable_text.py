"""What may be told of a document's work."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from blobforge.domain.json_value import canonical_json
from blobforge.worker.storable_text import LONGEST, WITHHELD, storable, without_secrets

LONE = st.text(st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF))


def test_a_foreign_text_with_a_secret_in_it_is_not_told_at_all() -> None:
    assert without_secrets("open sesame is wrong", ["", "open sesame"]) == WITHHELD
    assert without_secrets("it is wrong", ["", "open sesame"]) == "it is wrong"


def test_a_name_that_is_no_text_is_written_out() -> None:
    assert storable("no \udcff.pdf\0") == "no \\udcff.pdf\\0"


def test_a_long_text_is_cut() -> None:
    assert storable("x" * 10_000) == "x" * LONGEST + " …"
    assert storable("x" * 10_000, most=None) == "x" * 10_000


@settings(deadline=None, database=None)
@given(st.dictionaries(LONE, LONE))
def test_json_keeps_its_meaning_and_can_be_stored_anywhere(value: dict[str, str]) -> None:
    text = storable(canonical_json(value), most=None)

    assert json.loads(text.encode("utf-8")) == value
    assert "\0" not in text
