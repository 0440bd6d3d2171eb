"""The words of languages: one TOML file a language in this folder, and one for what all of them print.

A new language is a new file; docs/lab-languages.md says what it holds. Files are read once.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

INTERNATIONAL = "international"
"""The file of what reports print in every language."""

_COLUMNS = "name value unit range flag method previous code other low high"
_LABELS = (
    "birth surname given patronymic surname_first given_first patient_name name heading doctor patient_number age other"
)
_SPECIMENS = "blood urine stool semen other"
_SECTIONS = {
    "language": "words decimal_mark month_first day_first",
    "columns": _COLUMNS,
    "flags": "words status",
    "outcomes": "words",
    "limits": "joiners spaced_joiners starters words up_to links or more and signs signs_before_number above",
    "ranges": "labels qualifiers nouns tails calculated normal none",
    "numbering": "words",
    "grades": "words",
    "administrative": "words numbers",
    "pages": "words of see",
    "techniques": "words",
    "quotients": "words",
    "same_again": "words",
    "places": "institutions words",
    "doctors": "titles degrees faculties",
    "titles": "address before_birth academic other greetings behind",
    "people": "patient sexes years after_name born_behind nobody",
    "labels": _LABELS,
    "specimens": _SPECIMENS,
    "specimen_words": _SPECIMENS,
    "specimen_letters": _SPECIMENS,
    "name_words": "links methods totals basals fractions antibodies percent absolute",
    "name_phrases": (
        "hour first_hour of_a_day urine_of_a_day urinalysis uric_acid volume properties leukocytes nicknames reflex "
        "by_method biotin_independent"
    ),
    "dates": "months weekdays hours ordinals before_month before_year",
    "units": ("alone quotients per behind of_total first_hour in_a_field powers counted seconds minute hour day field"),
    "names": (
        "particles surname_first surname_first_in_capitals two_surnames patronymics surnames surnames_end_in "
        "given_names_end_in"
    ),
    "text": "connectors open_ends ordinals",
}
KEYS = {section: frozenset(keys.split()) for section, keys in _SECTIONS.items()}
"""What a file may hold; anything else is a slip of the pen, and refused."""


class LanguageFile(NamedTuple):
    code: str
    terms: Mapping[str, Mapping[str, tuple[str, ...]]]
    switches: frozenset[str]
    """`section.key` of what is true of the language."""


@cache
def language_files() -> tuple[LanguageFile, ...]:
    """Of every folder on the path of this package, in the order of their codes."""
    found = (path for folder in __path__ for path in Path(folder).glob("*.toml"))
    return tuple(read_language(path) for path in sorted(found, key=lambda path: path.stem))


def read_language(path: Path) -> LanguageFile:
    """Raises ValueError, which names the file and the key, for what no reader asks for."""
    written = tomllib.loads(path.read_text(encoding="utf-8"))
    terms: dict[str, dict[str, tuple[str, ...]]] = {}
    switches = set()
    for section, entries in written.items():
        for key, value in entries.items():
            if key not in KEYS.get(section, ()):
                raise ValueError(f"{path.name}: [{section}] {key} is no key of a language file")
            if value is True:
                switches.add(f"{section}.{key}")
            elif value is not False:
                terms.setdefault(section, {})[key] = tuple(_terms(value))
    return LanguageFile(path.stem, terms, frozenset(switches))


def _terms(value: object) -> Iterator[str]:
    """A text is a list of single words. A table has words by a number, which stands before each of them."""
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, dict):
        yield from (f"{number} {word}" for number, words in value.items() for word in str(words).split())
    elif isinstance(value, list):
        yield from map(str, value)


def codes() -> tuple[str, ...]:
    """Of all languages, without what is international."""
    return tuple(each.code for each in language_files() if each.code != INTERNATIONAL)


@cache
def terms(section: str, key: str) -> tuple[str, ...]:
    """Of all languages, each once."""
    assert key in KEYS[section]
    found = (term for each in language_files() for term in each.terms.get(section, {}).get(key, ()))
    return tuple(dict.fromkeys(found))


def terms_of(code: str | None, section: str, key: str) -> tuple[str, ...]:
    """Of one language; none where that is not known."""
    assert key in KEYS[section]
    return next((each.terms.get(section, {}).get(key, ()) for each in language_files() if each.code == code), ())


def is_true_of(code: str | None, section: str, key: str) -> bool:
    """Whether a language has this switch on."""
    assert key in KEYS[section]
    return any(f"{section}.{key}" in each.switches for each in language_files() if each.code == code)
