"""The rows of the table as the files in `panels/` have them.

[718-7] Hemoglobin            the code, and the name that we give
units: g/dL, g/L              the units that the code is for
59260-0: mmol/L               another code of the same thing, for other units
specimen: urine               where it is not blood
all: HGB | Hb                 abbreviations that every language prints
en: Hemoglobin | Haemoglobin  the names, language by language
"""

from importlib import resources
from typing import NamedTuple, cast

from blobforge.processors.lab_report.vocabulary.languages import codes
from blobforge.processors.lab_report.vocabulary.specimens import Specimen

PANELS = (
    "haematology", "differential", "proteins", "chemistry", "enzymes", "electrolytes", "lipids", "heart", "thyroid",
    "hormones", "vitamins", "coagulation", "immunology", "autoimmunity", "tumours", "infection", "drugs", "urinalysis",
    "urine", "urine_of_a_day", "stool", "gases", "coagulation_factors", "fractions", "elements", "endocrine",
    "antibodies", "serology", "serology_others", "semen", "allergens", "organic_acids",
    "organic_acids_others",
)  # fmt: skip


class Biomarker(NamedTuple):
    """What a laboratory measures. `code` is a LOINC number ("718-7") or, where there is none, the short code
    that laboratories print ("HOMA-IR"); `units` are those in which this code is usually given."""

    code: str
    name: str
    units: tuple[str, ...]


class BiomarkerRow(NamedTuple):
    """One analyte: a biomarker, or several where its code depends on the unit; the first is the usual one."""

    biomarkers: tuple[Biomarker, ...]
    specimen: Specimen
    names: dict[str, tuple[str, ...]]


def read_rows() -> list[BiomarkerRow]:
    return [row for panel in PANELS for row in read_panel(panel_text(panel))]


def panel_text(panel: str) -> str:
    return resources.files(__package__).joinpath("panels", f"{panel}.txt").read_text(encoding="utf-8")


def read_panel(text: str) -> list[BiomarkerRow]:
    stanzas = text.split("\n[")[1:]
    return [_row(stanza.split("\n")) for stanza in stanzas]


def _row(lines: list[str]) -> BiomarkerRow:
    code, _, name = lines[0].partition("] ")
    units: dict[str, tuple[str, ...]] = {code: ()}
    names: dict[str, tuple[str, ...]] = {}
    specimen = "blood"
    for line in lines[1:]:
        key, colon, value = line.partition(": ")
        if not colon or line[0] == "#":
            continue
        if key == "units":
            units[code] = tuple(value.split(", "))
        elif key == "specimen":
            specimen = value
        elif key == "all" or key in codes():
            names[key] = tuple(value.split(" | "))
        elif key.islower():
            # No code is written so: taken for one, its names would be lost.
            raise ValueError(f"[{code}] {name}: {key!r} is no language; those with a file are {', '.join(codes())}")
        else:
            units[key] = tuple(value.split(", "))
    biomarkers = tuple(Biomarker(each, name, units[each]) for each in units)
    return BiomarkerRow(biomarkers, cast("Specimen", specimen), names)
