"""Words of languages are data: a new language is a new file, and all that reads words reads it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blobforge.processors.lab_report.vocabulary.languages import (
    INTERNATIONAL,
    KEYS,
    codes,
    is_true_of,
    language_files,
    read_language,
    terms,
    terms_of,
)
from blobforge.processors.lab_report.vocabulary.patterns import expression, one_of

ROOT = Path(__file__).parents[4]
MADE_UP = """
[language]
words = "la kaj por malsanulo kuracisto provo trovu mezo limo supra gramo malpli ol negato naskig marto"

[columns]
name = ["provo"]
value = ["trovu"]
unit = ["mezo"]
range = ["limo"]

[labels]
birth = ["naskig[o]."]
name = ["malsanulo"]
doctor = ["kuracisto"]

[flags]
words = "supra"

[outcomes]
words = ["negat(o|a)"]

[limits]
words = "malpli"
links = "ol"
signs = ["malpli"]

[units]
alone = "gramo"

[specimens]
urine = ["pisako*"]

[dates]
months = ["jano", "febo", "marto", "aprilo", "majo", "junio", "julio", "augo", "septo", "okto", "novo", "deco"]
"""
SHEET = """
Kuracisto: Maria Lopo
Malsanulo: Ludo Lida            Naskig: 12 marto 1980

Provo            Trovu          Mezo      Limo
Qwertino         5.1 supra      gramo     3.9 - 5.6
Uiopino          7              gramo     malpli ol 9
Asdfino          negato
"""
READER = """
import json, sys
from blobforge.processors.lab_report.vocabulary import languages
languages.__path__.extend(sys.argv[2:])
from tests.unit.processors.lab_report.sheets import tagger, words
from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.output.normal_form import normal_form
from blobforge.processors.lab_report.output.raw_form import raw_form
from blobforge.processors.lab_report.report import read_report
report = read_report({1: words(sys.argv[1])}, tagger(), table())
raw = raw_form(report, version="1", model="blank:xx", components=[])
print(json.dumps([normal_form(report, table()), [row["rule"] for row in raw["rows"]]]))
"""


def read_apart(*folders: Path) -> tuple[dict[str, Any], list[str]]:
    """The sheet in a process of its own, since words are read once, with the languages of these folders too."""
    command = [sys.executable, "-c", READER, SHEET, *map(str, folders)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    normal, rules = json.loads(done.stdout)
    return normal, rules


def test_a_new_language_is_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "qq.toml").write_text(MADE_UP, encoding="utf-8")

    found, rules = read_apart(tmp_path)

    assert (found["first_name"], found["second_name"], found["DOB"]) == ("Ludo", "Lida", "12.03.1980")
    assert found["language"] == "qq"
    keys = ("biomarker_name", "value", "unit", "reference_range")
    assert [tuple(each[key] for key in keys) for each in found["observations"]] == [
        ("Qwertino", 5.1, "gramo", "3.9 - 5.6"),
        ("Uiopino", 7, "gramo", "malpli ol 9"),
    ]
    assert rules[-4:] == ["header", "table row", "table row", "result in words"]


def test_without_its_file_nobody_knows_the_language() -> None:
    found, rules = read_apart()

    assert (found["first_name"], found["DOB"]) == (None, None)
    assert found["language"] != "qq"
    assert "header" not in rules


@pytest.mark.parametrize("text", ["[columns]\nnames = ['x']\n", "[column]\nname = ['x']\n"])
def test_a_slip_of_the_pen_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qq.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match=r"qq\.toml: \[columns?\] names? is no key"):
        read_language(path)


@pytest.mark.parametrize(
    ("entry", "texts", "others"),
    [
        ("date of birth", ["date of birth", "date  of birth"], ["dateofbirth"]),
        ("d.o.b.", ["dob", "d.o.b.", "d.ob"], ["d-o-b"]),
        ("geb.[-][ ]datum", ["geb.-datum", "geb datum", "gebdatum"], ["geb"]),
        ("(sur|last)[ ]name", ["surname", "last name"], ["name"]),
        ("urin*", ["urin", "urine"], ["purin"]),
        ("+metry", ["photometry"], ["metry"]),
        ("nat(o|a) [a … ]il", ["nato il", "nata a Reggio Emilia il"], ["nato a 12 il"]),
        (r"m\.", ["m."], ["m", "mx"]),
    ],
)
def test_an_entry_is_written_in_a_few_signs(entry: str, texts: list[str], others: list[str]) -> None:
    pattern = re.compile(expression(entry))

    assert [text for text in [*texts, *others] if pattern.fullmatch(text)] == texts


def test_of_several_entries_the_one_that_says_the_most_wins() -> None:
    match = re.match(one_of(["patient[ number]", "patient/in", "patient name"]), "patient/in")

    assert match is not None
    assert match.group() == "patient/in"


def test_what_no_language_has_a_word_for_matches_nowhere() -> None:
    assert re.search(one_of([]), "") is None


@pytest.mark.parametrize("code", codes())
def test_every_language_can_read_a_table_and_a_person(code: str) -> None:
    needed = {"columns": ("name", "value", "unit", "range"), "labels": ("birth", "name", "surname", "doctor")}

    assert all(terms_of(code, section, key) for section, keys in needed.items() for key in keys)
    assert len(terms_of(code, "dates", "months")) == 12
    assert len(terms_of(code, "language", "words")) > 10


def test_every_entry_is_a_regular_expression() -> None:
    spelled = ("columns", "name_words", "specimen_words", "specimen_letters")
    for section in KEYS.keys() - set(spelled):
        for key in KEYS[section]:
            for entry in terms(section, key):
                re.compile(expression(entry))


def test_every_key_is_used_by_a_language_and_told_in_the_docs() -> None:
    told = (ROOT / "docs" / "lab-languages.md").read_text(encoding="utf-8")
    switches = {switch for each in language_files() for switch in each.switches}

    for section, keys in KEYS.items():
        assert f"`{section}`" in told
        for key in keys if not section.startswith("specimen_") else ():
            assert f"`{key}`" in told, f"{section}.{key}"
            assert terms(section, key) or f"{section}.{key}" in switches, f"{section}.{key}"


def test_what_is_international_is_no_language() -> None:
    assert INTERNATIONAL not in codes()
    assert {"de", "en", "uk"} < set(codes())


def test_a_switch_is_of_one_language() -> None:
    assert is_true_of("es", "names", "two_surnames")
    assert not is_true_of("de", "names", "two_surnames")
    assert not is_true_of(None, "names", "two_surnames")
