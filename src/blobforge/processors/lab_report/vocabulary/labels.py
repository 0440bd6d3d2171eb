"""Labels of a report's head: who a name belongs to, and which date is a birthday."""

import re
from collections.abc import Iterator

from blobforge.processors.lab_report.vocabulary.patterns import any_term

_KEYS = {
    "birth": ("birth",),
    "heading": ("heading",),
    "surname_first": ("surname_first",),
    "given_first": ("given_first",),
    # Before the bare word for a given name, which begins it in some languages.
    "patient_name": ("patient_name",),
    "surname": ("surname",),
    "given": ("given",),
    "patronymic": ("patronymic",),
    "doctor": ("doctor",),
    "other": ("age", "patient_number", "other"),
    "name": ("name",),
}
"""The keys of the language files for each kind, in the order in which they are tried."""
_KIND_OF_GROUP = {"patient_name": "name"}
BIRTH = any_term("labels", "birth")
AGE_OR_NUMBER = any_term("labels", "age", "patient_number")
_LABEL = re.compile(
    "|".join(rf"(?P<{kind}>(?<![^\W_]){any_term('labels', *keys)})" for kind, keys in _KEYS.items()).join(("(?:", ")"))
    + r"(?![^\W_])(?P<colon>\s*[.:：=]+\s*|\s*$)?",  # noqa: RUF001
    re.IGNORECASE,
)

REMARK = re.compile(r"\s*\([^)]*\)")
_LABEL_WORDS = 3


def labels_in(cell: str) -> "Iterator[re.Match[str]]":
    """Labels with a colon, and one that begins the cell; birthdays need none."""
    for match in _LABEL.finditer(cell):
        with_colon = bool((match["colon"] or "").strip())
        kind = kind_of(match)
        # A short label may end in the word that counts, behind the number or the group of its field.
        ends_label = match.end() == len(cell) and len(cell.split()) <= _LABEL_WORDS
        if with_colon or match.start() == 0 or ends_label or kind in ("birth", "heading"):
            yield match


def begins_with_birth(text: str) -> bool:
    match = _LABEL.match(text)
    return match is not None and match["birth"] is not None


def kind_of(match: "re.Match[str]") -> str:
    group = next(kind for kind in _KEYS if match[kind] is not None)
    return _KIND_OF_GROUP.get(group, group)


def is_label(text: str) -> bool:
    """One label or several, perhaps with a remark in brackets: Date of birth (DD.MM.YYYY) / Sex."""
    rest = REMARK.sub("", text).strip()
    match = _LABEL.match(rest)
    while match is not None and match.end() > 0:
        if (match["colon"] or "").strip():
            return True
        rest = rest[match.end() :].lstrip(" /,&·|-")
        if not rest:
            return True
        match = _LABEL.match(rest)
    return False
