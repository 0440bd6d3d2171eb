"""Heads of columns, by what their columns hold."""

from functools import cache

from blobforge.processors.lab_report.vocabulary.languages import terms

COLUMN_KINDS = (
    "name", "value", "unit", "range", "flag", "method", "previous", "code", "other", "low", "high",
)  # fmt: skip
"""Of a word that heads columns of two kinds, the first counts."""


@cache
def head_spellings(kind: str) -> frozenset[str]:
    """In small letters and without a full stop at their end."""
    return frozenset(terms("columns", kind))


@cache
def kind_of_head(text: str) -> str | None:
    """What a column with this head holds; None for a head that is not known."""
    bare = text.lower().strip(" .:")
    return next((kind for kind in COLUMN_KINDS if bare in head_spellings(kind)), None)


def is_value_head(name: str) -> bool:
    """Where the value is labelled (Result: 5.1), the name stands elsewhere."""
    return name.lower().strip(" .:") in head_spellings("value")


def is_range_head(name: str) -> bool:
    return name.lower().strip(" .:") in head_spellings("range")
