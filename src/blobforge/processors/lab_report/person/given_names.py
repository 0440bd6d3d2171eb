# ruff: noqa: RUF001 - letters and apostrophes that look alike are what this module is about
"""Frequent first names: where nothing else tells in which order a name is printed, they do.

They are in `given_names.txt`, a block for each language or region. A name that is as frequent a surname there is
left out of it: it would turn around names that are printed in the usual order.
"""

import re
from functools import cache
from importlib import resources

from blobforge.processors.lab_report.biomarkers.folding import fold

# Apostrophes go; these letters have no accent that Unicode would take off, and "YILDIRAY" does not show which i it has.
_ALIKE = str.maketrans("ıłđø", "ildo", "'’ʼ")
_HYPHEN = re.compile("[-‐]")


def is_given_name(word: str) -> bool:
    """Whatever its case and accents; a compound (Anne-Sophie) is one when each of its parts is."""
    return all(part in _given_names() for part in _HYPHEN.split(_plain(word)))


@cache
def _given_names() -> frozenset[str]:
    text = resources.files(__package__).joinpath("given_names.txt").read_text(encoding="utf-8")
    blocks = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(_plain(" ".join(blocks)).split())


def _plain(text: str) -> str:
    return fold(text).translate(_ALIKE)
